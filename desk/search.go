package desk

import (
	"fmt"
	"slices"

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

// freeUnits returns the free units of a pool, or the free servers.
func (s *schedule) freeUnits(w bookahead.Interval, p *Part) (bookahead.Availability, error) {
	a, err := s.keeper.RangeQuery(w)
	if err != nil || p.Servers == nil {
		return a, err
	}
	f := s.keeper.Frame()
	if f.Servers == 0 {
		return bookahead.Availability{}, limits.Invalid("Part.Servers", p.Servers, fmt.Sprintf("are named, but %q counts units", p.On))
	}
	named := slices.Sorted(slices.Values(p.Servers))
	for i, server := range named {
		if server < 0 || server >= f.Servers || i > 0 && named[i-1] == server {
			return bookahead.Availability{}, limits.Invalid("Part.Servers", server, "is no server, or named twice")
		}
	}
	a.Servers = slices.DeleteFunc(a.Servers, func(k int) bool {
		_, ok := slices.BinarySearch(named, k)
		return !ok
	})
	a.Free = int64(len(a.Servers))
	return a, nil
}

// freeTasks returns for how many tasks the nodes have room.
func (s *schedule) freeTasks(w bookahead.Interval, p *Part) (bookahead.Availability, error) {
	t := p.Tasks
	switch {
	case t == nil:
		return bookahead.Availability{}, limits.Invalid("Part.Tasks", t, fmt.Sprintf("is nil, but %q is of nodes", p.On))
	case p.Servers != nil:
		return bookahead.Availability{}, limits.Invalid("Part.Servers", p.Servers, fmt.Sprintf("are named, but %q is of nodes", p.On))
	case t.Head != nil || t.Nodes != nil || t.Except != nil || t.Set != "" || t.Within != "" || t.Together != "":
		return bookahead.Availability{}, limits.Invalid("Part.Tasks", *t, "has more than Each and PerNode")
	}
	view, err := s.machine.Tasks(t.Each, t.PerNode)
	if err != nil {
		return bookahead.Availability{}, fmt.Errorf("desk: Part.Tasks: %w", err)
	}
	return view.RangeQuery(w)
}
