package desk

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Outages returns the outages and extensions of a schedule that are not over, by ID; of all schedules if
// on is "". O(n) for n outages.
func (d *Desk) Outages(on string) []Outage {
	d.mu.RLock()
	defer d.mu.RUnlock()
	var list []Outage
	for _, o := range d.b.outages {
		if on == "" || o.On == on {
			list = append(list, o)
		}
	}
	return list
}

// Overbooked returns the stretches of w, from the clock on, in which more is booked on a schedule than there is, by start:
// bookings lay there when an outage came, and did not give way. The error wraps bookahead.ErrInvalid if there is no such
// schedule, or if its kind has no closures. The cost is that of Overbooked of the schedule.
func (d *Desk) Overbooked(on string, w bookahead.Interval) ([]bookahead.Overbooking, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	k, err := d.b.closable("on", on)
	if err != nil {
		return nil, err
	}
	return d.b.schedules[k].overbooked(w), nil
}

// InTheWay returns the bookings to notify before a schedule is closed in w: those that hold units of the schedule, or of
// the schedules of a broker, in w from the clock on, also by the buffers of parts that are not over. They come by start,
// then by ID. Servers limits them to bookings that hold one of these servers or nodes; nil stands for all. The error wraps
// bookahead.ErrInvalid if there is no such schedule, or if servers are named of a pool or a broker. O(log n + k log k) for
// k of n bookings.
func (d *Desk) InTheWay(on string, w bookahead.Interval, servers []int) ([]Booking, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	b := &d.b
	k, ok := b.names[on]
	if !ok {
		return nil, limits.Invalid("on", on, "is no schedule")
	}
	switch kind := b.schedules[k].kind.(type) {
	case Pool, Broker:
		if servers != nil {
			return nil, limits.Invalid("servers", servers, fmt.Sprintf("are named, but %q is of kind %s", on, kind.kind()))
		}
	}
	w.Start = max(w.Start, b.now)
	var list []Booking
	seen := map[BookingID]bool{}
	for _, at := range b.behind(on) {
		for k := range b.holders(reach{at, w, servers}) {
			if !seen[k.ID] {
				list = append(list, *k)
			}
			seen[k.ID] = true
		}
	}
	slices.SortFunc(list, func(k, q Booking) int { return cmp.Or(cmp.Compare(k.Start, q.Start), cmp.Compare(k.ID, q.ID)) })
	return list, nil
}
