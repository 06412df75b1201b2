package nodes

import (
	"iter"

	"github.com/bookahead/bookahead"
)

// Idle yields the idle periods of a node within w, by start: the longest intervals throughout which the
// node has room for a task of a vector. Periods do not touch. Here the task wants 4 GPUs:
//
//	time     0       10      20      30      40
//	free     8 GPUs  4       2       6       8
//	idle     ├──────────────┤        ├──────────
//
// A period is cut off at now, at the horizon, and at both ends of w. For room for several tasks, the
// vector is that of all of them together. A node that the machine has not, an empty w, or a vector
// for which Machine.Tasks returns an error has no periods. Idle is a query: nothing may be booked while
// the periods are read. O(log v + s) for s of the node's v steps that lie in w.
func (m *Machine) Idle(node int, each Vector, w bookahead.Interval) iter.Seq[bookahead.Interval] {
	return func(yield func(bookahead.Interval) bool) {
		w, err := m.bounds.Window(w)
		if err != nil || w.Empty() || !m.holds(node, each) {
			return
		}
		var need [MaxResources]uint64
		m.index.packing.need(1, each, nil, need[:])
		s := &m.index.nodes[node]
		period := bookahead.Interval{Start: w.Start, End: w.Start}
		for i := s.at(w.Start); i < s.len() && s.start(i) < w.End; i++ {
			end := min(s.end(i), w.End)
			if s.covers(s.row(i), need[:]) {
				period.End = end
				continue
			}
			if !period.Empty() && !yield(period) {
				return
			}
			period = bookahead.Interval{Start: end, End: end}
		}
		if !period.Empty() {
			yield(period)
		}
	}
}

// holds reports whether the machine has a node, and the node has room for a vector when it is empty.
// More than a node has could leave its field in what covers compares with.
func (m *Machine) holds(node int, each Vector) bool {
	if node < 0 || node >= len(m.given) || m.check(Request{Duration: 1, Tasks: 1, Each: each}) != nil {
		return false
	}
	for r, amount := range each {
		if amount > m.given[node][r] {
			return false
		}
	}
	return true
}
