package nodes

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// ReserveOffer books an offer as it is: so many tasks on these nodes, from o.Start to o.End. Each and
// head are what a task takes, as in a Request. It is how a decision that was made before, or by another,
// is carried out to the letter. The error is bookahead.ErrUnavailable if a node has no room, or is closed,
// or if the offer begins before now or ends beyond the horizon; or wraps bookahead.ErrInvalid. O(log v + s)
// to look at each node of v steps, s of which lie in the offer, and what Reserve takes to book it.
func (m *Machine) ReserveOffer(o Offer, each, head Vector) (Reservation, error) {
	b, err := m.offered(o, each, head)
	if err != nil {
		return Reservation{}, err
	}
	if o.Start < m.bounds.Now || o.End > m.bounds.End {
		return Reservation{}, bookahead.ErrUnavailable
	}
	for k, v := range b.takes {
		if !m.index.nodes[k].has(b.Interval, v) {
			return Reservation{}, bookahead.ErrUnavailable
		}
	}
	m.take(b, b.Interval, -1)
	return b.clone().reservation(m.booked.add(b, m.bounds.Now)), nil
}

// RebookOffer books a reservation anew, under the same ID, in an offer as it is. Its own use counts as free.
// A running reservation keeps its Start, and o.Start is not read; it may gain tasks or give some up, and
// never swaps one for another. Errors are those of ReserveOffer, and bookahead.ErrNotFound; an error
// leaves the reservation as it was. O(v) for each node that it holds besides.
func (m *Machine) RebookOffer(id bookahead.ID, o Offer, each, head Vector) (Reservation, error) {
	old, ok := m.booked.get(id, m.bounds.Now)
	if !ok {
		return Reservation{}, bookahead.ErrNotFound
	}
	running := old.Start <= m.bounds.Now
	if running {
		o.Start = old.Start
	}
	b, err := m.offered(o, each, head)
	switch {
	case err != nil:
		return Reservation{}, err
	case b.End <= m.bounds.Now:
		return Reservation{}, limits.Invalid("Offer.End", b.End, fmt.Sprintf("is by now, %d", m.bounds.Now))
	case !running && b.Start < m.bounds.Now, b.End > m.bounds.End, running && swaps(old, b):
		return Reservation{}, bookahead.ErrUnavailable
	}
	lent := m.lend(old)
	ahead := m.bounds.Ahead(b.Interval)
	for k, v := range b.takes {
		s, mine := lent[k]
		if !mine {
			s = &m.index.nodes[k]
		}
		if !s.has(ahead, v) {
			return Reservation{}, bookahead.ErrUnavailable
		}
	}
	m.take(old, m.bounds.Ahead(old.Interval), 1)
	m.take(b, ahead, -1)
	m.booked.set(id, b, m.bounds.Now)
	return b.clone().reservation(id), nil
}

// offered returns the booking that an offer would be.
func (m *Machine) offered(o Offer, each, head Vector) (*booking, error) {
	if o.Empty() {
		return nil, limits.Invalid("Offer.Interval", o.Interval, "is empty")
	}
	r := Request{Ready: o.Start, Duration: bookahead.Duration(o.End - o.Start), Tasks: 1, Each: each, Head: head}
	err := m.check(r)
	if err != nil {
		return nil, err
	}
	switch {
	case len(o.Tasks) == 0:
		return nil, limits.Invalid("Offer.Tasks", len(o.Tasks), "are too few")
	case o.Head < -1 || o.Head >= len(m.given) || (o.Head >= 0) != (head != nil):
		return nil, limits.Invalid("Offer.Head", o.Head, "is no node, or has a vector alone, or none")
	}
	for i, s := range o.Tasks {
		field := fmt.Sprintf("Offer.Tasks[%d]", i)
		switch {
		case s.Node < 0 || s.Node >= len(m.given):
			return nil, limits.Invalid(field, s.Node, "is no node")
		case i > 0 && s.Node <= o.Tasks[i-1].Node:
			return nil, limits.Invalid(field, s.Node, "does not come after the node before it")
		case s.Tasks < 1:
			return nil, limits.Invalid(field, s.Tasks, "tasks are too few")
		}
		if !m.fitsEver(s, each) {
			return nil, bookahead.ErrUnavailable // and products of tasks and amounts would overflow
		}
	}
	b := &booking{o.Interval, o.Tasks, o.Head, each, head}
	return b.clone(), nil
}

// fitsEver reports whether a node has as much as some tasks take.
func (m *Machine) fitsEver(s Share, each Vector) bool {
	for r, amount := range each {
		if amount > 0 && s.Tasks > m.given[s.Node][r]/amount {
			return false
		}
	}
	return true
}

// has reports whether an amount of each resource is free throughout w. O(log v + s) for s of v steps.
func (s *steps) has(w bookahead.Interval, v Vector) bool {
	free := make(Vector, len(v))
	s.least(w, free)
	for r, amount := range v {
		if amount > 0 && free[r] < amount {
			return false
		}
	}
	return true
}

// swaps reports whether tasks move from a node to another.
func swaps(old, b *booking) bool {
	less, more := old.head != b.head && old.head >= 0 && b.head >= 0, false
	for _, s := range b.shares {
		more = more || s.Tasks > old.tasks(s.Node)
	}
	for _, s := range old.shares {
		less = less || s.Tasks > b.tasks(s.Node)
	}
	return less && more || old.head != b.head && old.head >= 0 && b.head >= 0
}
