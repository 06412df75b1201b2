package carts

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

// Slot is a stretch of time with the same number of free units, from Start to the next slot.
type Slot struct {
	Start bookahead.Time
	Free  int64
}

// Generate returns the slots that reservations leave of a pool, from a time on. The first slot
// starts at from, neighbours differ, and the last slot has the whole capacity, for ever (Kurowski
// et al., §3.4, Algorithm 1). Generate is for callers with a planner of their own. A constructor
// takes the reservations as Config.Booked, and returns the same errors, which wrap
// bookahead.ErrInvalid. O(n) for n reservations if both their starts and their ends ascend;
// otherwise O(n log n).
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
