package nodes

import (
	"math"

	"github.com/bookahead/bookahead"
)

// SearchFor returns the offer that Rebook would book, and books nothing. It is a query. Errors are those
// of Rebook. Costs are those of Search, and O(v) for the v steps of each node that it holds; zones are of
// no use to it, and it looks at all nodes that have room at the start.
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
// A reservation that has not begun is placed as Reserve would place r: at the earliest start. There
// it keeps the tasks and the head where they are as far as it can, and the policy decides on the
// others.
//
// A reservation that is running keeps its Start: r.Ready is not read, and r.Duration counts from the
// Start. It is invalid if the reservation would end by now. It may gain tasks, or give some up, but
// it never swaps one for another; nor does the head move. Where one would have to, the error is
// bookahead.ErrUnavailable.
//
// A Rebook that only gives back always succeeds: a fixed one inside the reservation's own interval,
// for no more tasks of no larger a vector, with no node ruled out. The reservation may also keep
// what it has on a closed node. The error is bookahead.ErrNotFound if the ID is not booked, or its
// reservation has ended; bookahead.ErrUnavailable; or wraps bookahead.ErrInvalid. Costs are those of
// SearchFor, of Release, and what Reserve takes to book a place.
func (m *Machine) Rebook(id bookahead.ID, r Request) (Reservation, error) {
	old, to, err := m.plan(id, r)
	if err != nil {
		return Reservation{}, err
	}
	m.take(old, m.bounds.Ahead(old.Interval), 1)
	m.take(to, m.bounds.Ahead(to.Interval), -1)
	m.booked.set(id, to, m.bounds.Now)
	return to.reservation(id), nil
}

// plan returns the booking of an ID as it is, and as Rebook makes it.
func (m *Machine) plan(id bookahead.ID, r Request) (old, to *booking, err error) {
	old, ok := m.booked.get(id, m.bounds.Now)
	if !ok {
		return nil, nil, bookahead.ErrNotFound
	}
	running := old.Start <= m.bounds.Now
	if running {
		r.Ready = math.MinInt64 // is not read: so every Deadline is at most too early
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
		return nil, nil, err
	}
	q.old, q.running = old, running
	q.borrow(m.lend(old))
	if running {
		s.at(m.bounds.Ahead(bookahead.Interval{Start: t, End: t + q.d}))
	} else {
		t, ok = s.seek(t, last, false)
		if !ok {
			return nil, nil, bookahead.ErrUnavailable
		}
	}
	to, err = m.place(s, t)
	return old, to, err
}

// lend returns what is free on the nodes of a booking besides its own use. On a node that is closed
// it is the own use, and no more.
//
//	free     8    -3    5          own use: 3, for the time of the first two
//	lent    11     3    5
func (m *Machine) lend(b *booking) map[int]*steps {
	lent := map[int]*steps{}
	w := m.bounds.Ahead(b.Interval)
	for k, v := range b.takes {
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
