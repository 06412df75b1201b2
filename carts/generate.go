package carts

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Event is a moment at which reservations of so many units start, or end.
type Event struct {
	Time  bookahead.Time
	Units int64
}

// Generate builds the slots from origin on of a pool whose reservations start
// at starts and end at ends, both in order of time (Kurowski et al.,
// Algorithm 1). Neighbouring slots differ in what is free. It takes O(n).
//
// The error wraps bookahead.ErrInvalid if the events are out of order, lie before
// origin, are not positive, do not balance, or book more than the capacity.
func Generate(capacity int64, origin bookahead.Time, starts, ends []Event) ([]Slot, error) {
	if capacity < 1 {
		return nil, limits.Invalid("capacity", capacity, "is less than 1")
	}
	if origin < 0 {
		return nil, limits.Invalid("origin", origin, "is negative")
	}
	slots := make([]Slot, 1, len(starts)+len(ends)+1)
	slots[0] = Slot{origin, capacity}
	free, t := capacity, origin
	for i, j := 0, 0; i < len(starts) || j < len(ends); {
		// All that ends or starts at the next moment, ends first: a unit
		// given back at t can be taken at t.
		prev := t
		if j < len(ends) && (i == len(starts) || ends[j].Time <= starts[i].Time) {
			t = ends[j].Time
		} else {
			t = starts[i].Time
		}
		if t < prev {
			return nil, limits.Invalid("event", t, fmt.Sprintf("is before %d", prev))
		}
		for ; j < len(ends) && ends[j].Time == t; j++ {
			if ends[j].Units < 1 || ends[j].Units > capacity-free {
				return nil, limits.Invalid("end", ends[j], fmt.Sprintf("of units while %d are booked", capacity-free))
			}
			free += ends[j].Units
		}
		for ; i < len(starts) && starts[i].Time == t; i++ {
			if starts[i].Units < 1 || starts[i].Units > free {
				return nil, limits.Invalid("start", starts[i], fmt.Sprintf("of units while %d are free", free))
			}
			free -= starts[i].Units
		}
		switch last := &slots[len(slots)-1]; {
		case last.Free == free: // as much ended as started: no change
		case last.Start == t: // at the origin
			last.Free = free
		default:
			slots = append(slots, Slot{t, free})
		}
	}
	if free != capacity {
		return nil, limits.Invalid("ends", capacity-free, "units short of starts")
	}
	return slots, nil
}
