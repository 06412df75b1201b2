package gantt

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/plan"
)

// Queue fills a chart with the jobs of a queue, and with what else is on its schedules:
//
//	gpus · node 0 · gpus  ████████▒▒▒▒▒▒▒▒    █ runs    ▒ is promised    ░ is only expected
//	gpus · node 1 · gpus  ████╱╱╱╱░░░░░░░░    ╱ is closed
type Queue struct {
	Queue *plan.Queue
	// Forecasts are the jobs to draw: those of Queue.Forecasts, or some of them.
	Forecasts []plan.Forecast
	// On names the schedules to draw, the first on top; nil means all, in the order of plan.Config.
	On []string
	// Name returns the text on the bars of a job, and a key: bars of one key have one colour. Nil writes the ID, and gives each
	// owner a colour.
	Name func(j plan.Job) (label, key string)
}

// Fill sets the Rows, RowName, Bars and Now of a chart to those of the queue in the chart's Window. It is a query of the queue
// and its schedules. Lanes are those of Desk. A job that runs is drawn from its start. A promised place is paler, and has a dashed
// edge; so has the place of a job that may start now, and was not started. An expected place is palest, and has a dotted edge. Firm
// reservations are grey, and closed time is hatched from now on.
//
// The error wraps bookahead.ErrInvalid if On names an unknown schedule, or one twice, if a forecast is not of the queue, if a schedule
// has no Frame, or if there is nothing to draw. It takes O(n log n + b k) for n parts and reservations, b bars, and k parts that run
// at once on a pool or a node, and a Holder for each reservation.
func (x Queue) Fill(c *Chart) error {
	if x.Queue == nil {
		return limits.Invalid("Queue.Queue", x.Queue, "is nil")
	}
	list, strips, err := x.strips()
	if err != nil {
		return err
	}
	jobs, err := x.jobs()
	if err != nil {
		return err
	}
	lane := laneOf(strips)
	var bars []Bar
	for i := range strips {
		s, on := &strips[i], &list[i]
		own, err := s.of(on.Name, jobs)
		if err != nil {
			return err
		}
		items := append(own, x.firm(on, c.Window)...)
		var closed []Bar
		if s.nodes != nil {
			s.nodes.lane = lane
			closed = s.nodes.closed(on.Nodes, on.Nodes.Frame())
		} else {
			items = append(items, closures(on.Pool, c.Window)...)
		}
		slices.SortStableFunc(items, func(a, b item) int { return cmp.Compare(a.Start, b.Start) })
		for _, b := range append(closed, s.bars(items, lane)...) {
			b.Row += s.first * lane
			bars = append(bars, b)
		}
	}
	last := &strips[len(strips)-1]
	c.Rows, c.perLane, c.Bars, c.Now, c.held = (last.first+last.lanes)*lane, lane, bars, x.Queue.Now(), "promised"
	c.RowName = laneNames(strips)
	return nil
}

// strips returns the schedules that are drawn, and their strips.
func (x Queue) strips() (list []plan.Schedule, strips []strip, err error) {
	all := x.Queue.Config().Schedules
	list = all
	if x.On != nil {
		list = nil
	}
	for i, name := range x.On {
		at := slices.IndexFunc(all, func(s plan.Schedule) bool { return s.Name == name })
		if at < 0 || slices.Contains(x.On[:i], name) {
			return nil, nil, limits.Invalid(fmt.Sprintf("Queue.On[%d]", i), name, "is unknown, or named twice")
		}
		list = append(list, all[at])
	}
	first := 0
	for _, on := range list {
		s, err := stripOn(&on)
		if err != nil {
			return nil, nil, err
		}
		s.first = first
		strips = append(strips, s)
		first += s.lanes
		if first > maxRows {
			return nil, nil, limits.Invalid("Queue.On", on.Name, fmt.Sprintf("has lanes beyond %d", maxRows))
		}
	}
	if first == 0 {
		return nil, nil, limits.Invalid("Queue.On", x.On, "names no schedule: there is nothing to draw")
	}
	return list, strips, nil
}

// stripOn returns the strip of a schedule of a queue.
func stripOn(on *plan.Schedule) (strip, error) {
	s := strip{name: on.Name}
	if on.Nodes != nil {
		x, err := Nodes{Config: on.Nodes.Config()}.lay(on.Nodes.Frame().Servers)
		if err != nil {
			return s, err
		}
		x.crowded = true
		s.nodes, s.lanes = x, len(x.bands)
		return s, nil
	}
	f, ok := bookahead.FrameOf(on.Pool)
	if !ok {
		return s, limits.Invalid("Queue.On", on.Name, fmt.Sprintf("has no Frame: it is a %T", on.Pool))
	}
	s.lanes = f.Servers
	if s.lanes > 0 {
		return s, nil
	}
	s.units = f.Capacity
	bookahead.View(on.Pool, func(of bookahead.Closable) {
		for c := range of.Closures() {
			now := c.Contains(f.Now)
			switch {
			case !c.Added && now, c.Added && !now: // Frame does not count these units
				s.units += c.Units
			}
		}
	})
	s.units = max(1, s.units)
	s.lanes = int(min(s.units, maxPoolLanes))
	return s, nil
}

// jobs returns the parts of all jobs that have a place.
func (x Queue) jobs() (list []item, err error) {
	for i, f := range x.Forecasts {
		if f.Places == nil {
			continue
		}
		field := fmt.Sprintf("Queue.Forecasts[%d]", i)
		j, _, err := x.Queue.Job(f.Job)
		if err != nil {
			return nil, limits.Invalid(field, f.Job, "is no job of the queue")
		}
		if f.Shape < 0 || f.Shape >= len(j.Shapes) || len(f.Places) != len(j.Shapes[f.Shape]) {
			return nil, limits.Invalid(field, f.Job, "has a place for other parts than the job has")
		}
		bar := Bar{Label: string(j.ID), Key: j.Owner}
		if x.Name != nil {
			bar.Label, bar.Key = x.Name(j)
		}
		bar.Held = f.State == plan.Promised || f.State == plan.Starting
		bar.Expected = !bar.Held && f.State != plan.Running
		for k, p := range f.Places {
			part := &j.Shapes[f.Shape][k]
			bar.Interval = p.Interval
			if f.State == plan.Running {
				bar.Start = min(bar.Start, f.Start+bookahead.Time(part.Offset)) // an overrun has a place of its own
			}
			list = append(list, item{Bar: bar, on: p.On, units: p.Units, servers: p.Servers, tasks: p.Nodes, head: p.Head, each: part.Tasks})
		}
	}
	return list, nil
}

// of returns the items on one schedule.
func (s *strip) of(name string, items []item) (list []item, err error) {
	for _, i := range items {
		if i.on != name || i.Empty() {
			continue
		}
		known := func(node int) bool { return s.nodes != nil && 0 <= node && node < len(s.nodes.of) }
		fits := s.nodes == nil || i.each != nil
		for _, n := range i.tasks {
			fits = fits && known(n.Node)
		}
		for _, n := range i.servers {
			fits = fits && s.nodes == nil && 0 <= n && n < s.lanes
		}
		if !fits || i.head >= 0 && !known(i.head) {
			return nil, limits.Invalid("Queue.Forecasts", i.Label, "has a place that "+name+" does not have")
		}
		list = append(list, i)
	}
	return list, nil
}

// firm returns the reservations of others on a schedule.
func (x Queue) firm(on *plan.Schedule, w bookahead.Interval) (list []item) {
	add := func(id bookahead.ID, i item) {
		_, ours := x.Queue.Holder(on.Name, id)
		if !ours {
			i.Label = fmt.Sprintf("reservation %d", id)
			list = append(list, i)
		}
	}
	w.Start = max(w.Start, x.Queue.Now())
	if on.Nodes != nil {
		for r := range on.Nodes.Reservations(w) {
			add(r.ID, item{Bar: Bar{Interval: r.Interval}, tasks: r.Tasks, head: r.Head, each: &nodes.Request{Each: r.Each, Head: r.HeadTakes}})
		}
		return list
	}
	bookahead.View(on.Pool, func(k bookahead.Keeper) {
		for r := range k.Reservations(w) {
			add(r.ID, item{Bar: Bar{Interval: r.Interval}, units: r.Units, servers: r.Servers})
		}
	})
	return list
}

// closures returns the closed units or servers of a schedule.
func closures(s bookahead.Schedule, w bookahead.Interval) (list []item) {
	bookahead.View(s, func(of bookahead.Closable) {
		for c := range of.Closures() {
			i := item{Bar: Bar{Interval: c.Interval, Label: "closed", Closed: true}, units: c.Units, servers: c.Servers}
			list = append(list, absent(i, c.Added, w)...)
		}
	})
	return list
}
