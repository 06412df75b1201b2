package nodes

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// ReserveOffer books an offer as it is: the tasks on the nodes of o, from o.Start to o.End. A task and the head
// take the amounts that r says, and the reservation has the terms of r. Of these terms, ReserveOffer checks only
// that the tasks make whole bundles, and it does not read the times and the number of tasks of r. It is for carrying
// out a log of decisions: it does not search, and the search of another version might choose other nodes.
//
//	decided    [5, 9) 2 on 0, 1 on 3
//	booked     [5, 9) 2 on 0, 1 on 3      or ErrUnavailable, never another place
//
// The error is bookahead.ErrUnavailable if a node has no room or is closed, or if the offer begins before
// now or ends beyond the horizon; or wraps bookahead.ErrInvalid. O(log v + s) to check a node of v steps, s
// of which lie in the offer, and the costs of Reserve after its search.
func (m *Machine) ReserveOffer(o Offer, r Request) (Reservation, error) {
	b, err := m.offered(o, r)
	if err != nil {
		return Reservation{}, err
	}
	if o.Start < m.bounds.Now || o.End > m.bounds.End || !m.fits(b, nil) {
		return Reservation{}, bookahead.ErrUnavailable
	}
	m.take(b, b.Interval, -1)
	return m.reservation(m.booked.add(b, m.bounds.Now), b), nil
}

// RebookOffer replaces a reservation by an offer as it is, under the same ID and with the terms of r. The
// reservation's own use counts as free. A running reservation keeps its Start, and o.Start is not read; it may gain tasks or give
// tasks up, but no task moves to another node. The error is bookahead.ErrNotFound if the ID is not booked or
// its reservation has ended; otherwise errors are those of ReserveOffer. An error leaves the reservation as
// it was. Costs are those of ReserveOffer and Release, and O(v) for each node of the reservation.
func (m *Machine) RebookOffer(id bookahead.ID, o Offer, r Request) (Reservation, error) {
	old, ok := m.booked.get(id, m.bounds.Now)
	if !ok {
		return Reservation{}, bookahead.ErrNotFound
	}
	running := old.Start <= m.bounds.Now
	if running {
		o.Start = old.Start
	}
	b, err := m.offered(o, r)
	switch {
	case err != nil:
		return Reservation{}, err
	case b.End <= m.bounds.Now:
		return Reservation{}, limits.Invalid("Offer.End", b.End, fmt.Sprintf("is not after now, %d", m.bounds.Now))
	case !running && b.Start < m.bounds.Now, b.End > m.bounds.End, running && swaps(old, b), !m.fits(b, m.lend(old)):
		return Reservation{}, bookahead.ErrUnavailable
	}
	m.replace(id, old, b)
	return m.reservation(id, b), nil
}

// offered returns the booking of an offer, if it is valid. The booking shares no slice with the caller.
func (m *Machine) offered(o Offer, r Request) (*booking, error) {
	if o.Empty() {
		return nil, limits.Invalid("Offer.Interval", o.Interval, "is empty")
	}
	r.Ready, r.Deadline, r.Duration, r.Tasks, r.Patience = 0, 0, 1, max(1, r.Bundle), 0 // not read: no such value makes an offer invalid
	err := m.check(r)
	if err != nil {
		return nil, err
	}
	switch {
	case len(o.Tasks) == 0:
		return nil, limits.Invalid("Offer.Tasks", o.Tasks, "names no node")
	case o.Head < -1 || o.Head >= len(m.given):
		return nil, limits.Invalid("Offer.Head", o.Head, fmt.Sprintf("is neither -1 nor one of the %d nodes", len(m.given)))
	case o.Head >= 0 && r.Head == nil:
		return nil, limits.Invalid("Offer.Head", o.Head, "names a node, but the head has no vector")
	case o.Head < 0 && r.Head != nil:
		return nil, limits.Invalid("Offer.Head", o.Head, fmt.Sprintf("names no node, but the head has the vector %v", r.Head))
	}
	over := int64(0) // beyond whole bundles
	for i, s := range o.Tasks {
		field := fmt.Sprintf("Offer.Tasks[%d]", i)
		switch {
		case s.Node < 0 || s.Node >= len(m.given):
			return nil, limits.Invalid(field, s.Node, fmt.Sprintf("is not one of the %d nodes", len(m.given)))
		case i > 0 && s.Node <= o.Tasks[i-1].Node:
			return nil, limits.Invalid(field, s.Node, fmt.Sprintf("does not come after node %d", o.Tasks[i-1].Node))
		case s.Tasks < 1:
			return nil, limits.Invalid(field+".Tasks", s.Tasks, "is less than 1")
		case r.Bundle > 0:
			over = int64((uint64(over) + uint64(s.Tasks%r.Bundle)) % uint64(r.Bundle)) // the sum may be beyond an int64
		}
	}
	if over > 0 {
		return nil, limits.Invalid("Offer.Tasks", o.Tasks, fmt.Sprintf("are not whole bundles of %d", r.Bundle))
	}
	b := &booking{o.Interval, o.Tasks, o.Head, r.Each, r.Head, m.terms.pack(&r), r.Exclusive}
	return b.clone(), nil
}

// fits reports whether the nodes have room for a booking from now on. For a node that is lent, the lent steps
// count.
func (m *Machine) fits(b *booking, lent map[int]*steps) bool {
	if !m.holdsEver(b) {
		return false
	}
	ahead := m.bounds.Ahead(b.Interval)
	for k, v := range m.takes(b) {
		s, mine := lent[k]
		if !mine {
			s = &m.index.nodes[k]
		}
		if !s.has(ahead, v) {
			return false
		}
	}
	return true
}

// holdsEver reports whether the empty nodes have room for a booking. An exclusive booking takes as much as a node has, so
// that its free amounts alone do not say so.
func (m *Machine) holdsEver(b *booking) bool {
	for _, s := range b.shares {
		if !m.fitsEver(s, b) {
			return false
		}
	}
	return b.head < 0 || enough(m.given[b.head], b.headTakes)
}

// fitsEver reports whether the empty node has room for a share of a booking, and for the head if the head is
// on this node. It divides instead of multiplying, because the product may be more than an int64 holds:
//
//	given 8, the head takes 2, a task takes 2      3 tasks fit, and 1<<62 do not
func (m *Machine) fitsEver(s Share, b *booking) bool {
	for r, amount := range b.each {
		given := m.given[s.Node][r]
		if s.Node == b.head {
			given -= b.headTakes[r] // no overflow: neither is negative
		}
		if given < 0 || amount > 0 && s.Tasks > given/amount {
			return false
		}
	}
	return true
}

// has reports whether an amount of each resource is free throughout w. O(log v + s) for s of v steps.
func (s *steps) has(w bookahead.Interval, v Vector) bool {
	free := make(Vector, len(v))
	s.least(w, free)
	return enough(free, v)
}

// swaps reports whether a running reservation would move a task or its head from one node to another.
//
//	old    2 on 0, 1 on 1
//	new    1 on 0, 1 on 1      gives a task up
//	new    2 on 0, 3 on 1      gains two
//	new    1 on 0, 2 on 1      moves one: swaps
func swaps(old, b *booking) bool {
	if old.head >= 0 && b.head >= 0 && old.head != b.head {
		return true
	}
	less, more := false, false
	for _, s := range b.shares {
		more = more || s.Tasks > old.tasks(s.Node)
	}
	for _, s := range old.shares {
		less = less || s.Tasks > b.tasks(s.Node)
	}
	return less && more
}
