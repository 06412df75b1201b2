package carts

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

// Slot says that so many units are free from Start on, up to the next slot.
type Slot struct {
	Start bookahead.Time
	Free  int64
}

// Generate returns the slots that reservations leave of a pool, from a time on: the first
// slot starts at from, neighbours differ, and the last has the whole capacity, for ever
// (Kurowski et al., §3.4, Algorithm 1). It is for planners of one's own; a constructor takes
// the reservations as Config.Booked, and refuses the same. The error wraps
// bookahead.ErrInvalid. O(n) for n reservations that come in the order of their starts, and
// of their ends too; otherwise O(n log n).
func Generate(capacity int64, from bookahead.Time, booked []bookahead.Offer) ([]Slot, error) {
	_, steps, err := pool.Open(capacity, from, 0, booked)
	if err != nil {
		return nil, err
	}
	slots := make([]Slot, len(steps))
	for i, s := range steps {
		slots[i] = Slot{s.Start, s.Free}
	}
	return slots, nil
}
