// Package pool is what all pools have in common, whatever the structure of
// their profile: the limits, and the ledger of what is booked.
package pool

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/ledger"
	"github.com/bookahead/bookahead/internal/limits"
)

// Booking is what the ledger keeps of a reservation.
type Booking struct {
	bookahead.Interval
	Units int64
}

// Span implements ledger.Entry.
func (b Booking) Span() bookahead.Interval { return b.Interval }

// Pool holds the limits of a pool and its reservations.
type Pool struct {
	limits.Limits
	Booked ledger.Ledger[Booking]
}

// New returns an empty pool. Its arguments are those of limits.New.
func New(capacity int64, origin bookahead.Time, horizon bookahead.Duration) (Pool, error) {
	l, err := limits.New(capacity, origin, horizon)
	return Pool{Limits: l}, err
}

// Enter books an offer that the structure has taken off its profile.
func (p *Pool) Enter(o bookahead.Offer) bookahead.Reservation {
	id := p.Booked.Add(Booking{o.Interval, o.Units}, p.Now)
	return bookahead.Reservation{ID: id, Offer: o}
}

// Strike takes a reservation out, and returns what the structure must add to
// its profile: the rest of it, from now on. The error is ErrNotFound.
func (p *Pool) Strike(id bookahead.ID) (Booking, error) {
	b, ok := p.Booked.Remove(id, p.Now)
	if !ok {
		return b, bookahead.ErrNotFound
	}
	b.Start = max(b.Start, p.Now)
	return b, nil
}

// Clone returns a copy. It costs what ledger.Clone does.
func (p *Pool) Clone() Pool { return Pool{Limits: p.Limits, Booked: p.Booked.Clone()} }

// OfferAt returns the offer for r that starts at t.
func OfferAt(t bookahead.Time, r bookahead.Request) bookahead.Offer {
	w := bookahead.Interval{Start: t, End: t + bookahead.Time(r.Duration)}
	return bookahead.Offer{Interval: w, Units: r.Units}
}
