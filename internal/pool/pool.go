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

// Resize does what bookahead.Resizer says. The structure tells the least that is
// free in a window, and adds to what is free in one.
func (p *Pool) Resize(
	id bookahead.ID, to bookahead.Interval, units int64,
	least func(bookahead.Interval) int64, add func(w bookahead.Interval, delta int64),
) (bookahead.Reservation, error) {
	exact := func(w bookahead.Interval) bookahead.Interval { return w }
	return p.ResizeRounded(id, to, units, exact, least, add)
}

// ResizeRounded is Resize for a structure in which a reservation takes up what
// round makes of its window.
func (p *Pool) ResizeRounded(
	id bookahead.ID, to bookahead.Interval, units int64, round func(bookahead.Interval) bookahead.Interval,
	least func(bookahead.Interval) int64, add func(w bookahead.Interval, delta int64),
) (bookahead.Reservation, error) {
	if err := p.CheckResize(to, units); err != nil {
		return bookahead.Reservation{}, err
	}
	old, ok := p.Booked.Get(id, p.Now)
	if !ok {
		return bookahead.Reservation{}, bookahead.ErrNotFound
	}
	if to.End > p.End {
		return bookahead.Reservation{}, bookahead.ErrUnavailable
	}
	held, now := round(p.Ahead(old.Interval)), round(p.Ahead(to))
	if both := now.Intersect(held); both.Empty() {
		if least(now) < units {
			return bookahead.Reservation{}, bookahead.ErrUnavailable
		}
	} else {
		before := bookahead.Interval{Start: now.Start, End: both.Start}
		after := bookahead.Interval{Start: both.End, End: now.End}
		if least(both)+old.Units < units ||
			!before.Empty() && least(before) < units || !after.Empty() && least(after) < units {
			return bookahead.Reservation{}, bookahead.ErrUnavailable
		}
	}
	add(held, old.Units)
	add(now, -units)
	booked := p.Resized(old.Interval, to)
	p.Booked.Set(id, Booking{booked, units})
	return bookahead.Reservation{ID: id, Offer: bookahead.Offer{Interval: booked, Units: units}}, nil
}

// Clone returns a copy. It costs what ledger.Clone does.
func (p *Pool) Clone() Pool { return Pool{Limits: p.Limits, Booked: p.Booked.Clone()} }

// OfferAt returns the offer for r that starts at t.
func OfferAt(t bookahead.Time, r bookahead.Request) bookahead.Offer {
	w := bookahead.Interval{Start: t, End: t + bookahead.Time(r.Duration)}
	return bookahead.Offer{Interval: w, Units: r.Units}
}
