package avail

import (
	"math"
	"math/bits"
)

// searchWhole is search for runs of two columns or more. Such a run fills k
// columns at least behind the one that it starts in:
//
//	column   c        c+1      c+k      c+k+1    c+k+2
//	      |······██|████████|████████|████████|█·······|
//	                 always    always   as far as needed
//
// It intersects those from the last on. Where fewer than n servers are left, no
// start before that column will do. What has been read for one start is not read
// again for the next: it is known where each server has its last gap.
func (g *grid) searchWhole(named []int, n int, able numbers, from, last int64) (int64, bool) {
	return newWholes(g, named).search(n, able, from, last)
}

// wholes tells which servers are free throughout column after column.
type wholes struct {
	*grid
	named []int   // nil for all
	all   []int32 // 0, 1, … for each of them
	list  []int32 // room for those that are left
	gaps  []int64 // the last column known in which each is not free throughout
	words int     // that have been read, for the tests
}

func newWholes(g *grid, named []int) *wholes {
	n := g.servers
	if named != nil {
		n = len(named)
	}
	w := &wholes{grid: g, named: named, all: make([]int32, n), list: make([]int32, n), gaps: make([]int64, n)}
	for i := range w.all {
		w.all[i] = int32(i)
	}
	return w
}

func (w *wholes) search(n int, able numbers, from, last int64) (int64, bool) {
	k := able.m>>6 - 1
	var starts []uint64
	known := int64(0) // from the last start up to this column, so are the gaps
next:
	for {
		start, ok := able.next(from, last)
		if !ok {
			return 0, false
		}
		c := start >> 6
		list := w.all
		for j := c + k; j > c && j >= known; j-- {
			if list = w.whole(list, j); len(list) < n {
				from, known = j<<6, c+k+1
				continue next
			}
		}
		known = c + k + 1
		list, gap := w.since(list, c)
		if len(list) < n {
			from = gap << 6
			continue
		}
		starts = w.starts(starts[:0], list, start, int(able.m))
		if found := atLeast(n, starts); found != 0 {
			start = c<<6 + int64(bits.TrailingZeros64(found))
			return start, start <= last
		}
		from = (c + 1) << 6
	}
}

// server returns the i-th of the servers.
func (w *wholes) server(i int32) int {
	if w.named != nil {
		return w.named[i]
	}
	return int(i)
}

// whole returns those of a list that are free throughout column c, and notes the
// gap of the others.
func (w *wholes) whole(list []int32, c int64) []int32 {
	w.words += len(list)
	column, left := w.column(c), w.list[:0]
	for _, i := range list {
		if column[w.server(i)] == ^uint64(0) {
			left = append(left, i)
		} else {
			w.gaps[i] = c
		}
	}
	return left
}

// since returns those of a list that have no gap behind column c, and the first
// of the gaps that others have: up to there no more of them will do.
func (w *wholes) since(list []int32, c int64) (left []int32, gap int64) {
	left, gap = w.list[:0], math.MaxInt64
	for _, i := range list {
		if w.gaps[i] <= c {
			left = append(left, i)
		} else {
			gap = min(gap, w.gaps[i])
		}
	}
	return left, gap
}

// starts appends to words, for each server of a list that has any, the slots
// from slot start on, and in its column c, from which on m slots are free. The
// columns behind c that m slots always fill are free.
func (w *wholes) starts(words []uint64, list []int32, start int64, m int) []uint64 {
	c, always := start>>6, m>>6-1
	visible := ^uint64(0) << (start & 63)
	first, next, after := w.column(c), w.column(c+int64(always)+1), w.column(c+int64(always)+2)
	w.words += 3 * len(list)
	for _, i := range list {
		server := w.server(i)
		free := bits.TrailingZeros64(^next[server])
		if free == 64 {
			free += bits.TrailingZeros64(^after[server])
		}
		latest := 64*(always+1) + free - m // from which on m slots are free
		if latest < 0 {
			continue
		}
		x := ^(^uint64(0) >> bits.LeadingZeros64(^first[server])) // from which on all are, in c
		if x = x & visible &^ (^uint64(1) << latest); x != 0 {
			words = append(words, x)
		}
	}
	return words
}
