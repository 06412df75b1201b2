package route

import (
	"math"

	"github.com/bookahead/bookahead/internal/effort"
)

// front is the labels that have left the queue at a node. Their first weights do not fall, but
// for the rounding of sums. A label whose first weight is at least top, the greatest so far, is
// compared in the other weights only. The guard has the other weights of all labels, without
// those that others of the guard cover. Only for a label that comes late all labels are looked at.
//
//	weights    guard of two     guard of three
//	1 weight   nothing: the first label covers all
//	2          the least
//	3          stairs
//	more       a list
//
// With three weights (TestFrontByHand):
//
//	weights    kept   guard
//	(1, 5, 5)  yes    (5, 5)
//	(2, 3, 6)  yes    (3, 6) (5, 5)
//	(3, 4, 4)  yes    (3, 6) (4, 4)    (4, 4) covers (5, 5); (1, 5, 5) stays
//	(4, 5, 5)  no                      (4, 4) covers it
//	(0, 9, 9)  yes                     late: 0 is less than top, 3, and no label covers it
type front struct {
	last   int32 // the label that came last; -1 for none
	top    float64
	least  float64
	stairs stairs
	list   []float64
}

// covers reports whether a label in the front has weights that are no greater. In a list, a
// step is a look at a label. covers returns true if the meter stops it, since nothing counts any
// more then.
func (s *pareto) covers(number int32, weights []float64) bool {
	f := &s.fronts[number]
	switch {
	case f.last < 0:
		return false
	case weights[0] < f.top:
		for i, y := 0, f.last; y >= 0; i, y = i+1, s.labels[y].next {
			if !s.m.Go(1) || Additive(s.of(s.weights, y)).Covers(weights) {
				return true
			}
		}
		return false
	case s.k == 1:
		return true
	case s.k == 2:
		return f.least <= weights[1]
	case s.k == 3:
		return f.stairs.covers(stair{weights[1], weights[2], math.MaxInt32})
	}
	others, width := weights[1:], s.k-1
	for i := 0; i < len(f.list); i += width {
		if !s.m.Go(1) || Additive(f.list[i:i+width]).Covers(others) {
			return true
		}
	}
	return false
}

// insert puts a label that the front does not cover into it (M3).
func (s *pareto) insert(number, x int32) {
	f, weights := &s.fronts[number], s.of(s.weights, x)
	s.labels[x].next = f.last
	first := f.last < 0
	f.last = x
	if first {
		f.top = weights[0]
	}
	f.top = max(f.top, weights[0])
	switch {
	case s.k == 2:
		if first || weights[1] < f.least {
			f.least = weights[1]
		}
	case s.k == 3:
		// A late label may be covered by the guard, though not by the front.
		pair := stair{weights[1], weights[2], math.MaxInt32}
		if !f.stairs.covers(pair) {
			f.stairs.insert(pair)
		}
	case s.k > 3:
		f.guard(weights[1:], s.m)
	}
}

// guard adds the other weights of a label to the list, and drops the entries that they cover. A
// step is a look at an entry.
func (f *front) guard(others []float64, m *effort.Meter) {
	width, kept := len(others), 0
	for i := 0; i < len(f.list); i += width {
		have := f.list[i : i+width]
		if !m.Go(1) || Additive(have).Covers(others) {
			return // an entry that others cover is covered by have, and so there is none
		}
		if !Additive(others).Covers(have) {
			copy(f.list[kept:], have)
			kept += width
		}
	}
	f.list = append(f.list[:kept], others...)
}
