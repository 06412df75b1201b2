package pool

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Overbooks implements bookahead.Displacer. It takes as long as the first stretch of Overbooked.
func (s *Schedule) Overbooks(id bookahead.ID) bool {
	b, _ := s.Booked.Get(id, s.Now)
	for range s.Overbooked(b.Interval) {
		return true
	}
	return false
}

// Lift implements bookahead.Displacer. It takes a Release, and the way back a Least and a Change.
func (s *Schedule) Lift(id bookahead.ID) (back func() error, err error) {
	whole, ok := s.Booked.Get(id, s.Now)
	if !ok {
		return nil, bookahead.ErrNotFound
	}
	err = s.Release(id)
	if err != nil {
		return nil, err
	}
	return func() error {
		w := s.Ahead(whole.Interval)
		_, again := s.Booked.Get(id, s.Now)
		if again || w.Empty() || s.Profile.Least(w) < whole.Units {
			return bookahead.ErrUnavailable
		}
		s.Profile.Change(w, -whole.Units)
		s.restore(id, whole)
		return nil
	}, nil
}

// ReserveAs implements bookahead.Displacer. It takes a Reserve. The error also wraps
// bookahead.ErrInvalid if the ID was not given, or is booked.
func (s *Schedule) ReserveAs(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	_, live := s.Booked.Get(id, s.Now)
	if live || !s.Booked.Given(id) {
		return bookahead.Reservation{}, limits.Invalid("id", id, "is not that of a reservation that was lifted")
	}
	o, err := s.Search(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	s.Profile.Change(o.Interval, -o.Units)
	s.restore(id, Booking{o.Interval, o.Units})
	return bookahead.Reservation{ID: id, Offer: o}, nil
}

// restore enters a booking under the ID of a reservation that was taken out.
func (p *Pool) restore(id bookahead.ID, b Booking) {
	p.Booked.Restore(id, b)
	if p.lie != nil {
		p.lie.Add(b.spanOf(id))
	}
}
