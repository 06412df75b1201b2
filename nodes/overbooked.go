package nodes

import (
	"cmp"
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
)

// Overbooked yields the stretches of w in which reservations hold closed nodes, by start, with these nodes
// as Servers. Stretches do not overlap, and stretches that touch have different nodes. It is a query, and
// reads all nodes: O(n log v + s) for n nodes of v steps, s of which lie in w, O(e log e) for e times at
// which a node begins or ceases to be overbooked, and O(k) for each stretch of k nodes.
func (m *Machine) Overbooked(w bookahead.Interval) iter.Seq[bookahead.Overbooking] {
	return func(yield func(bookahead.Overbooking) bool) {
		w := m.bounds.Ahead(w)
		if w.Empty() {
			return
		}
		var held []int // closed nodes
		o := bookahead.Overbooking{}
		edges := append(m.overbookings(w), edge{at: w.End, node: -1})
		for i, e := range edges {
			if len(held) > 0 && e.at > o.Start {
				o.End, o.Units = e.at, int64(len(held))
				o.Servers = slices.Clone(held)
				if !yield(o) {
					return
				}
			}
			o.Start = e.at
			j, found := slices.BinarySearch(held, e.node)
			switch {
			case i == len(edges)-1:
			case found:
				held = slices.Delete(held, j, j+1)
			default:
				held = slices.Insert(held, j, e.node)
			}
		}
	}
}

// edge is a time at which a node begins or ceases to be overbooked.
type edge struct {
	at   bookahead.Time
	node int
}

// overbookings returns the edges of all nodes in w, by time. Edges of one node do not touch.
func (m *Machine) overbookings(w bookahead.Interval) []edge {
	var edges []edge
	for k := range m.index.nodes {
		s := &m.index.nodes[k]
		was := false
		for i := s.at(w.Start); i < s.len() && s.start(i) < w.End; i++ {
			is := s.overbooked(i)
			if is != was {
				edges = append(edges, edge{max(w.Start, s.start(i)), k})
			}
			was = is
		}
		if was {
			edges = append(edges, edge{w.End, k})
		}
	}
	slices.SortStableFunc(edges, func(a, b edge) int { return cmp.Compare(a.at, b.at) })
	return edges
}
