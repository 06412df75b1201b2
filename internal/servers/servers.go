// Package servers is what all schedules that know their servers have in
// common, whatever the structure: the limits, and the ledger of who holds which.
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

// Booking is what the ledger keeps of a reservation.
type Booking struct {
	bookahead.Interval
	Servers []int32 // ascending; not to be changed, as clones share it
}

// Span implements ledger.Entry.
func (b Booking) Span() bookahead.Interval { return b.Interval }

// Offer returns what is booked, in a slice of its own.
func (b Booking) Offer() bookahead.Offer {
	return bookahead.Offer{Interval: b.Interval, Units: int64(len(b.Servers)), Servers: convert[int](b.Servers)}
}

// Servers holds the limits of a schedule and its reservations.
type Servers struct {
	limits.Limits
	Booked ledger.Ledger[Booking]
}

// New returns limits for so many servers, of which none is booked. Its arguments
// are those of limits.New.
func New(capacity int64, origin bookahead.Time, horizon bookahead.Duration) (Servers, error) {
	l, err := limits.New(capacity, origin, horizon)
	if err == nil && capacity > Max {
		err = limits.Invalid("capacity", capacity, fmt.Sprintf("is more than the %d servers that fit", Max))
	}
	return Servers{Limits: l}, err
}

// Starts checks a request, as limits.StartsOnServers does.
func (s *Servers) Starts(r bookahead.Request) (first, last bookahead.Time, err error) {
	return s.StartsOnServers(r)
}

// Enter books an offer whose servers the structure has taken.
func (s *Servers) Enter(o bookahead.Offer) bookahead.Reservation {
	id := s.Booked.Add(Booking{o.Interval, convert[int32](o.Servers)}, s.Now)
	return bookahead.Reservation{ID: id, Offer: o}
}

// Strike takes a reservation out, and returns it. What the structure must give
// back is the rest of it, from now on. The error is ErrNotFound.
func (s *Servers) Strike(id bookahead.ID) (Booking, error) {
	b, ok := s.Booked.Remove(id, s.Now)
	if !ok {
		return b, bookahead.ErrNotFound
	}
	return b, nil
}

// convert returns a list of servers in another type.
func convert[To, From int | int32](list []From) []To {
	to := make([]To, len(list))
	for i, k := range list {
		to[i] = To(k)
	}
	return to
}

// Clone returns a copy. It costs what ledger.Clone does.
func (s *Servers) Clone() Servers { return Servers{Limits: s.Limits, Booked: s.Booked.Clone()} }

// OfferAt returns the offer of those servers, in any order, for r that starts at
// t. It sorts them.
func OfferAt(t bookahead.Time, r bookahead.Request, servers []int) bookahead.Offer {
	slices.Sort(servers)
	w := bookahead.Interval{Start: t, End: t + bookahead.Time(r.Duration)}
	return bookahead.Offer{Interval: w, Units: r.Units, Servers: servers}
}

// Available returns what is free if those servers are, in ascending order.
func Available(list []int) bookahead.Availability {
	if list == nil {
		list = []int{} // nil would say that the schedule knows no servers
	}
	return bookahead.Availability{Free: int64(len(list)), Servers: list}
}
