package nodes

import (
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
)

// Verify checks that the books agree with each other and with the nodes. It is meant for tests:
// O(n log n) for n reservations, and O(v) for the v steps of each of their nodes.
func (m *Machine) Verify() error {
	err := m.booked.verify(m.bounds.Now)
	if err != nil {
		return err
	}
	want := make([]steps, len(m.given))
	for k, v := range m.given {
		want[k] = newSteps(m.bounds.Now, v)
		for _, w := range m.closedTimes(k) {
			want[k].change(w, v, -1)
		}
	}
	for _, b := range m.booked.all(m.bounds.Now) {
		for k, v := range b.takes {
			want[k].change(m.bounds.Ahead(b.Interval), v, -1)
		}
	}
	have := m.finder.steps()
	if len(have) != len(want) {
		return fmt.Errorf("nodes: the finder has %d nodes, not %d", len(have), len(want))
	}
	for k := range have {
		s := have[k].clone()
		if !slices.IsSorted(s.start) || len(s.free) != len(s.start)*m.wide {
			return fmt.Errorf("nodes: the steps of node %d are out of order: %v", k, s)
		}
		s.forget(m.bounds.Now)
		s.start[0] = max(s.start[0], m.bounds.Now)
		if !slices.Equal(s.start, want[k].start) || !slices.Equal(s.free, want[k].free) {
			return fmt.Errorf("nodes: node %d has %v, but the reservations leave %v", k, s, want[k])
		}
	}
	return nil
}

// closedTimes returns when a node is closed, from now on, as the list of closures says. The times do
// not overlap.
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
