package avail

import "math/bits"

// searchWhole is search for runs of two columns or more. Such a run fills k
// columns at least behind the one that it starts in:
//
//	column   c        c+1      c+k      c+k+1    c+k+2
//	      |······██|████████|████████|████████|█·······|
//	                 always    always   as far as needed
//
// It intersects those from the last on. Where fewer than n servers are left, no
// start before that column will do.
func (g *grid) searchWhole(named []int, n int, able numbers, from, last int64) (int64, bool) {
	k := able.m>>6 - 1
	var list []int
	var starts []uint64
	for {
		start, ok := able.next(from, last)
		if !ok {
			return 0, false
		}
		c := start >> 6
		j := c + k
		list = whole(list[:0], g.column(j), named)
		for j > c+1 && len(list) >= n {
			j--
			list = whole(list[:0], g.column(j), list)
		}
		if len(list) < n {
			from = j << 6
			continue
		}
		starts = starts[:0]
		visible := ^uint64(0) << (start & 63)
		first, next, after := g.column(c), g.column(c+k+1), g.column(c+k+2)
		for _, server := range list {
			free := bits.TrailingZeros64(^next[server])
			if free == 64 {
				free += bits.TrailingZeros64(^after[server])
			}
			latest := 64*int(k+1) + free - int(able.m) // from which on m slots are free
			if latest < 0 {
				continue
			}
			x := ^(^uint64(0) >> bits.LeadingZeros64(^first[server])) // from which on all are, in c
			if x = x & visible &^ (^uint64(1) << latest); x != 0 {
				starts = append(starts, x)
			}
		}
		if found := atLeast(n, starts); found != 0 {
			start = c<<6 + int64(bits.TrailingZeros64(found))
			return start, start <= last
		}
		from = (c + 1) << 6
	}
}

// whole appends those of the servers named, or of all, that are free throughout
// a column to list, which may be what they are named in.
func whole(list []int, column []uint64, named []int) []int {
	if named != nil {
		for _, k := range named {
			if column[k] == ^uint64(0) {
				list = append(list, k)
			}
		}
		return list
	}
	for k, word := range column {
		if word == ^uint64(0) {
			list = append(list, k)
		}
	}
	return list
}
