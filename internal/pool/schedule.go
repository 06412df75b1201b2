package pool

import "github.com/bookahead/bookahead"

// Profile is a step function: the free units over time. Pools differ in how they keep it,
// and in nothing else. All times lie between now and the horizon.
type Profile interface {
	// Search returns the first start from which n units are free for d ticks. It looks
	// at the starts from first to last.
	Search(first, last, d bookahead.Time, n int64) (bookahead.Time, bool)
	// Book takes the place that Search finds off the free units.
	Book(first, last, d bookahead.Time, n int64) (bookahead.Time, bool)
	// Change adds to the free units throughout w.
	Change(w bookahead.Interval, delta int64)
	// Least returns the fewest free units in w.
	Least(w bookahead.Interval) int64
	// Forget drops the time before now.
	Forget(now bookahead.Time)
}

// Rounder is a Profile in which a reservation takes up more than its window.
type Rounder interface {
	Profile
	// Round returns the time that a reservation of w takes up.
	Round(w bookahead.Interval) bookahead.Interval
}

// Schedule is a pool on a profile: the part of a bookahead.Schedule that is the same for
// all pools. It checks requests and keeps the reservations.
type Schedule struct {
	Pool
	Profile Profile
}

// Search does what bookahead.Schedule says. It does not allocate.
func (s *Schedule) Search(r bookahead.Request) (bookahead.Offer, error) {
	first, last, err := s.Starts(r)
	if err != nil {
		return bookahead.Offer{}, err
	}
	t, ok := s.Profile.Search(first, last, bookahead.Time(r.Duration), r.Units)
	if !ok {
		return bookahead.Offer{}, bookahead.ErrUnavailable
	}
	return OfferAt(t, r), nil
}

// Reserve does what bookahead.Schedule says.
func (s *Schedule) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	first, last, err := s.Starts(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	t, ok := s.Profile.Book(first, last, bookahead.Time(r.Duration), r.Units)
	if !ok {
		return bookahead.Reservation{}, bookahead.ErrUnavailable
	}
	return s.Enter(OfferAt(t, r)), nil
}

// Release does what bookahead.Schedule says.
func (s *Schedule) Release(id bookahead.ID) error {
	b, err := s.Strike(id)
	if err != nil {
		return err
	}
	s.Profile.Change(b.Interval, b.Units)
	return nil
}

// RangeQuery does what bookahead.Schedule says.
func (s *Schedule) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	w, err := s.Window(w)
	if err != nil || w.Empty() {
		return bookahead.Availability{}, err
	}
	return bookahead.Availability{Free: s.Profile.Least(w)}, nil
}

// Resize does what bookahead.Resizer says.
func (s *Schedule) Resize(id bookahead.ID, to bookahead.Interval, units int64) (bookahead.Reservation, error) {
	if err := s.CheckResize(to, units); err != nil {
		return bookahead.Reservation{}, err
	}
	old, ok := s.Booked.Get(id, s.Now)
	if !ok {
		return bookahead.Reservation{}, bookahead.ErrNotFound
	}
	held, now := s.round(s.Ahead(old.Interval)), s.round(s.Ahead(to))
	if to.End > s.End || !s.fits(now, units, held, old.Units) {
		return bookahead.Reservation{}, bookahead.ErrUnavailable
	}
	s.Profile.Change(held, old.Units)
	s.Profile.Change(now, -units)
	booked := s.Resized(old.Interval, to)
	s.Booked.Set(id, Booking{booked, units})
	return bookahead.Reservation{ID: id, Offer: bookahead.Offer{Interval: booked, Units: units}}, nil
}

// fits reports whether so many units are free throughout w, where those that are held
// count as free too.
//
//	w      ├──────────────┤
//	held         ├────────────┤
//	       before   both
func (s *Schedule) fits(w bookahead.Interval, units int64, held bookahead.Interval, own int64) bool {
	both := w.Intersect(held)
	if both.Empty() {
		return s.Profile.Least(w) >= units
	}
	before := bookahead.Interval{Start: w.Start, End: both.Start}
	after := bookahead.Interval{Start: both.End, End: w.End}
	return s.Profile.Least(both)+own >= units &&
		(before.Empty() || s.Profile.Least(before) >= units) &&
		(after.Empty() || s.Profile.Least(after) >= units)
}

// round returns the time that a reservation of w takes up.
func (s *Schedule) round(w bookahead.Interval) bookahead.Interval {
	if r, ok := s.Profile.(Rounder); ok {
		return r.Round(w)
	}
	return w
}

// Advance does what bookahead.Schedule says.
func (s *Schedule) Advance(now bookahead.Time) error {
	if err := s.Pool.Advance(now); err != nil {
		return err
	}
	s.Profile.Forget(now)
	return nil
}
