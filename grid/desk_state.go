package grid

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/bookahead/bookahead"
)

// Frame implements bookahead.Keeper, as the schedule does.
func (d *Desk) Frame() bookahead.Frame {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.s.Frame()
}

// Reservations implements bookahead.Keeper, as the schedule does: holds are among them.
// They are those of the moment at which the loop begins, and clients may go on meanwhile.
func (d *Desk) Reservations(w bookahead.Interval) iter.Seq[bookahead.Reservation] {
	return func(yield func(bookahead.Reservation) bool) {
		d.mu.RLock()
		list := slices.Collect(d.s.Reservations(w))
		d.mu.RUnlock()
		slices.Values(list)(yield)
	}
}

// Openings implements bookahead.Opener, as the function Openings does for the schedule. They
// are those of the moment at which the loop begins, and clients may go on meanwhile. All are
// found before the first is yielded.
func (d *Desk) Openings(r bookahead.Request) iter.Seq[bookahead.Interval] {
	return func(yield func(bookahead.Interval) bool) {
		d.mu.RLock()
		list := slices.Collect(bookahead.Openings(d.s, r))
		d.mu.RUnlock()
		slices.Values(list)(yield)
	}
}

// SearchLatest implements bookahead.LatestSearcher, as the function SearchLatest does for the
// schedule.
func (d *Desk) SearchLatest(r bookahead.Request) (bookahead.Offer, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return bookahead.SearchLatest(d.s, r)
}

// Reservation implements bookahead.Keeper, as the schedule does.
func (d *Desk) Reservation(id bookahead.ID) (bookahead.Reservation, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.s.Reservation(id)
}

// Clone implements bookahead.Cloner: the schedule is cloned too. It returns nil if that
// cannot be. It takes a Clone of the schedule, and O(h log h) for h holds.
func (d *Desk) Clone() bookahead.Schedule {
	d.mu.RLock()
	defer d.mu.RUnlock()
	s, ok := bookahead.Clone(d.s)
	if !ok {
		return nil
	}
	c := newDeskOf(s, d.now)
	for id, h := range d.held {
		c.enter(id, h)
	}
	return c
}

// adopt makes the desk what its clone is, which nobody uses any more. A Broker does so with its
// providers.
func (d *Desk) adopt(clone *Desk) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.s, d.now, d.held, d.expiries = adopt(d.s, clone.s), clone.now, clone.held, clone.expiries // not the lock
}

// earliest is the earliest start at any provider of a Broker, for CoSearch.
func (d *Desk) earliest(r bookahead.Request) (bookahead.Offer, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return earliest(d.s, r)
}

// divided reports whether the schedule places reservations in several.
func (d *Desk) divided() bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return divided(d.s)
}

// Verify looks for faults. Each hold is over after now, and is known by that time. The
// schedule has its reservation, with the end that the desk knows. The schedule finds no
// fault, if it can look for any. O(h log h) for h holds, and the time of the schedule's own
// Verify.
func (d *Desk) Verify() error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	for _, id := range slices.Sorted(maps.Keys(d.held)) {
		h := d.held[id]
		if _, ok := d.expiries.Get(event{h.over(), id}); !ok || h.over() <= d.now {
			return fmt.Errorf("grid: at %d, hold %d is over at %d, which is known: %t", d.now, id, h.over(), ok)
		}
		res, err := d.s.Reservation(id)
		if err != nil || res.End != h.end {
			return fmt.Errorf("grid: hold %d ends at %d, but its reservation is %v, %w", id, h.end, res, err)
		}
	}
	if d.expiries.Len() != len(d.held) {
		return fmt.Errorf("grid: %d expiries for %d holds", d.expiries.Len(), len(d.held))
	}
	return verify(d.s)
}
