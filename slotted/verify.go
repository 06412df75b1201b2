package slotted

import (
	"fmt"

	"github.com/bookahead/bookahead/internal/pool"
)

// verify checks that each of the n slots from now on has the free units that the reservations
// leave, rounded to slots, and that the slots after the horizon are free. Reservations that have
// ended in the running slot may still count there.
func (r ring) verify(p *pool.Pool, free func(slot int64) int64, n int64) error {
	first := r.slot(p.Now)
	steps, err := pool.Steps(p.Capacity, 0, r.slots(p))
	if err != nil {
		return fmt.Errorf("slotted: %w", err)
	}
	i := 0
	for slot := first; slot < first+n; slot++ {
		for i+1 < len(steps) && int64(steps[i+1].Start) <= slot {
			i++
		}
		want, got := steps[i].Free, free(slot)
		ended := slot == first && r.start(slot) < p.Now && got >= 0 && got < want
		if got != want && !ended {
			return fmt.Errorf("slotted: slot %d has %d free, not %d", slot, got, want)
		}
	}
	return nil
}
