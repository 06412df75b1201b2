package servers

import (
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
)

// Roster knows when each server is free. Schedules that know their servers differ only in how
// they keep a Roster. All times lie between now and the horizon, and all lists of servers ascend.
// A nil list of named servers names all. The caller may keep a list that is returned.
type Roster interface {
	// Search returns the first start for r among those from first to last, and the servers that r
	// takes there.
	Search(first, last bookahead.Time, r bookahead.Request) (bookahead.Time, []int, bool)
	// Pick returns the n of the named servers that Search would take for w, or fewer if no more
	// are free throughout w.
	Pick(w bookahead.Interval, n int, named []int) []int
	// Idle returns the longest part of w around t throughout which a server is free, or an empty
	// interval if the server is not free at t.
	Idle(server int, t bookahead.Time, w bookahead.Interval) bookahead.Interval
	// Blocks yields the blocks of free servers in w, by start.
	Blocks(w bookahead.Interval) iter.Seq[bookahead.Block]
	// Take books servers that are free throughout.
	Take(b Booking)
	// Give makes servers free that were booked throughout.
	Give(b Booking)
	// Forget drops the time that has passed.
	Forget(past bookahead.Interval)
}

// Booker is a Roster that finds and takes servers in one go.
type Booker interface {
	Roster
	// Book takes the servers that Search finds.
	Book(first, last bookahead.Time, r bookahead.Request) (bookahead.Time, []int, bool)
}

// Rounder is a Roster in which a reservation takes up more than its window.
type Rounder interface {
	Roster
	// Round returns the time that a reservation of w takes up.
	Round(w bookahead.Interval) bookahead.Interval
}

// Stepper is a Roster whose Search passes over starts at which r would fit.
type Stepper interface {
	Roster
	// Tried returns the first start from t on that a Search from first on would try. It
	// returns false if there is none.
	Tried(first, t bookahead.Time) (bookahead.Time, bool)
	// Stepless returns a Roster of the same servers that passes over none.
	Stepless() Roster
}

// Leaper is a Roster that finds the end of an opening without looking at each free server.
type Leaper interface {
	Roster
	// Until returns how long enough servers for r stay free from t on, but no later than limit. r
	// fits at t.
	Until(t bookahead.Time, r bookahead.Request, limit bookahead.Time) bookahead.Time
}

// Schedule is a schedule on a Roster: the part of a bookahead.Keeper that is the same for all
// structures that know their servers. It checks requests and keeps the reservations.
type Schedule struct {
	Servers
	Roster Roster
}

// Search implements bookahead.Schedule.
func (s *Schedule) Search(r bookahead.Request) (bookahead.Offer, error) {
	first, last, err := s.Starts(r)
	if err != nil {
		return bookahead.Offer{}, err
	}
	r.Servers = ascending(r.Servers)
	t, list, ok := s.Roster.Search(first, last, r)
	if !ok {
		return bookahead.Offer{}, bookahead.ErrUnavailable
	}
	return OfferAt(t, r, list), nil
}

// Reserve implements bookahead.Schedule.
func (s *Schedule) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	b, list, err := s.reserve(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	id := s.Booked.Add(b, s.Now)
	s.where.add(id, b, s.Now)
	return bookahead.Reservation{ID: id, Offer: OfferAt(b.Start, r, list)}, nil
}

// reserve finds servers, takes them off the Roster, and returns them twice: as a Booking for the
// ledger, and as a list for the caller.
func (s *Schedule) reserve(r bookahead.Request) (Booking, []int, error) {
	first, last, err := s.Starts(r)
	if err != nil {
		return Booking{}, nil, err
	}
	r.Servers = ascending(r.Servers)
	find := s.Roster.Search
	booker, books := s.Roster.(Booker)
	if books {
		find = booker.Book
	}
	t, list, ok := find(first, last, r)
	if !ok {
		return Booking{}, nil, bookahead.ErrUnavailable
	}
	b := Booking{Window(t, r), convert[int32](list)}
	if !books {
		s.Roster.Take(b)
	}
	return b, list, nil
}

// ascending returns servers in order.
func ascending(named []int) []int {
	if slices.IsSorted(named) {
		return named
	}
	return slices.Sorted(slices.Values(named))
}

// Release implements bookahead.Schedule.
func (s *Schedule) Release(id bookahead.ID) error {
	b, ok := s.Booked.Remove(id, s.Now)
	if !ok {
		return bookahead.ErrNotFound
	}
	s.where.remove(id, b)
	b.Interval = s.Ahead(b.Interval)
	s.give(b)
	return nil
}

// RangeQuery implements bookahead.Schedule.
func (s *Schedule) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	w, err := s.Window(w)
	if err != nil {
		return bookahead.Availability{}, err
	}
	a := bookahead.Availability{Servers: []int{}}
	if w.Empty() {
		return a, nil
	}
	a.Window = w
	list := s.Roster.Pick(w, s.Limits.Servers, nil)
	if list != nil {
		a.Servers, a.Free = list, int64(len(list))
	}
	return a, nil
}

// Blocks implements bookahead.Profiler.
func (s *Schedule) Blocks(w bookahead.Interval) iter.Seq[bookahead.Block] {
	return func(yield func(bookahead.Block) bool) {
		w, err := s.Window(w)
		if err == nil && !w.Empty() {
			s.Roster.Blocks(w)(yield)
		}
	}
}

// Advance implements bookahead.Schedule.
func (s *Schedule) Advance(now bookahead.Time) error {
	past := bookahead.Interval{Start: s.Now, End: now}
	if err := s.Servers.Advance(now); err != nil {
		return err
	}
	s.Roster.Forget(past)
	s.closed.advance(now)
	s.where.forget(now)
	return nil
}
