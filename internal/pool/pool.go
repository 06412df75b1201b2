// Package pool is the common part of all pools: the limits, the ledger of reservations, and
// the Schedule on top of them. A new pool needs only to be a Profile.
package pool

import (
	"iter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/ledger"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/spans"
)

// Booking is a reservation as the ledger keeps it.
type Booking struct {
	bookahead.Interval
	Units int64
}

// Span implements ledger.Entry.
func (b Booking) Span() bookahead.Interval { return b.Interval }

// Pool holds the limits of a pool and its reservations. Limits.Capacity is the most units of any
// time, with all extensions so far.
type Pool struct {
	limits.Limits
	Booked ledger.Ledger[Booking]
	closed *closed      // nil until the first closure or extension
	lie    *spans.Index // the index of where the reservations lie; nil while it is off
}

// New returns a pool without reservations. Its arguments are those of limits.New.
func New(capacity int64, origin bookahead.Time, horizon bookahead.Duration) (Pool, error) {
	l, err := limits.New(capacity, origin, horizon)
	return Pool{Limits: l}, err
}

// Enter books an offer that the structure has taken off its profile.
func (p *Pool) Enter(o bookahead.Offer) bookahead.Reservation {
	return bookahead.Reservation{ID: p.enter(Booking{o.Interval, o.Units}), Offer: o}
}

// enter books b, which the structure has taken off its profile, under the next ID.
func (p *Pool) enter(b Booking) bookahead.ID {
	id := p.Booked.Add(b, p.Now)
	if p.lie != nil {
		p.lie.Add(b.spanOf(id))
	}
	return id
}

// Strike takes a reservation out, and returns the part of it from now on, which the structure
// must add to its profile. The error is ErrNotFound.
func (p *Pool) Strike(id bookahead.ID) (Booking, error) {
	b, ok := p.Booked.Remove(id, p.Now)
	if !ok {
		return b, bookahead.ErrNotFound
	}
	if p.lie != nil {
		p.lie.Remove(b.spanOf(id))
	}
	b.Start = max(b.Start, p.Now)
	return b, nil
}

// Bookings yields all reservations, in the order of IDs.
func (p *Pool) Bookings() iter.Seq[Booking] {
	return func(yield func(Booking) bool) {
		for _, b := range p.Booked.All(p.Now) {
			if !yield(b) {
				return
			}
		}
	}
}

// Reservation implements bookahead.Keeper. O(1).
func (p *Pool) Reservation(id bookahead.ID) (bookahead.Reservation, error) {
	b, ok := p.Booked.Get(id, p.Now)
	if !ok {
		return bookahead.Reservation{}, bookahead.ErrNotFound
	}
	return b.reservation(id), nil
}

func (b Booking) reservation(id bookahead.ID) bookahead.Reservation {
	return bookahead.Reservation{ID: id, Offer: bookahead.Offer{Interval: b.Interval, Units: b.Units}}
}

// Clone returns a copy. It costs as much as ledger.Clone, and O(c) for c closures.
func (p *Pool) Clone() Pool {
	c := Pool{Limits: p.Limits, Booked: p.Booked.Clone()}
	if p.closed != nil {
		c.closed = p.closed.clone()
	}
	if p.lie != nil {
		lie := p.lie.Clone()
		c.lie = &lie
	}
	return c
}

// OfferAt returns the offer for r with the start t.
func OfferAt(t bookahead.Time, r bookahead.Request) bookahead.Offer {
	w := bookahead.Interval{Start: t, End: t + bookahead.Time(r.Duration)}
	return bookahead.Offer{Interval: w, Units: r.Units}
}
