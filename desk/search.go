package desk

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Search returns the place that a Book of the request would get now, and books nothing. The place is a Booking with
// Request, Interval, Shape and Places, without an ID and a State. Its slices are those of the request, and the caller's.
// For the place after it, ask again with a later Ready. It is a query.
//
// The error is bookahead.ErrUnavailable if there is no place, or wraps bookahead.ErrInvalid, or bookahead.ErrStopped if
// Effort does not suffice. With no number of steps the search may take as many as a Book (Config.Effort). The cost is that
// of Book without the Reserves.
func (d *Desk) Search(r Request, e bookahead.Effort) (Booking, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	m, err := d.b.meter(e)
	if err != nil {
		return Booking{}, err
	}
	c := Book{Request: r}
	err = c.check()
	if err != nil {
		return Booking{}, err
	}
	by, err := c.decide(&d.b, &m)
	if err != nil {
		return Booking{}, givenUp("search", &m, err)
	}
	return Booking{Request: r, Interval: spanOf(by.Places), Shape: by.Shape, Places: by.Places}, nil
}

// Free returns how many units of p.On are free throughout w, from now on, and which servers. With p.Servers it counts
// these alone. On nodes it counts free tasks that take p.Tasks.Each, at most PerNode on a node; the other fields of Tasks
// are zero. A task is free if one node has room for it throughout. Free reads neither the other fields of p nor the Terms
// of the schedule. Buffers of bookings are not free. It is a query.
//
// The error wraps bookahead.ErrInvalid if there is no such schedule, if the schedule is a broker, whose schedules may
// count different things, or if p does not suit the schedule. The cost is that of a RangeQuery, and on nodes that of
// nodes.Tasks.RangeQuery.
func (d *Desk) Free(w bookahead.Interval, p Part) (bookahead.Availability, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	k, ok := d.b.names[p.On]
	if !ok {
		return bookahead.Availability{}, limits.Invalid("Part.On", p.On, "is no schedule")
	}
	s := d.b.schedules[k]
	switch {
	case s.of != nil:
		return bookahead.Availability{}, limits.Invalid("Part.On", p.On, fmt.Sprintf("is a broker: ask for %q", s.kind.(Broker).Of))
	case s.machine != nil:
		return s.freeTasks(w, &p)
	case p.Tasks != nil:
		return bookahead.Availability{}, limits.Invalid("Part.Tasks", p.Tasks.Each, fmt.Sprintf("are asked for, but %q has no nodes", p.On))
	}
	return s.freeUnits(w, &p)
}
