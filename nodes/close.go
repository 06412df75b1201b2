package nodes

import (
	"fmt"
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/closures"
	"github.com/bookahead/bookahead/internal/limits"
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
	m.coverNodes(c.Servers, c.Interval)
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
		m.coverNodes(old.Servers, gone)
	default:
		m.uncoverNodes(old.Servers, gone)
	}
	return nil
}

// Closures yields the closures and extensions that are not over, by ID. The slices are the caller's.
// It is a query.
func (m *Machine) Closures() iter.Seq[bookahead.Closure] { return m.closed.list.All() }

// coverNodes counts one more closure of nodes throughout w. Where the nodes were open until now, their amounts
// are taken off the free amounts.
func (m *Machine) coverNodes(list []int, w bookahead.Interval) {
	m.whileOpen(list, w, -1)
	for _, k := range list {
		m.closed.add(m.bounds.Now, k, w, 1)
	}
}

// uncoverNodes undoes coverNodes: it counts one closure less, and gives amounts back where nodes are open then.
func (m *Machine) uncoverNodes(list []int, w bookahead.Interval) {
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
