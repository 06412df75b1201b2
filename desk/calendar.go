package desk

import (
	"iter"

	"github.com/bookahead/bookahead"
)

// Booking returns a booking by its ID, as long as the desk keeps it, also when it is over. The error is
// bookahead.ErrNotFound. O(1).
func (d *Desk) Booking(id BookingID) (Booking, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	k, ok := d.b.booking(id)
	if !ok {
		return Booking{}, bookahead.ErrNotFound
	}
	return *k, nil
}

// ByKey returns a booking by the key that Book gave it, as long as the desk keeps it, also when it is over. The error is
// bookahead.ErrNotFound; "" is nobody's key. O(1).
func (d *Desk) ByKey(key string) (Booking, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	id, ok := d.b.keys.get(key)
	if !ok {
		return Booking{}, bookahead.ErrNotFound
	}
	k, _ := d.b.booking(id)
	return *k, nil
}

// Bookings yields the bookings that a filter asks for, by start, then by ID, each once: the live ones, and those that
// are over and kept. They are the bookings of the moment when the walk begins: the desk may be changed meanwhile.
//
// If Effort, of a step for each booking that is looked at, does not suffice, the only pair has an error that wraps
// bookahead.ErrStopped.
//
// With a schedule and a window it takes O(log n + k log k) for k parts there, and without On as much for each schedule.
// With an owner it takes O(log n + k log k) for all k bookings of the owner. With an owner and a window, or a schedule, it
// takes the smaller number. With Series it looks at the bookings of the series alone, and without any of these at all n
// bookings. Among the bookings that remain, it looks for the label and the states.
func (d *Desk) Bookings(f Filter, e bookahead.Effort) iter.Seq2[Booking, error] {
	return func(yield func(Booking, error) bool) {
		list, err := d.find(&f, e)
		if err != nil {
			yield(Booking{}, err)
			return
		}
		for _, k := range list {
			if !yield(*k, nil) {
				return
			}
		}
	}
}

// find holds the lock only while it finds the bookings. They may be read later, since a booking never changes: another
// takes its place.
func (d *Desk) find(f *Filter, e bookahead.Effort) ([]*Booking, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	m, err := d.b.meter(e)
	if err != nil {
		return nil, err
	}
	list, err := d.b.filtered(f, &m)
	return list, givenUp("bookings", &m, err)
}

// Schedules returns the schedules, in the order in which they were added. O(s) for s schedules, and the
// schedules of each broker.
func (d *Desk) Schedules() []Listing {
	d.mu.RLock()
	defer d.mu.RUnlock()
	list := make([]Listing, len(d.b.schedules))
	for i, s := range d.b.schedules {
		list[i] = Listing{Name: s.name, Kind: s.kind, Frame: d.b.limitsOf(s)}
		if s.terms != nil {
			list[i].Terms = *s.terms
		}
	}
	return list
}

// limitsOf returns the limits of a schedule or a broker.
func (b *books) limitsOf(s *schedule) bookahead.Frame {
	if s.of == nil {
		return s.frame()
	}
	all := bookahead.Frame{Now: b.now, Horizon: b.now}
	for _, k := range s.of {
		f := b.schedules[k].frame()
		all.Horizon, all.Capacity = max(all.Horizon, f.Horizon), max(all.Capacity, f.Capacity)
	}
	return all
}
