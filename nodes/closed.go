package nodes

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/closures"
	"github.com/bookahead/bookahead/internal/limits"
)

// closed keeps the times at which nodes are closed. A node is open while no closure covers it. A node that
// was added is covered before and after its time.
//
//	closure 1       ├──────────────┤
//	closure 2              ├────────────┤
//	shut        0   │  1   │   2   │ 1  │  0
//	the node    open│      closed        │open
type closed struct {
	list closures.List
	born int           // the number of nodes that New was given
	shut map[int]steps // the number of closures over time; a node that is not in shut is always open
}

// one is the vector that a closure adds to the steps of shut, and counts is their packing.
var (
	one    = Vector{1}
	counts = newPacking(Vector{MaxAmount})
)

// Close closes the nodes that c.Servers names, and returns the closure as Closures lists it. Reservations
// stay as they are: Overbooked lists the times at which a reservation holds a closed node. Nothing is free
// on a closed node, not even after a Release. The error wraps bookahead.ErrInvalid. O(v + m + k) for each
// node of v steps and k closures, if the closure touches m chunks.
func (m *Machine) Close(c bookahead.Closure) (bookahead.Closure, error) {
	c, err := closures.Check(c, m.bounds.Now)
	if err == nil {
		err = m.checkClosure(c)
	}
	if err != nil {
		return bookahead.Closure{}, err
	}
	c.Added, c.Units, c.Servers = false, int64(len(c.Servers)), slices.Sorted(slices.Values(c.Servers))
	m.cover(c.Servers, c.Interval)
	return m.closed.list.Add(c), nil
}

func (m *Machine) checkClosure(c bookahead.Closure) error {
	n := int64(len(c.Servers))
	switch {
	case n == 0:
		return limits.Invalid("Closure.Servers", c.Servers, "names no node")
	case c.Units != 0 && c.Units != n:
		return limits.Invalid("Closure.Units", c.Units, fmt.Sprintf("is not the number of nodes, %d", n))
	}
	err := distinct("Closure.Servers", c.Servers)
	if err == nil {
		err = m.checkNodes("Closure.Servers", c.Servers)
	}
	return err
}

// EndClosure ends a closure or an extension at a time, which is at most its End. A time before now counts as
// now. A closure that is then empty or over is removed from the list. The error is bookahead.ErrNotFound if
// the ID is of no closure, or of a closure that is over; it wraps bookahead.ErrInvalid if the time is after
// the End. Costs are those of Close.
func (m *Machine) EndClosure(id bookahead.ClosureID, at bookahead.Time) error {
	old, gone, err := m.closed.list.End(id, at, m.bounds.Now)
	switch {
	case err != nil || gone.Empty():
		return err
	case old.Added:
		m.cover(old.Servers, gone)
	default:
		m.uncover(old.Servers, gone)
	}
	return nil
}

// Closures yields the closures and extensions that are not over, by ID. The slices are the caller's.
// It is a query.
func (m *Machine) Closures() iter.Seq[bookahead.Closure] { return m.closed.list.All() }

// cover counts one more closure of nodes throughout w. Where the nodes were open until now, their amounts
// are taken off the free amounts.
func (m *Machine) cover(list []int, w bookahead.Interval) {
	m.whileOpen(list, w, -1)
	for _, k := range list {
		m.closed.add(m.bounds.Now, k, w, 1)
	}
}

// uncover undoes a cover: it counts one closure less, and gives amounts back where nodes are open then.
func (m *Machine) uncover(list []int, w bookahead.Interval) {
	for _, k := range list {
		m.closed.add(m.bounds.Now, k, w, -1)
	}
	m.whileOpen(list, w, 1)
}

// whileOpen adds the amounts of nodes to their free amounts, so many times, in the parts of w in which no
// closure covers them. Nodes without closures are changed together, in one pass over the chunks.
func (m *Machine) whileOpen(list []int, w bookahead.Interval, times int64) {
	m.index.change(w, times, func(yield func(int, Vector) bool) {
		for _, k := range list {
			_, ok := m.closed.shut[k]
			if !ok && !yield(k, m.given[k]) {
				return
			}
		}
	})
	for _, k := range list {
		shut, ok := m.closed.shut[k]
		if !ok {
			continue
		}
		for i := shut.at(w.Start); i < shut.len() && shut.start(i) < w.End; i++ {
			if shut.amountAt(i, 0) > 0 {
				continue
			}
			open := w.Intersect(bookahead.Interval{Start: shut.start(i), End: shut.end(i)})
			m.index.change(open, times, func(yield func(int, Vector) bool) { yield(k, m.given[k]) })
		}
	}
}

// add counts a closure of a node, so many times. The steps of a clone are copied first.
func (x *closed) add(now bookahead.Time, k int, w bookahead.Interval, times int64) {
	shut, ok := x.shut[k]
	if !ok {
		shut = newSteps(counts, now, Vector{0})
	}
	shut = shut.clone()
	shut.forget(now)
	shut.change(w, one, times)
	if x.shut == nil {
		x.shut = map[int]steps{}
	}
	x.shut[k] = shut
	if shut.len() == 1 && shut.amountAt(0, 0) == 0 {
		delete(x.shut, k)
	}
}

// count returns how many nodes are closed at a time.
func (x *closed) count(t bookahead.Time) int {
	n := 0
	for k := range x.shut {
		if x.at(k, t) {
			n++
		}
	}
	return n
}

// at reports whether a node is closed at a time.
func (x *closed) at(k int, t bookahead.Time) bool {
	shut, ok := x.shut[k]
	return ok && shut.amountAt(shut.at(t), 0) > 0
}

// open reports whether a node is open throughout w.
func (x *closed) open(k int, w bookahead.Interval) bool {
	shut, ok := x.shut[k]
	if !ok {
		return true
	}
	i := shut.at(w.Start)
	for shut.amountAt(i, 0) == 0 {
		if shut.end(i) >= w.End {
			return true
		}
		i++
	}
	return false
}

func (x *closed) forget(now bookahead.Time) {
	if !x.list.Forget(now) {
		return
	}
	maps.DeleteFunc(x.shut, func(_ int, shut steps) bool {
		last := shut.len() - 1
		return shut.start(last) <= now && shut.amountAt(last, 0) == 0
	})
}

func (x *closed) clone() closed {
	c := *x
	c.list, c.shut = x.list.Clone(), maps.Clone(x.shut)
	return c
}

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
