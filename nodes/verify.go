package nodes

import (
	"fmt"
	"slices"
)

// Verify checks that the books and the nodes agree. It is meant for tests: O(n v) for n reservations.
func (m *Machine) Verify() error {
	want := make([]steps, len(m.given))
	for k, v := range m.given {
		want[k] = newSteps(m.bounds.Now, v)
	}
	for _, b := range m.booked.All(m.bounds.Now) {
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
