package avail

import "math/bits"

// search returns the first slot, from slot from on and no later than last, from which n of the
// servers named, or of all, are free for m slots; or false.
//
// It goes from column to column, 64 slots at once, and passes over the slots that the numbers of
// free servers rule out.
func (g *grid) search(named []int, n int, m, from, last int64) (int64, bool) {
	s := newSearch(g, named, n, m, last)
	return s.first(from)
}

// search is a running search.
type search struct {
	grid  *grid
	named []int // nil for all
	n     int
	m     int64
	last  int64
	able  numbers
	read  int64 // how many words of columns it has read
}

func newSearch(g *grid, named []int, n int, m, last int64) search {
	return search{
		grid: g, named: named, n: n, m: m, last: last,
		able: numbers{free: g.free, least: int32(n), m: m},
	}
}

func (s *search) first(from int64) (int64, bool) {
	if s.m >= 2*64 {
		return s.whole(from)
	}
	return s.ends(from)
}

// numbers finds where at least least servers are free for m slots, perhaps others in each slot.
type numbers struct {
	free  []int32 // by place
	least int32
	m     int64
	seen  int64 // from the start returned last up to here, each slot has enough
}

// next returns the first start from slot from on, or false if that is after last. It looks at a
// window from its end: where too few servers are free, no start before the next slot will do. A
// call may begin earlier than the call before, but the slots before seen are not looked at again.
func (x *numbers) next(from, last int64) (int64, bool) {
	x.seen = max(x.seen, from)
	for from <= last {
		end := from + x.m
		slot := end - 1
		for i := int(slot % int64(len(x.free))); slot >= x.seen && x.free[i] >= x.least; slot-- {
			i--
			if i < 0 {
				i = len(x.free) - 1
			}
		}
		known := slot < x.seen
		x.seen = end
		if known {
			return from, true
		}
		from = slot + 1
	}
	return 0, false
}

// atLeast returns the bits that are set in at least n of the words; n is 1 or more. The sum for
// each bit is spread over planes, as in grid.count. Each sum begins at 2^used - n, so that it
// overflows when n words have the bit.
func atLeast(n int, words []uint64) uint64 {
	if len(words) < n {
		return 0
	}
	var planes [32]uint64
	used := bits.Len(uint(n - 1))
	for j := range used {
		planes[j] = -(uint64(1<<used-n) >> j & 1)
	}
	reached := uint64(0)
	for _, carry := range words {
		for j := 0; carry != 0; j++ {
			if j == used {
				reached |= carry
				break
			}
			planes[j], carry = planes[j]^carry, planes[j]&carry
		}
	}
	return reached
}
