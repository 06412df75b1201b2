package carts

import (
	"fmt"
	"slices"

	"github.com/bits-and-blooms/bitset"
)

// Verify looks for faults: it checks that the slots are those of the reservations, that
// neighbours differ, and that there are no others. O(v(r + N)) for r reservations.
func (s *SR) Verify() error {
	x, now := s.sets(), s.s.Now
	if len(x.free) != len(x.start) || len(x.count) != len(x.start) || x.start[0] != now {
		return fmt.Errorf("carts: %d starts from %d, %d sets, %d counts", len(x.start), x.start[0], len(x.free), len(x.count))
	}
	if !slices.IsSorted(x.start) {
		return fmt.Errorf("carts: starts %v", x.start)
	}
	want := make([]*bitset.BitSet, len(x.start))
	for i := range want {
		want[i] = bitset.New(x.n).SetAll()
	}
	for _, b := range s.s.Booked.All(now) {
		first, _ := slices.BinarySearch(x.start, b.Start)
		for i := first; i < len(x.start) && x.start[i] < b.End; i++ {
			for _, k := range b.Servers {
				if !want[i].Test(uint(k)) {
					return fmt.Errorf("carts: server %d is booked twice at %d", k, x.start[i])
				}
				want[i].Clear(uint(k))
			}
		}
	}
	for i, t := range x.start {
		if !x.free[i].Equal(want[i]) || x.count[i] != int(want[i].Count()) {
			return fmt.Errorf("carts: at %d there are %d free in %v, not %v", t, x.count[i], x.free[i], want[i])
		}
		if i > 0 && (t == x.start[i-1] || want[i].Equal(want[i-1])) {
			return fmt.Errorf("carts: slots %d and %d have the same set", i-1, i)
		}
	}
	return nil
}
