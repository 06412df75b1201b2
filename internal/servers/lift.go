package servers

import (
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Overbooks implements bookahead.Displacer. O(n log k) for n servers, with k held stretches each.
func (s *Schedule) Overbooks(id bookahead.ID) bool {
	b, ok := s.Booked.Get(id, s.Now)
	if !ok || s.closed == nil {
		return false
	}
	w := s.Ahead(b.Interval)
	return slices.ContainsFunc(b.Servers, func(k int32) bool { return s.closed.lanes[k].held.meets(w) })
}

// Lift implements bookahead.Displacer. Both Lift and the way back cost as much as a Release.
func (s *Schedule) Lift(id bookahead.ID) (back func() error, err error) {
	b, ok := s.Booked.Remove(id, s.Now)
	if !ok {
		return nil, bookahead.ErrNotFound
	}
	s.where.remove(id, b)
	s.give(Booking{s.Ahead(b.Interval), b.Servers})
	return func() error { return s.putBack(id, b) }, nil
}

// putBack books a lifted reservation where it was.
func (s *Schedule) putBack(id bookahead.ID, b Booking) error {
	w := s.Ahead(b.Interval)
	_, again := s.Booked.Get(id, s.Now)
	if again || w.Empty() {
		return bookahead.ErrUnavailable
	}
	for _, k := range b.Servers {
		if s.Roster.Idle(int(k), w.Start, w) != w {
			return bookahead.ErrUnavailable
		}
	}
	s.Roster.Take(Booking{w, b.Servers})
	s.restore(id, b)
	return nil
}

// ReserveAs implements bookahead.Displacer. The error also wraps bookahead.ErrInvalid if the ID
// was not given, or is booked.
func (s *Schedule) ReserveAs(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	_, live := s.Booked.Get(id, s.Now)
	if live || !s.Booked.Given(id) {
		return bookahead.Reservation{}, limits.Invalid("id", fmt.Sprintf("#%d", id), "is not that of a reservation that was lifted")
	}
	b, list, err := s.reserve(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	s.restore(id, b)
	return bookahead.Reservation{ID: id, Offer: OfferAt(b.Start, r, list)}, nil
}

// restore enters a booking under an ID that was given before.
func (s *Servers) restore(id bookahead.ID, b Booking) {
	s.Booked.Restore(id, b)
	s.where.add(id, b, s.Now)
}
