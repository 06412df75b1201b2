package pool

import (
	"iter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/spans"
)

// spanOf returns where a booking lies.
func (b Booking) spanOf(id bookahead.ID) spans.Span { return spans.Span{Interval: b.Interval, ID: id} }

// Track implements bookahead.Tracker. O(n log n).
func (p *Pool) Track(on bool) {
	switch {
	case !on:
		p.lie = nil
	case p.lie == nil:
		var list []spans.Span
		for id, b := range p.Booked.Overlapping(p.rest(), p.Now) {
			list = append(list, b.spanOf(id))
		}
		lie := spans.Build(list)
		p.lie = &lie
	}
}

// Tracks reports whether there is an index.
func (p *Pool) Tracks() bool { return p.lie != nil }

// Live implements bookahead.Tracker. O(1).
func (p *Pool) Live() (n int, ok bool) {
	if p.lie == nil {
		return 0, false
	}
	return p.lie.Len(), true
}

// Reservations implements bookahead.Keeper. O(n + k log k) for k of n reservations; O(log n + k)
// with an index.
func (p *Pool) Reservations(w bookahead.Interval) iter.Seq[bookahead.Reservation] {
	return p.ReservationsOn(w, nil)
}

// ReservationsOn implements bookahead.Tracker. No reservation of a pool holds a server.
func (p *Pool) ReservationsOn(w bookahead.Interval, servers []int) iter.Seq[bookahead.Reservation] {
	return func(yield func(bookahead.Reservation) bool) {
		if servers != nil {
			return
		}
		if p.lie != nil {
			for x := range p.lie.Overlapping(w) {
				b, _ := p.Booked.Get(x.ID, p.Now)
				if !yield(b.reservation(x.ID)) {
					return
				}
			}
			return
		}
		for id, b := range p.Booked.Overlapping(w, p.Now) {
			if !yield(b.reservation(id)) {
				return
			}
		}
	}
}
