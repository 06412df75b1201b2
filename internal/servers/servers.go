// Package servers is the common part of all schedules that know their servers: the limits,
// the ledger of reservations, and the Schedule on top of them. A new structure needs only to
// be a Roster.
package servers

import (
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/ledger"
	"github.com/bookahead/bookahead/internal/limits"
)

// Max is the largest number of servers of a schedule.
const Max = 1 << 24

// Booking is a reservation as the ledger keeps it.
type Booking struct {
	bookahead.Interval
	Servers []int32 // ascending; not to be changed, as clones share it
}

// Span implements ledger.Entry.
func (b Booking) Span() bookahead.Interval { return b.Interval }

// reservation returns the booking as a reservation, whose servers are in a slice of its own.
func (b Booking) reservation(id bookahead.ID) bookahead.Reservation {
	o := bookahead.Offer{Interval: b.Interval, Units: int64(len(b.Servers)), Servers: convert[int](b.Servers)}
	return bookahead.Reservation{ID: id, Offer: o}
}

// Servers holds the limits of a schedule and its reservations.
type Servers struct {
	limits.Limits
	Booked ledger.Ledger[Booking]
	closed *closed // nil before the first closure
	where  *where  // the index; nil while it is off
}

// Open returns servers that hold reservations from the start, with IDs from 1. A reservation that
// runs at the origin may have begun before. Runs checks that no server is booked twice. The error
// wraps bookahead.ErrInvalid. O(n) for n servers of all reservations together.
func Open(capacity int64, origin bookahead.Time, horizon bookahead.Duration, booked []bookahead.Offer) (Servers, error) {
	l, err := limits.New(capacity, origin, horizon)
	if err == nil && capacity > Max {
		err = limits.Invalid("capacity", capacity, fmt.Sprintf("is more than the %d servers that fit", Max))
	}
	if err != nil {
		return Servers{}, err
	}
	l.Servers = int(capacity)
	s := Servers{Limits: l}
	for k, o := range booked {
		if err := s.CheckBooked(k, o); err != nil {
			return Servers{}, err
		}
		b := Booking{o.Interval, convert[int32](o.Servers)}
		slices.Sort(b.Servers)
		s.Booked.Add(b, s.Now)
	}
	return s, nil
}

// Reservation implements bookahead.Keeper. O(n) for n servers.
func (s *Servers) Reservation(id bookahead.ID) (bookahead.Reservation, error) {
	b, ok := s.Booked.Get(id, s.Now)
	if !ok {
		return bookahead.Reservation{}, bookahead.ErrNotFound
	}
	return b.reservation(id), nil
}

// Clone returns a copy. It costs as much as ledger.Clone.
func (s *Servers) Clone() Servers {
	return Servers{Limits: s.Limits, Booked: s.Booked.Clone(), closed: s.closed.clone(), where: s.where.clone()}
}

// OfferAt returns the offer of the given servers, which ascend, for r with the start t.
func OfferAt(t bookahead.Time, r bookahead.Request, servers []int) bookahead.Offer {
	return bookahead.Offer{Interval: Window(t, r), Units: r.Units, Servers: servers}
}

// Window returns the time that r takes up if it starts at t.
func Window(t bookahead.Time, r bookahead.Request) bookahead.Interval {
	return bookahead.Interval{Start: t, End: t + bookahead.Time(r.Duration)}
}

// convert returns a list of servers in another type.
func convert[To, From int | int32](list []From) []To {
	to := make([]To, len(list))
	for i, k := range list {
		to[i] = To(k)
	}
	return to
}
