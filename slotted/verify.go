package slotted

import (
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

var (
	_ bookahead.Verifier = (*Scan)(nil)
	_ bookahead.Verifier = (*Indexed)(nil)
)

// Verify implements bookahead.Verifier: each slot has what the reservations leave.
// O(n log n + slots).
func (s *Scan) Verify() error {
	free := func(slot int64) int64 { return s.free[s.ring.place(slot)] }
	return s.ring.verify(&s.pool, free, s.ring.size)
}

// Verify implements bookahead.Verifier: each slot has what the reservations leave,
// and what is said of each block is true. O(n log n + slots).
func (x *Indexed) Verify() error {
	for i, b := range x.blocks {
		part := x.used[int64(i)*x.size : int64(i+1)*x.size]
		if slices.Min(part)+b.add != b.least || slices.Max(part)+b.add != b.most {
			return fmt.Errorf("slotted: block %d %+v over %v", i, b, part)
		}
	}
	free := func(slot int64) int64 {
		place := x.ring.place(slot)
		return x.pool.Capacity - x.used[place] - x.blocks[place/x.size].add
	}
	passed := x.ring.slot(x.pool.Now) % x.size // of the block of now, which come last again
	return x.ring.verify(&x.pool, free, x.ring.size-passed)
}

// verify demands that each of the n slots from now on holds what the reservations
// and the rounding leave, and that those behind the horizon are free. What has
// ended in the slot that is running may still count there.
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
