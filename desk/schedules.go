package desk

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/nodes"
)

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
		return s.Frame()
	}
	all := bookahead.Frame{Now: b.now, Horizon: b.now}
	for _, k := range s.of {
		f := b.schedules[k].Frame()
		all.Horizon, all.Capacity = max(all.Horizon, f.Horizon), max(all.Capacity, f.Capacity)
	}
	return all
}

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
// schedule, or if it is a broker. The cost is that of Overbooked of the schedule.
func (d *Desk) Overbooked(on string, w bookahead.Interval) ([]bookahead.Overbooking, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	k, err := d.b.closable("on", on)
	if err != nil {
		return nil, err
	}
	return slices.Collect(d.b.schedules[k].Overbooked(w)), nil
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
	case s.Machine() != nil:
		return s.freeTasks(w, &p)
	case p.Tasks != nil:
		return bookahead.Availability{}, limits.Invalid("Part.Tasks", p.Tasks.Each, fmt.Sprintf("are asked for, but %q has no nodes", p.On))
	}
	return s.freeUnits(w, &p)
}

// Capacity returns how much of a schedule there is in w: unit-ticks, and on nodes one number for each resource. Use
// returns the same numbers for each owner; their ratio is the share in use. At each tick the capacity is that of the
// AddSchedule and the extensions, less the closed units; before the AddSchedule there is none. Outages that are over
// count for Config.Keep ticks, as bookings do, so w should not begin before that. The horizon does not bound w. The numbers
// belong to the caller.
//
// The error wraps bookahead.ErrInvalid if there is no such schedule, or if the schedule is a broker, whose schedules may
// count different things. O(k log k) for k outages on the schedule and the servers that they name, and on nodes
// O(n r) more for n nodes with r resources.
func (d *Desk) Capacity(w bookahead.Interval, on string) ([]*big.Int, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	s, err := d.b.counted(on)
	if err != nil {
		return nil, err
	}
	w.Start = max(w.Start, s.since)
	var list []bookahead.Closure
	for _, outages := range [][]Outage{d.b.over, d.b.outages} {
		for i := range outages {
			o := &outages[i]
			if o.On == on {
				list = append(list, bookahead.Closure{Interval: o.Interval, Units: o.Units, Servers: o.Servers, Added: o.added})
			}
		}
	}
	k, _ := s.kind.(Nodes)
	var all []*big.Int
	for _, a := range s.Capacity(w, list, k.Nodes) {
		all = append(all, a.Big())
	}
	return all, nil
}

// freeUnits returns the free units of a pool, or the free servers.
func (s *schedule) freeUnits(w bookahead.Interval, p *Part) (bookahead.Availability, error) {
	named, count := slices.Clone(p.Servers), s.Frame().Servers
	slices.Sort(named)
	if named != nil && count == 0 {
		return bookahead.Availability{}, limits.Invalid("Part.Servers", p.Servers, fmt.Sprintf("are named, but %q counts units", p.On))
	}
	for i, server := range named {
		if server < 0 || server >= count || i > 0 && named[i-1] == server {
			return bookahead.Availability{}, limits.Invalid("Part.Servers", server, "is no server, or named twice")
		}
	}
	return s.Free(w, named)
}

// freeTasks returns for how many tasks the nodes have room.
func (s *schedule) freeTasks(w bookahead.Interval, p *Part) (bookahead.Availability, error) {
	t := p.Tasks
	switch {
	case t == nil:
		return bookahead.Availability{}, limits.Invalid("Part.Tasks", t, fmt.Sprintf("is nil, but %q is of nodes", p.On))
	case p.Servers != nil:
		return bookahead.Availability{}, limits.Invalid("Part.Servers", p.Servers, fmt.Sprintf("are named, but %q is of nodes", p.On))
	case t.Head != nil || t.Nodes != nil || t.Except != nil || t.Set != "" || t.Within != "" || t.Together != "" || t.Exclusive || t.Patience != 0 || t.Bundle != 0 || t.Bundled != "":
		return bookahead.Availability{}, limits.Invalid("Part.Tasks", *t, "has more than Each and PerNode")
	}
	return s.free(w, t)
}

// free returns the free units throughout w. On nodes it is for how many tasks there is room, by their Each and PerNode alone.
func (s *schedule) free(w bookahead.Interval, tasks *nodes.Request) (bookahead.Availability, error) {
	if s.Machine() == nil {
		return s.Free(w, nil)
	}
	view, err := s.Machine().Tasks(tasks.Each, tasks.PerNode)
	if err != nil {
		return bookahead.Availability{}, fmt.Errorf("desk: Part.Tasks: %w", err)
	}
	return view.RangeQuery(w)
}

// Schedule returns a copy of a schedule, on which a plan is made that a Book then asks for: with all reservations and
// outages, and, within w, closed outside of the opening hours (Terms.Open) and before the Notice is over. Nothing that is
// done to the copy changes the desk. With Open [2, 6) and [9, 12), and a clock at 0:
//
//	booked        ███░░░░░░░░░░
//	the copy      ███░░░▒▒▒░░░▒    ▒ is closed; w is [0, 13)
//
// The copy does not know the rest: quotas, Ahead, Longest and who may book; the buffers that a new booking would have, but
// for Before behind the clock; and opening hours outside of w. Book knows them all, and refuses a plan that breaks one.
//
// The closures of the copy are listed behind the outages of the schedule. The error wraps bookahead.ErrInvalid if w is
// empty, or if there is no such schedule, or it is a broker, or of nodes, which Machine copies. The cost is that of a Clone,
// and a Close for each gap between opening hours.
func (d *Desk) Schedule(on string, w bookahead.Interval) (bookahead.Keeper, error) {
	s, err := d.copied(on, w)
	if err == nil && s.Machine() != nil {
		err = limits.Invalid("on", on, "is of kind nodes: Machine copies it")
	}
	if err != nil {
		return nil, err
	}
	return s.Keeper(), nil
}

// Machine returns a copy of a schedule of nodes, as Schedule does for all others. The error wraps bookahead.ErrInvalid if w
// is empty, or there is no such schedule of nodes.
func (d *Desk) Machine(on string, w bookahead.Interval) (*nodes.Machine, error) {
	s, err := d.copied(on, w)
	if err == nil && s.Machine() == nil {
		err = limits.Invalid("on", on, fmt.Sprintf("is of kind %s, and has no nodes: Schedule copies it", s.kind.kind()))
	}
	if err != nil {
		return nil, err
	}
	return s.Machine(), nil
}

// copied returns a copy of a schedule that is closed in w wherever its terms let nobody book. The
// desk may change while the copy is closed, which takes long where there are many gaps.
func (d *Desk) copied(on string, w bookahead.Interval) (*schedule, error) {
	if w.Empty() {
		return nil, limits.Invalid("w", w, "is empty")
	}
	c, gaps, err := d.cloned(on, w)
	if err != nil || len(gaps) == 0 {
		return c, err
	}
	all := c.Whole()
	for _, gap := range gaps {
		all.Interval = gap
		_, err := c.Close(all)
		if err != nil {
			return nil, fmt.Errorf("desk: closing %q outside of its opening hours: %w", on, err)
		}
	}
	return c, nil
}

// cloned returns a clone of a schedule, and the stretches of w in which its terms let nobody book.
func (d *Desk) cloned(on string, w bookahead.Interval) (*schedule, []bookahead.Interval, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	at, err := d.b.counted(on)
	if err != nil {
		return nil, nil, err
	}
	if at.terms == nil {
		return at.clone(), nil, nil
	}
	gaps := at.terms.closed(w, d.b.now)
	if len(gaps) > 0 {
		_, err = d.b.closable("on", on)
		if err != nil {
			return nil, nil, err
		}
	}
	return at.clone(), gaps, nil
}

// closed returns the stretches of w, from now on, that no part may touch: those outside of the opening hours, and those
// before the first start that Notice and Before allow.
//
//	Open       ├──┤  ├─────────┤      ├───
//	Notice  ─────|
//	closed  ▒▒▒▒▒   ▒           ▒▒▒▒▒▒
func (t *Terms) closed(w bookahead.Interval, now bookahead.Time) (gaps []bookahead.Interval) {
	from := max(w.Start, now)
	may := bookahead.Interval{Start: max(from, addTicks(now, t.Notice), addTicks(now, t.Before)), End: w.End}
	open := t.Open
	if len(open) == 0 {
		open = []bookahead.Interval{may}
	}
	for _, x := range open {
		x = x.Intersect(may)
		if x.Empty() {
			continue
		}
		if from < x.Start {
			gaps = append(gaps, bookahead.Interval{Start: from, End: x.Start})
		}
		from = x.End
	}
	if from < w.End {
		gaps = append(gaps, bookahead.Interval{Start: from, End: w.End})
	}
	return gaps
}
