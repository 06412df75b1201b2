package nodes

import (
	"fmt"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
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
// A running reservation keeps its Start: r.Ready and r.Patience are not read, and r.Duration counts from the Start. The
// request is invalid if the reservation would end by now. A running reservation may gain tasks or give
// tasks up, but no task and no head moves to another node. If one would have to move, the error is
// bookahead.ErrUnavailable.
//
// The reservation has the terms of r from now on. A Rebook that only gives back always succeeds: its time is fixed and
// lies inside the reservation's own interval, it asks for no more tasks and no larger vectors, it rules out no node, it
// is not Exclusive unless the reservation is, and if it has bundles, the tasks lie in whole ones already. The
// reservation may also keep its amounts on a closed node.
//
// The error is bookahead.ErrNotFound if the ID is not booked or its reservation has ended; for a reservation that has
// not begun, an error of Search; or bookahead.ErrUnavailable; or wraps bookahead.ErrInvalid. Costs are those of
// SearchFor and Release, and the cost of Reserve after its search.
func (m *Machine) Rebook(id bookahead.ID, r Request) (Reservation, error) {
	old, to, err := m.plan(id, r)
	if err != nil {
		return Reservation{}, err
	}
	to.terms = m.terms.pack(&r)
	m.replace(id, old, to)
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
		r.Ready, r.Patience = math.MinInt64, 0 // not read: no Ready makes a Deadline invalid
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
		to, err = s.place(m.policy, t)
		return old, to, err
	}
	t, ok = s.seek(t, last, false)
	if !ok {
		return nil, nil, m.why(q, r)
	}
	to, err = m.settle(s, r, t, last)
	return old, to, err
}

// Swap moves the tasks of a reservation off one of its nodes, from now on or from its Start, until its End. It is for a
// gang that runs while one of its nodes fails: the other tasks and the head stay on their nodes, and those of the node
// lie anew on the terms of the reservation, such as its group for Within or the groups of its bundles, and not on the node
// itself:
//
//	3 tasks in one rack     1 on 0, 1 on 1, 1 on 2
//	node 1 fails            1 on 0, 1 on 2, 1 on 3
//
// The reservation keeps its ID, its time and its terms. A running one names its new nodes also for the ticks before now,
// which a machine forgets. Other tasks keep their amounts on a closed node; an Exclusive reservation has all of such a
// node, and may get more tasks there.
//
// The error is bookahead.ErrNotFound if the ID is not booked or its reservation has ended; wraps bookahead.ErrInvalid
// if no task and no head of it lies on the node; and is bookahead.ErrUnavailable if other nodes have no room, or if a
// task that stays lies where the terms do not allow it (ReserveOffer). An error leaves the reservation as it was. Costs
// are those of a Rebook of a running reservation.
func (m *Machine) Swap(id bookahead.ID, node int) (Reservation, error) {
	old, ok := m.booked.get(id, m.bounds.Now)
	if !ok {
		return Reservation{}, bookahead.ErrNotFound
	}
	if !old.on([]int{node}) {
		return Reservation{}, limits.Invalid("node", node, fmt.Sprintf("has no task of reservation #%d", id))
	}
	gone := []int{node}
	to, err := m.swapped(old, old.without(gone), gone)
	if err != nil {
		return Reservation{}, err
	}
	m.replace(id, old, to)
	return m.reservation(id, to), nil
}

// swapped returns the booking that has nothing on some nodes, and whose rest stays where it is. The rest is booked, by
// itself or with all of the booking.
func (m *Machine) swapped(old, rest *booking, gone []int) (*booking, error) {
	r := m.reservation(0, old.clone()).Again(old.Start)
	r.Except = slices.Concat(r.Except, gone)
	slices.Sort(r.Except)
	r.Except = slices.Compact(r.Except)
	s := m.index.begin()
	defer s.done()
	err := m.ask(r, &s.query)
	if err != nil {
		return nil, err
	}
	s.old, s.running = rest, true
	s.borrow(m.lend(rest))
	s.at(m.bounds.Ahead(old.Interval))
	to, err := s.place(m.policy, old.Start)
	if err != nil {
		return nil, err
	}
	to.terms = old.terms
	return to, nil
}

// replace books a reservation in another way.
func (m *Machine) replace(id bookahead.ID, old, to *booking) {
	m.take(old, m.bounds.Ahead(old.Interval), 1)
	m.take(to, m.bounds.Ahead(to.Interval), -1)
	m.booked.set(id, to, m.bounds.Now)
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
