package carts

import (
	"fmt"
	"slices"

	"github.com/bits-and-blooms/bitset"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

var (
	_ bookahead.Verifier = (*SR)(nil)
)

// verifySlots demands the slots that the reservations make.
func verifySlots(p *pool.Pool, slots []Slot) error {
	steps := make([]pool.Step, len(slots))
	for i, s := range slots {
		steps[i] = pool.Step(s)
	}
	if err := p.VerifySteps(steps); err != nil {
		return fmt.Errorf("carts: %w", err)
	}
	return nil
}

// Verify implements bookahead.Verifier: the slots are those of the reservations,
// neighbours differ, and none is left over. O(v(r + N)) for r reservations.
func (s *SR) Verify() error {
	now, n := s.servers.Now, uint(s.servers.Capacity)
	if len(s.free) != len(s.start) || len(s.count) != len(s.start) || s.start[0] != now {
		return fmt.Errorf("carts: %d starts from %d, %d sets, %d counts", len(s.start), s.start[0], len(s.free), len(s.count))
	}
	if !slices.IsSorted(s.start) {
		return fmt.Errorf("carts: starts %v", s.start)
	}
	want := make([]*bitset.BitSet, len(s.start))
	for i := range want {
		want[i] = bitset.New(n).SetAll()
	}
	for _, b := range s.servers.Booked.All(now) {
		first, _ := slices.BinarySearch(s.start, b.Start)
		for i := first; i < len(s.start) && s.start[i] < b.End; i++ {
			for _, k := range b.Servers {
				if !want[i].Test(uint(k)) {
					return fmt.Errorf("carts: server %d is booked twice at %d", k, s.start[i])
				}
				want[i].Clear(uint(k))
			}
		}
	}
	for i, t := range s.start {
		if !s.free[i].Equal(want[i]) || s.count[i] != int(want[i].Count()) {
			return fmt.Errorf("carts: free at %d are %d of %v, not %v", t, s.count[i], s.free[i], want[i])
		}
		if i > 0 && (t == s.start[i-1] || want[i].Equal(want[i-1])) {
			return fmt.Errorf("carts: slots %d and %d have the same set", i-1, i)
		}
	}
	return nil
}
