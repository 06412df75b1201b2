package nodes

import (
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
)

// Verify checks that the books agree with each other, with the nodes and with the index. It is meant for
// tests: O(k log k) for k reservations, O(v) for the v steps of each of their nodes, and O(c n log v)
// for c chunks and n nodes.
func (m *Machine) Verify() error {
	err := m.booked.Verify(m.bounds.Now)
	if err != nil {
		return err
	}
	want := make([]steps, len(m.given))
	for k, v := range m.given {
		want[k] = newSteps(m.index.packing, m.bounds.Now, v)
		for _, w := range m.closedTimes(k) {
			want[k].change(w, v, -1)
		}
	}
	for _, b := range m.booked.all(m.bounds.Now) {
		for k, v := range m.takes(b) {
			want[k].change(m.bounds.Ahead(b.Interval), v, -1)
		}
	}
	have := m.index.nodes
	if len(have) != len(want) {
		return fmt.Errorf("nodes: the index has %d nodes, not %d", len(have), len(want))
	}
	for k := range have {
		if m.bounds.Now == bookahead.MaxTime {
			break // no tick is left in which anything could be free
		}
		s := have[k].clone()
		for i := range s.len() {
			if s.start(i) >= s.end(i) && s.start(i) < bookahead.MaxTime {
				return fmt.Errorf("nodes: the steps of node %d are out of order: %v", k, s)
			}
		}
		past := s.at(m.bounds.Now)
		s.data = s.data[past*s.step:]
		s.data[0] = max(s.data[0], uint64(m.bounds.Now))
		if !slices.Equal(s.data, want[k].data) {
			return fmt.Errorf("nodes: node %d has %v, but the reservations leave %v", k, s, want[k])
		}
	}
	return m.index.Verify()
}

// closedTimes returns the times from now on at which a node is closed, by the list of closures alone. The
// times do not overlap.
func (m *Machine) closedTimes(k int) []bookahead.Interval {
	edges := []bookahead.Time{m.bounds.Now, bookahead.MaxTime}
	var closures, extensions []bookahead.Interval
	for c := range m.closed.list.All() {
		if !slices.Contains(c.Servers, k) {
			continue
		}
		edges = append(edges, max(c.Start, m.bounds.Now), c.End)
		if c.Added {
			extensions = append(extensions, c.Interval)
		} else {
			closures = append(closures, c.Interval)
		}
	}
	slices.Sort(edges)
	edges = slices.Compact(edges)
	var times []bookahead.Interval
	for i := range len(edges) - 1 {
		covers := func(w bookahead.Interval) bool { return w.Contains(edges[i]) }
		if slices.ContainsFunc(closures, covers) || k >= m.closed.born && !slices.ContainsFunc(extensions, covers) {
			times = append(times, bookahead.Interval{Start: edges[i], End: edges[i+1]})
		}
	}
	return times
}
