package nodes

import (
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
)

// Free is how the tests see what is free: it yields the stretches of w with the amounts that are free on a node throughout each, by start; neighbours
// differ. Nothing is free while the node is closed. Stretches are cut off at now, at the horizon, and at both ends
// of w. The vectors are the caller's. There are no stretches if the machine does not have the node, or if w is
// empty. Free is a query: nothing may be booked while the stretches are read. O(log v + s) for s of the node's v
// steps that lie in w.
//
//	time     0       10      20      30
//	free     8 64    4 32    2 32    8 64      GPUs and cores: four stretches
func (m *Machine) Free(node int, w bookahead.Interval) iter.Seq2[bookahead.Interval, Vector] {
	return func(yield func(bookahead.Interval, Vector) bool) {
		w, err := m.bounds.Window(w)
		if err != nil || w.Empty() || node < 0 || node >= len(m.given) {
			return
		}
		s := &m.index.nodes[node]
		var free Vector
		stretch := bookahead.Interval{Start: w.Start, End: w.Start}
		for i := s.at(w.Start); i < s.len() && s.start(i) < w.End; i++ {
			v := make(Vector, m.wide)
			for r := range v {
				v[r] = max(0, s.amountAt(i, r)) // less while a reservation holds the closed node
			}
			if free != nil && !slices.Equal(free, v) {
				if !yield(stretch, free) {
					return
				}
				stretch.Start = stretch.End
			}
			free, stretch.End = v, min(s.end(i), w.End)
		}
		yield(stretch, free)
	}
}
