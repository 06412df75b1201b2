package pool

import "github.com/bookahead/bookahead"

// SearchFor implements bookahead.Keeper.
func (s *Schedule) SearchFor(id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	_, t, err := s.searchFor(id, r)
	if err != nil {
		return bookahead.Offer{}, err
	}
	return OfferAt(t, r), nil
}

// Rebook implements bookahead.Keeper.
func (s *Schedule) Rebook(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	old, t, err := s.searchFor(id, r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	o := OfferAt(t, r)
	s.Profile.Change(s.Ahead(old.Interval), old.Units)
	s.Profile.Change(s.Ahead(o.Interval), -o.Units)
	s.Booked.Set(id, Booking{o.Interval, o.Units})
	if s.lie != nil {
		s.lie.Remove(old.spanOf(id))
		s.lie.Add(Booking{o.Interval, o.Units}.spanOf(id))
	}
	return bookahead.Reservation{ID: id, Offer: o}, nil
}

// searchFor returns the booking of an ID, and the start that Rebook would give it.
func (s *Schedule) searchFor(id bookahead.ID, r bookahead.Request) (old Booking, t bookahead.Time, err error) {
	old, ok := s.Booked.Get(id, s.Now)
	if !ok {
		return old, 0, bookahead.ErrNotFound
	}
	first, last, err := s.StartsAnew(old.Interval, r)
	if err != nil {
		return old, 0, err
	}
	own := Booking{s.round(s.Ahead(old.Interval)), old.Units}
	d := bookahead.Time(r.Duration)
	if first == last {
		t, ok = first, s.fits(s.round(s.Ahead(bookahead.Interval{Start: first, End: first + d})), r.Units, own)
	} else {
		t, ok = s.earliest(first, last, d, r.Units, own)
	}
	if !ok {
		return old, 0, bookahead.ErrUnavailable
	}
	return old, t, nil
}

// fits reports whether n units are free throughout w, with the own units counted as free. On an
// overbooked stretch too the own units may be kept:
//
//	w      ├──────────────┤
//	own          ├────────────┤
//	       before   both
func (s *Schedule) fits(w bookahead.Interval, n int64, own Booking) bool {
	both := w.Intersect(own.Interval)
	if both.Empty() {
		return s.Profile.Least(w) >= n
	}
	before := bookahead.Interval{Start: w.Start, End: both.Start}
	after := bookahead.Interval{Start: both.End, End: w.End}
	return max(0, s.Profile.Least(both))+own.Units >= n &&
		(before.Empty() || s.Profile.Least(before) >= n) &&
		(after.Empty() || s.Profile.Least(after) >= n)
}

// earliest is Search with the own units counted as free. The own units matter only to starts from
// which a reservation overlaps them; the profile finds the other starts as usual.
//
//	own                     ├──────────┤
//	starts   ├─── before ──┤├── meet ──┤├── behind ──
//	                    ├─d─┤
func (s *Schedule) earliest(first, last, d bookahead.Time, n int64, own Booking) (bookahead.Time, bool) {
	before := min(last, own.Start-d)
	if first <= before {
		t, ok := s.Profile.Search(first, before, d, n)
		if ok {
			return t, true
		}
	}
	first = max(first, own.Start-d+1)
	t, ok := s.meeting(first, min(last, own.End-1), d, n, own)
	if ok {
		return t, true
	}
	first = max(first, own.End)
	if first > last {
		return 0, false
	}
	return s.Profile.Search(first, last, d, n)
}

// meeting is earliest for the starts from which a reservation overlaps its own units. It goes
// from step to step, and cuts each step at the edges of the own units.
func (s *Schedule) meeting(first, last, d bookahead.Time, n int64, own Booking) (bookahead.Time, bool) {
	t, from := first, first // the candidate, and the start of the part of a step that comes next
	for end, free := range s.Profile.Steps(first) {
		for from < end && t <= last {
			part, have := end, free
			switch {
			case from < own.Start:
				part = min(end, own.Start)
			case from < own.End:
				part = min(end, own.End)
				have = max(0, have) + own.Units
			}
			if have < n {
				t = part
			} else if part-t >= d {
				return t, true
			}
			from = part
		}
		if t > last {
			break
		}
	}
	return 0, false
}

// round returns the time that a reservation of w takes up.
func (s *Schedule) round(w bookahead.Interval) bookahead.Interval {
	if r, ok := s.Profile.(Rounder); ok {
		return r.Round(w)
	}
	return w
}
