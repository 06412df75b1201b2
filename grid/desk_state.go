package grid

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/bookahead/bookahead"
)

var (
	_ bookahead.Lister   = (*Desk)(nil)
	_ bookahead.Framer   = (*Desk)(nil)
	_ bookahead.Verifier = (*Desk)(nil)
)

// Frame implements bookahead.Framer, as the schedule does. The frame of one that
// does not tell its horizon ends with the axis, and its capacity c is found in
// O(log c) searches.
func (d *Desk) Frame() bookahead.Block {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if f, ok := d.s.(bookahead.Framer); ok {
		return f.Frame()
	}
	units, err := capacityOf(d.s)
	if err != nil { // it cannot be asked for anything
		units = 0
	}
	return bookahead.Block{Interval: bookahead.Interval{Start: d.now, End: bookahead.MaxTime}, Units: units}
}

// Reservations implements bookahead.Lister, as the schedule does: what is held is
// booked. A schedule that is no Lister has none. They are those of the moment at
// which the loop begins, and clients may go on meanwhile. It takes what the schedule
// takes.
func (d *Desk) Reservations() iter.Seq[bookahead.Reservation] {
	return func(yield func(bookahead.Reservation) bool) {
		list, _ := reservationsOf(d)
		for _, res := range list {
			if !yield(res) {
				return
			}
		}
	}
}

// Reservation implements bookahead.Lister, as the schedule does. The error is also
// bookahead.ErrNotFound if that is no bookahead.Lister.
func (d *Desk) Reservation(id bookahead.ID) (bookahead.Reservation, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return reservationOf(d.s, id)
}

// Verify implements bookahead.Verifier. Each hold is over after now, and is known by that
// time. The schedule lists its reservation, if it lists any, with the end that the desk
// knows. The schedule finds no fault, if it can look for any. O(n + h log h) for n
// reservations and h holds, and the time of the schedule's own Verify.
func (d *Desk) Verify() error {
	d.mu.RLock()
	defer d.mu.RUnlock()
	ends := endsOf(d.s)
	for _, id := range slices.Sorted(maps.Keys(d.held)) {
		over := d.held[id].over()
		if _, ok := d.expiries.Get(event{over, id}); !ok || over <= d.now {
			return fmt.Errorf("grid: at %d, hold %d is over at %d, which is known: %t", d.now, id, over, ok)
		}
		if end := ends[id]; ends != nil && end != d.held[id].end {
			return fmt.Errorf("grid: hold %d ends at %d, but its reservation at %d", id, d.held[id].end, end)
		}
	}
	if d.expiries.Len() != len(d.held) {
		return fmt.Errorf("grid: %d expiries for %d holds", d.expiries.Len(), len(d.held))
	}
	if v, ok := d.s.(bookahead.Verifier); ok {
		return v.Verify()
	}
	return nil
}
