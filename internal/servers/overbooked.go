package servers

import (
	"cmp"
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
)

// Overbooked implements bookahead.Closable. The stretches in which a server is held while it is
// closed are known; each of their edges is a change:
//
//	server 2   ├───────────────┤
//	server 5          ├────────────────┤
//	stretches  │  2   │  2 5   │   5   │
//
// Held stretches of one server never touch, so two stretches that touch differ. O(l + k log k)
// for l servers that have closures, and k held stretches in w.
func (s *Schedule) Overbooked(w bookahead.Interval) iter.Seq[bookahead.Overbooking] {
	return func(yield func(bookahead.Overbooking) bool) {
		if s.closed == nil {
			return
		}
		var held []int // at the edge, by number
		edges := s.closed.edges(s.Ahead(w))
		for i, e := range edges {
			place, found := slices.BinarySearch(held, int(e.server))
			if found {
				held = slices.Delete(held, place, place+1)
			} else {
				held = slices.Insert(held, place, int(e.server))
			}
			if len(held) == 0 || edges[i+1].at == e.at { // something ends later, so i is not the last
				continue
			}
			o := bookahead.Overbooking{Units: int64(len(held)), Servers: slices.Clone(held)}
			o.Interval = bookahead.Interval{Start: e.at, End: edges[i+1].at}
			if !yield(o) {
				return
			}
		}
	}
}

// edge is where a held stretch of a server begins or ends.
type edge struct {
	at     bookahead.Time
	server int32
}

// edges returns the edges of the held stretches in w, by time.
func (x *closed) edges(w bookahead.Interval) []edge {
	var list []edge
	if w.Empty() {
		return nil
	}
	for k, l := range x.lanes {
		for _, part := range l.held.within(w) {
			list = append(list, edge{part.Start, k}, edge{part.End, k})
		}
	}
	slices.SortFunc(list, func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.server, b.server))
	})
	return list
}
