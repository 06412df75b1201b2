package nodes

import (
	"math"

	"github.com/bookahead/bookahead"
)

// SearchFor returns the offer that Rebook would book, and books nothing. It is a query. Errors are those
// of Rebook. Costs are those of Search without the help of zones, O(v) for the v steps of each node that
// the reservation holds, and a look at all nodes that have room at the start.
func (m *Machine) SearchFor(id bookahead.ID, r Request) (Offer, error) {
	_, to, err := m.plan(id, r)
	if err != nil {
		return Offer{}, err
	}
	return to.offer(), nil
}

// Rebook books a reservation anew under the same ID. Its own use counts as free, and is given back.
// An error leaves it as it was.
//
// A reservation that has not begun is placed as Reserve would place r: at the earliest start, or in one group by the
// Patience of r. At this start, as many tasks as possible and the head stay on their nodes, and the policy places the
// others.
//
// A running reservation keeps its Start: r.Ready is not read, and r.Duration counts from the Start. The
// request is invalid if the reservation would end by now. A running reservation may gain tasks or give
// tasks up, but no task and no head moves to another node. If one would have to move, the error is
// bookahead.ErrUnavailable.
//
// The reservation has the terms of r from now on. A Rebook that only gives back always succeeds: its time is fixed and lies inside the reservation's own
// interval, it asks for no more tasks and no larger vectors, and it rules out no node. The reservation
// may also keep its amounts on a closed node. The error is bookahead.ErrNotFound if the ID is not booked
// or its reservation has ended; for a reservation that has not begun, an error of Search; or
// bookahead.ErrUnavailable; or wraps bookahead.ErrInvalid. Costs are those
// of SearchFor and Release, and the cost of Reserve after its search.
func (m *Machine) Rebook(id bookahead.ID, r Request) (Reservation, error) {
	old, to, err := m.plan(id, r)
	if err != nil {
		return Reservation{}, err
	}
	to.terms = m.terms.pack(&r)
	m.take(old, m.bounds.Ahead(old.Interval), 1)
	m.take(to, m.bounds.Ahead(to.Interval), -1)
	m.booked.set(id, to, m.bounds.Now)
	return m.reservation(id, to), nil
}

// plan returns the booking of an ID as it is, and as Rebook makes it.
func (m *Machine) plan(id bookahead.ID, r Request) (old, to *booking, err error) {
	old, ok := m.booked.get(id, m.bounds.Now)
	if !ok {
		return nil, nil, bookahead.ErrNotFound
	}
	running := old.Start <= m.bounds.Now
	if running {
		r.Ready = math.MinInt64 // Ready is not read: no Ready makes a Deadline invalid
	}
	s := m.index.begin()
	defer s.done()
	q := &s.query
	err = m.ask(r, q)
	if err != nil {
		return nil, nil, err
	}
	t, last, err := m.bounds.StartsAnew(old.Interval, r.times())
	if err != nil {
		if !running && err == bookahead.ErrUnavailable {
			err = m.why(q, r)
		}
		return nil, nil, err
	}
	q.old, q.running = old, running
	q.borrow(m.lend(old))
	if running {
		s.at(m.bounds.Ahead(bookahead.Interval{Start: t, End: t + q.d}))
	} else {
		t, ok = s.seek(t, last, false)
		if !ok {
			return nil, nil, m.why(q, r)
		}
		to, err = m.settle(s, r, t, last)
		return old, to, err
	}
	to, err = s.place(m.policy, t)
	return old, to, err
}

// lend returns copies of the steps of a booking's nodes on which its own use counts as free. While a node
// is closed and held, its free amount is negative; then the booking's own use is free, and no more.
//
//	time     0     10    20         the booking holds 3 of the node in [0, 20), and the node is
//	free     8     -3     5         closed in [10, 20)
//	lent    11      3     5
func (m *Machine) lend(b *booking) map[int]*steps {
	lent := map[int]*steps{}
	w := m.bounds.Ahead(b.Interval)
	for k, v := range m.takes(b) {
		s := m.index.nodes[k].clone()
		i, end, _, _ := s.split(w)
		for ; i < end; i++ {
			for r, own := range v {
				free := s.amountAt(i, r)
				s.set(i, r, max(0, free)+own)
			}
		}
		lent[k] = &s
	}
	return lent
}
