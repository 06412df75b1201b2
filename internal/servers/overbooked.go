package servers

import (
	"cmp"
	"container/heap"
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
)

// Overbooked implements bookahead.Closable. The lanes know the held stretches, in which a server
// is held while it is closed. A stretch begins and ends at their edges:
//
//	server 2   ├───────────────┤
//	server 5          ├────────────────┤
//	stretches  │  2   │  2 5   │   5   │
//
// Held stretches of one server never touch, so two stretches that touch differ. O(l) for l
// servers that have lanes, and O(log l + s) for each stretch of s servers.
func (s *Schedule) Overbooked(w bookahead.Interval) iter.Seq[bookahead.Overbooking] {
	return func(yield func(bookahead.Overbooking) bool) {
		if s.closed == nil {
			return
		}
		var held []int // the servers held at the edge, ascending
		next := s.closed.edges(s.Ahead(w))
		for len(next) > 0 {
			e := next[0]
			place, found := slices.BinarySearch(held, int(e.server))
			if found {
				held = slices.Delete(held, place, place+1)
			} else {
				held = slices.Insert(held, place, int(e.server))
			}
			next.follow()
			if len(held) == 0 || next[0].at == e.at { // a server that is held has an edge to come, so next is not empty
				continue
			}
			o := bookahead.Overbooking{Units: int64(len(held)), Servers: slices.Clone(held)}
			o.Interval = bookahead.Interval{Start: e.at, End: next[0].at}
			if !yield(o) {
				return
			}
		}
	}
}

// edge is the begin or the end of a held stretch of a server, with the stretches that follow.
type edge struct {
	at     bookahead.Time
	server int32
	begins bool
	rest   stretches // the stretch itself is the first
	limit  bookahead.Time
}

// edges is a heap of the next edges of several servers, by time, then by server.
type edges []edge

// edges returns the first edges in w.
func (x *closed) edges(w bookahead.Interval) (list edges) {
	if w.Empty() {
		return nil
	}
	for k, l := range x.lanes {
		rest := l.held[l.held.behind(w.Start):]
		if len(rest) > 0 && rest[0].Start < w.End {
			list = append(list, edge{max(w.Start, rest[0].Start), k, true, rest, w.End})
		}
	}
	heap.Init(&list)
	return list
}

// follow replaces the first edge by the next edge of the same server.
func (x *edges) follow() {
	e := &(*x)[0]
	if e.begins {
		e.at, e.begins = min(e.rest[0].End, e.limit), false
		heap.Fix(x, 0)
		return
	}
	e.rest = e.rest[1:]
	if len(e.rest) == 0 || e.rest[0].Start >= e.limit {
		heap.Pop(x)
		return
	}
	e.at, e.begins = e.rest[0].Start, true
	heap.Fix(x, 0)
}

// Len implements heap.Interface.
func (x edges) Len() int { return len(x) }

// Less implements heap.Interface.
func (x edges) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(x[i].at, x[j].at), cmp.Compare(x[i].server, x[j].server)) < 0
}

// Swap implements heap.Interface.
func (x edges) Swap(i, j int) { x[i], x[j] = x[j], x[i] }

// Push implements heap.Interface.
func (x *edges) Push(e any) { *x = append(*x, e.(edge)) }

// Pop implements heap.Interface.
func (x *edges) Pop() any {
	last := len(*x) - 1
	e := (*x)[last]
	*x = (*x)[:last]
	return e
}
