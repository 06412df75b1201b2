package route

import (
	"math"

	"github.com/bookahead/bookahead/internal/effort"
)

// front is the labels that have left the queue at a node. A new label is compared with guards of the
// front, and not with all its labels: a guard of weight d knows the greatest weight d of all labels in the
// front, its top. No label in the front is greater than the top in weight d, so a label whose weight
// d is at least the top is compared in the other weights only. The guard has the other weights of
// all labels, without those that others of the guard cover:
//
//	weights    guard of two     guard of three
//	1 or 2     the least pair, padded with zeros
//	3          stairs
//	more       a list
//
// With three weights, the guard of weight 0 (TestFrontByHand):
//
//	weights    kept   guard
//	(1, 5, 5)  yes    (5, 5)
//	(2, 3, 6)  yes    (3, 6) (5, 5)
//	(3, 4, 4)  yes    (3, 6) (4, 4)    (4, 4) covers (5, 5); (1, 5, 5) stays
//	(4, 5, 5)  no                      (4, 4) covers it
//	(0, 9, 9)  yes                     late: 0 is less than top, 3, and no label covers it
//
// The labels of Pareto leave the queue in the order of weight 0, but for the rounding of sums: a guard of
// weight 0 will do. The labels of SAMCRA leave the queue in the order of the greatest of their bounds
// over the limits, and at one node a bound is the weights and the same rest for all. So a label that
// comes later is at least as great as all before in one of its weights, though not always in the same
// weight, and there is a guard of each weight:
//
//	limits 10 10 10, rest 0 0 0
//	(4, 1, 2)   .4 in weight 0       the tops are 4 1 2
//	(1, 3, 5)   .5 in weight 2       5 is at least 2: compared in (1, 3) only, with (4, 1)
//	(2, 6, 4)   .6 in weight 1       6 is at least 3: compared in (4, 2), with (2, 4) and (5, 1)
//
// Only for a label that is less than each top, and where there is no guard, all labels are looked at.
type front struct {
	last   int32 // the label that came last; -1 for none
	guards []guard
}

// guard is the other weights of the labels in a front.
type guard struct {
	top    float64
	stairs stairs
	list   []float64
}

func (f *front) reset() {
	f.last = -1
	for d := range f.guards {
		g := &f.guards[d]
		g.top, g.list = math.Inf(-1), g.list[:0]
		g.stairs.reset()
	}
}

// others returns the weights but for weight d, of three weights at most.
func others(weights []float64, d int, hops int32) stair {
	switch len(weights) {
	case 1:
		return stair{0, 0, hops}
	case 2:
		return stair{weights[1-d], 0, hops}
	}
	return stair{weights[(d+1)%3], weights[(d+2)%3], hops}
}

// covers reports whether an entry of the list is no greater than the other weights of a label. The
// list does not know links, so only Pareto has lists, which asks for any number of links. A step is a
// look at an entry.
func (g *guard) covers(others []float64, m *effort.Meter) bool {
	width := len(others)
	for i := 0; i < len(g.list); i += width {
		if !m.Go(1) || noGreater(g.list[i:i+width], others) {
			return true
		}
	}
	return false
}

// insert adds the other weights of a label to the list, and drops the entries that they cover. A
// step is a look at an entry.
func (g *guard) insert(others []float64, m *effort.Meter) {
	width, kept := len(others), 0
	for i := 0; i < len(g.list); i += width {
		have := g.list[i : i+width]
		if !m.Go(1) || noGreater(have, others) {
			return // an entry that others cover is covered by have, and so there is none
		}
		if !noGreater(others, have) {
			copy(g.list[kept:], have)
			kept += width
		}
	}
	g.list = append(g.list[:kept], others...)
}

// noGreater reports whether each weight in a is at most the weight in b. O(k) for k weights.
func noGreater(a, b []float64) bool {
	for i, x := range b {
		if a[i] > x {
			return false
		}
	}
	return true
}
