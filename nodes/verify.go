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

// Verify checks C1 to C3, and C5. For C4, tests compare searches with an oracle.
func (x *index) Verify() error {
	for c, have := range x.chunks {
		want := x.newChunk(x.owner)
		start := max(x.starts[c], x.now)
		b := brush{table: x.table, chunk: want}
		for k := range x.nodes {
			s := &x.nodes[k]
			first := s.at(start)
			reached, last := x.reach(s, first, x.end(c))
			b.paint(k, codes{}, reached)
			x.inside(want, k, last-first)
			if c > 0 && s.start(first) == start && first > 0 {
				x.mark(want, x.edgedRow(), k)
			}
		}
		b.flush()
		if c > 0 && x.starts[c] <= max(x.now, x.starts[c-1]) || x.starts[0] > x.now {
			return fmt.Errorf("nodes: chunk %d begins at %d, out of order", c, x.starts[c])
		}
		for i := range 2*x.rows + 2 {
			h, w := x.row(have, i), x.row(want, i)
			for j := range h {
				odd := h[j] ^ w[j]
				switch {
				case c == 0 && i < x.rows: // C1: may lack nodes
					odd = h[j] &^ w[j]
				case c == 0 && i < 2*x.rows || i == x.changedRow(): // C1, C2: may have too many
					odd = w[j] &^ h[j]
				case c == 0:
					odd = 0
				}
				if odd != 0 {
					return fmt.Errorf("nodes: row %d of chunk %d, which begins at %d, has %064b in word %d, not %064b", i, c, x.starts[c], h[j], j, w[j])
				}
			}
		}
		if have.inner != want.inner && (c > 0 || have.inner < want.inner) {
			return fmt.Errorf("nodes: %d steps begin inside of chunk %d, not %d", want.inner, c, have.inner)
		}
	}
	for b, start := range x.far.starts {
		switch {
		case b == 0 && start <= x.starts[0]:
		case b == 0 || start <= x.far.starts[b-1] || x.starts[x.chunkAt(start)] != start: // C5
			return fmt.Errorf("nodes: block %d begins at %d, out of order or inside of a chunk", b, start)
		}
	}
	if len(x.facts) != len(x.starts) || len(x.far.facts) != len(x.far.starts) {
		return fmt.Errorf("nodes: facts about %d chunks of %d, and about %d blocks of %d", len(x.facts), len(x.starts), len(x.far.facts), len(x.far.starts))
	}
	return nil
}
