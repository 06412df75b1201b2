package nodes

import (
	"cmp"
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/spans"
)

// Reservation returns the reservation of an ID. It is a query. The error is bookahead.ErrNotFound if
// the ID is not booked, or its reservation has ended. O(k) for the k nodes of the reservation.
func (m *Machine) Reservation(id bookahead.ID) (Reservation, error) {
	b, ok := m.booked.get(id, m.bounds.Now)
	if !ok {
		return Reservation{}, bookahead.ErrNotFound
	}
	return m.reservation(id, b), nil
}

// Reservations yields the reservations that overlap w and have not ended, by start, then by ID. It is a
// query. O(log n + k) for k of n reservations, and the nodes of each; see ReservationsOn.
func (m *Machine) Reservations(w bookahead.Interval) iter.Seq[Reservation] {
	return m.ReservationsOn(w, nil)
}

// ReservationsOn yields the reservations that overlap w, have not ended, and hold one of the nodes,
// by start, then by ID; nil nodes stand for all. No reservation holds a node that the machine does not
// have. It is a query. An index of times finds the k of n reservations that overlap w, and then the nodes
// of each are compared with the list: O(log n + k), and O(s log a) for a reservation of s nodes if the
// list has a nodes. To find a long reservation that began much earlier than w may take O(log n).
func (m *Machine) ReservationsOn(w bookahead.Interval, nodes []int) iter.Seq[Reservation] {
	return func(yield func(Reservation) bool) {
		named := slices.Clone(nodes) // nil stays nil
		slices.Sort(named)
		for id, b := range m.booked.overlapping(w, m.bounds.Now) {
			if b.on(named) && !yield(m.reservation(id, b.clone())) {
				return
			}
		}
	}
}

// Starting yields the reservations that start in w and have not ended, by start, then by ID. It is a query, with
// the costs of Reservations.
func (m *Machine) Starting(w bookahead.Interval) iter.Seq[Reservation] {
	return func(yield func(Reservation) bool) {
		for id, b := range m.booked.overlapping(w, m.bounds.Now) {
			if w.Contains(b.Start) && !yield(m.reservation(id, b.clone())) {
				return
			}
		}
	}
}

// Ending yields the reservations that end at a tick of w and have not ended by now, by end, then by ID. So it says
// whose nodes are given back in w. It is a query. O(log n + k log k) for k of n reservations that overlap w or end
// at its begin, and the nodes of each.
func (m *Machine) Ending(w bookahead.Interval) iter.Seq[Reservation] {
	return func(yield func(Reservation) bool) {
		if w.Empty() {
			return
		}
		reach := bookahead.Interval{Start: max(w.Start, 1) - 1, End: w.End} // its last tick may be the one before w
		var list []spans.Span
		for id, b := range m.booked.overlapping(reach, m.bounds.Now) {
			if w.Contains(b.End) {
				list = append(list, spans.Span{Interval: b.Interval, ID: id})
			}
		}
		slices.SortFunc(list, func(a, b spans.Span) int { return cmp.Or(cmp.Compare(a.End, b.End), cmp.Compare(a.ID, b.ID)) })
		for _, s := range list {
			b, _ := m.booked.get(s.ID, m.bounds.Now)
			if !yield(m.reservation(s.ID, b)) {
				return
			}
		}
	}
}
