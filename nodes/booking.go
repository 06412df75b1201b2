package nodes

import (
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
)

// booking is what the ledger keeps of a reservation. It is never changed.
type booking struct {
	bookahead.Interval
	shares    []Share // by node, none empty
	head      int     // -1: none
	each      Vector
	headTakes Vector
}

// Span implements ledger.Entry.
func (b *booking) Span() bookahead.Interval { return b.Interval }

// takes yields each node of a booking, and what it takes of that. The vector is the same each time.
func (b *booking) takes(yield func(int, Vector) bool) {
	v := make(Vector, len(b.each))
	seen := b.head < 0
	for _, s := range b.shares {
		for r, amount := range b.each {
			v[r] = s.Tasks * amount
		}
		if s.Node == b.head {
			seen = true
			for r, amount := range b.headTakes {
				v[r] += amount
			}
		}
		if !yield(s.Node, v) {
			return
		}
	}
	if !seen {
		yield(b.head, b.headTakes)
	}
}

// on reports whether a booking holds one of the nodes; nil stands for all.
func (b *booking) on(nodes []int) bool {
	return nodes == nil || slices.ContainsFunc(nodes, func(k int) bool { return k == b.head && k >= 0 || b.tasks(k) > 0 })
}

// tasks returns how many tasks a booking has on a node. O(log n).
func (b *booking) tasks(k int) int64 {
	i, ok := slices.BinarySearchFunc(b.shares, k, func(s Share, k int) int { return s.Node - k })
	if !ok {
		return 0
	}
	return b.shares[i].Tasks
}

func (b *booking) offer() Offer {
	return Offer{Interval: b.Interval, Tasks: slices.Clone(b.shares), Head: b.head}
}

func (b *booking) reservation(id bookahead.ID) Reservation {
	return Reservation{ID: id, Offer: b.offer(), Each: slices.Clone(b.each), HeadTakes: slices.Clone(b.headTakes)}
}

// Reservation returns the reservation of an ID. It is a query. The error is bookahead.ErrNotFound if
// the ID is not booked, or its reservation has ended. O(k) for k nodes that it holds.
func (m *Machine) Reservation(id bookahead.ID) (Reservation, error) {
	b, ok := m.booked.Get(id, m.bounds.Now)
	if !ok {
		return Reservation{}, bookahead.ErrNotFound
	}
	return b.reservation(id), nil
}

// Reservations yields those that overlap w and have not ended, by start, then by ID. It is a query.
// O(n + k log k) for k of n reservations.
func (m *Machine) Reservations(w bookahead.Interval) iter.Seq[Reservation] {
	return m.ReservationsOn(w, nil)
}

// ReservationsOn yields the reservations that overlap w, have not ended, and hold one of the nodes,
// by start, then by ID; nil nodes stand for all. Nodes that the machine has not hold nothing. It is
// a query. It scans all n reservations: O(n + k log k) for k of them, and O(log s) for each of the
// nodes, of a reservation that holds s.
func (m *Machine) ReservationsOn(w bookahead.Interval, nodes []int) iter.Seq[Reservation] {
	return func(yield func(Reservation) bool) {
		for id, b := range m.booked.Where(m.bounds.Now, func(b *booking) bool { return b.Overlaps(w) && b.on(nodes) }) {
			if !yield(b.reservation(id)) {
				return
			}
		}
	}
}
