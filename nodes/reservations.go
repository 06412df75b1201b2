package nodes

import (
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
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
