package pool

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Step says that so many units are free from Start on, up to the next step.
type Step struct {
	Start bookahead.Time
	Free  int64
}

// Steps returns what bookings leave free from now on: the first step starts
// now, neighbours differ, and the last is the whole capacity, for ever. The error
// wraps bookahead.ErrInvalid if they are more than the capacity somewhere.
// O(n log n) for n bookings, in any order.
func Steps(capacity int64, now bookahead.Time, booked iter.Seq[Booking]) ([]Step, error) {
	type event struct {
		at    bookahead.Time
		delta int64 // of what is free
	}
	var events []event
	for b := range booked {
		events = append(events, event{max(b.Start, now), -b.Units}, event{b.End, b.Units})
	}
	// What ends comes first: a unit given back at t can be taken at t.
	slices.SortFunc(events, func(a, b event) int {
		if c := cmp.Compare(a.at, b.at); c != 0 {
			return c
		}
		return cmp.Compare(b.delta, a.delta)
	})
	steps := make([]Step, 1, len(events)+1)
	steps[0] = Step{now, capacity}
	free := capacity
	for i, e := range events {
		if free += e.delta; free < 0 { // never less than -capacity
			return nil, limits.Invalid("reservations", -free, fmt.Sprintf("units more at %d than the capacity %d", e.at, capacity))
		}
		if i+1 < len(events) && events[i+1].at == e.at {
			continue
		}
		switch last := &steps[len(steps)-1]; {
		case last.Free == free: // as much ended as started
		case last.Start == e.at: // now
			last.Free = free
		default:
			steps = append(steps, Step{e.at, free})
		}
	}
	return steps, nil
}
