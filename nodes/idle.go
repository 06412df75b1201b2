package nodes

import (
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
)

// Idle yields the idle periods of a node within w, by start: the longest intervals throughout which the
// node has room for a task of the vector each. Periods do not touch. Here the task takes 4 GPUs:
//
//	time     0       10      20      30      40
//	free     8 GPUs  4       2       6       8
//	idle     ├──────────────┤        ├──────────
//
// Periods are cut off at now, at the horizon, and at both ends of w. To ask for room for several tasks,
// give the sum of their vectors. There are no periods if the machine does not have the node, if w is
// empty, or if Machine.Tasks returns an error for the vector. Idle is a query: nothing may be booked
// while the periods are read. O(log v + s) for s of the node's v steps that lie in w.
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

// holds reports whether the machine has a node, and the empty node has room for a vector. A larger amount
// might not fit into its field, so that covers would compare with a wrong need.
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

// Free yields the stretches of w with the amounts that are free on a node throughout each, by start; neighbours
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
