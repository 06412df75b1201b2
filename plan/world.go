package plan

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/grid"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/nodes"
)

// world is a set of schedules: those of the caller, with running jobs and firm reservations, or the queue's copies, on which
// its promises lie as well.
type world []member

// member is a schedule of some kind.
type member struct {
	name     string
	pool     bookahead.Schedule // nil on nodes
	nodes    *nodes.Machine     // nil on a pool or servers
	config   *nodes.Config      // that of the nodes, once a promise has asked for it
	steps    int64              // of a search
	given    []int              // nodes that were given back since all jobs that could move have moved
	anyGiven bool               // whether any node may have been
	room     room               // from now on
}

// newWorld returns the schedules of the caller.
func newWorld(list []Schedule) (w world, err error) {
	for i, s := range list {
		m := member{name: s.Name, pool: s.Pool, nodes: s.Nodes, steps: stepsOfSearch}
		if s.Nodes != nil {
			m.pool = nil // perhaps a nil of some type
		} else if _, ok := bookahead.Clone(s.Pool); !ok {
			return nil, limits.Invalid(fmt.Sprintf("Config.Schedules[%d].Pool", i), fmt.Sprintf("%T", s.Pool), "is no Cloner")
		}
		w = append(w, m)
	}
	return w, nil
}

// stepsOfSearch is the steps of a search, besides those for the nodes of a machine.
const stepsOfSearch = 64

// Clone returns copies. Reservations keep their IDs.
func (w world) Clone() world {
	w = slices.Clone(w)
	for i := range w {
		w[i].room = room{}
		if w[i].nodes != nil {
			w[i].nodes = w[i].nodes.Clone()
			w[i].steps = stepsOfSearch + int64(w[i].nodes.Frame().Servers)
		} else {
			w[i].pool, _ = bookahead.Clone(w[i].pool)
		}
	}
	return w
}

// frame returns the limits of a schedule, as far as they are known.
func (m *member) frame() bookahead.Frame {
	if m.nodes != nil {
		return m.nodes.Frame()
	}
	f, ok := bookahead.FrameOf(m.pool)
	if !ok {
		f.Horizon = bookahead.MaxTime
	}
	return f
}

// clock returns the time of a schedule; 0 if it does not say.
func (m *member) clock() bookahead.Time { return m.frame().Now }

// tells returns the time of a schedule, and whether it does say.
func (m *member) tells() (at bookahead.Time, ok bool) {
	ok = m.nodes != nil
	if !ok {
		_, ok = bookahead.FrameOf(m.pool)
	}
	return m.clock(), ok
}

func (m *member) advance(now bookahead.Time) error {
	m.room.forget()
	if m.nodes != nil {
		return m.nodes.Advance(now)
	}
	return m.pool.Advance(now)
}

func (m *member) release(id bookahead.ID) error {
	m.room.forget()
	if m.nodes != nil {
		return m.nodes.Release(id)
	}
	return m.pool.Release(id)
}

// request returns the request for a part on a pool or servers.
func (p *Part) request(ready, deadline bookahead.Time) bookahead.Request {
	return bookahead.Request{Ready: ready, Deadline: deadline, Duration: p.Duration, Units: p.Units, Servers: p.Servers}
}

// tasks returns the request for a part on nodes.
func (p *Part) tasks(ready, deadline bookahead.Time) nodes.Request {
	r := *p.Tasks
	r.Ready, r.Deadline, r.Duration, r.Tasks = ready, deadline, p.Duration, p.Units
	return r
}

// search returns the earliest place of a part.
func (m *member) search(p *Part, ready, deadline bookahead.Time) (Place, error) {
	if m.nodes != nil {
		o, err := m.nodes.Search(p.tasks(ready, deadline))
		return Place{On: p.On, Interval: o.Interval, Units: p.Units, Nodes: o.Tasks, Head: o.Head}, limits.Bare(err)
	}
	o, err := m.pool.Search(p.request(ready, deadline))
	return Place{On: p.On, Interval: o.Interval, Units: p.Units, Servers: o.Servers, Head: -1}, limits.Bare(err)
}

// roomAt reports whether a part has room at a tick.
func (m *member) roomAt(p *Part, t bookahead.Time) bool {
	if m.nodes == nil && p.Servers == nil {
		a, err := m.pool.RangeQuery(bookahead.Interval{Start: t, End: t + 1})
		return err == nil && a.Free >= p.Units
	}
	tick := *p
	tick.Duration = 1
	_, err := m.search(&tick, t, t+1)
	return err == nil
}

// reserve books a place to the letter.
func (m *member) reserve(x *Place, p *Part) (bookahead.ID, error) {
	m.room.loosen()
	if m.nodes != nil {
		res, err := m.nodes.ReserveOffer(nodes.Offer{Interval: x.Interval, Tasks: x.Nodes, Head: x.Head}, *p.Tasks)
		return res.ID, limits.Bare(err)
	}
	r := bookahead.At(x.Start, x.Len(), x.Units)
	r.Servers = x.Servers
	res, err := m.pool.Reserve(r)
	return res.ID, limits.Bare(err)
}

// gave notes that a place on a machine was given back. A place that is not known may be on any node.
func (m *member) gave(p *Place) {
	if m.nodes == nil || m.anyGiven {
		return
	}
	if p == nil || int64(len(m.given)+len(p.Nodes)) > m.steps {
		m.given, m.anyGiven = nil, true
		return
	}
	m.given = append(m.given, p.on()...)
	slices.Sort(m.given)
	m.given = slices.Compact(m.given)
}

// exact reports whether units are free from the ends of reservations on, and a schedule lists these. On slots, which have a
// horizon, they are free from the end of a slot on.
func (m *member) exact() bool {
	_, lists := m.pool.(bookahead.Keeper)
	return m.nodes != nil || lists && m.frame().Horizon == bookahead.MaxTime
}

// closures yields the closures and extensions of a schedule that has any.
func (m *member) closures() iter.Seq[bookahead.Closure] {
	if m.nodes != nil {
		return m.nodes.Closures()
	}
	c, ok := m.pool.(bookahead.Closable)
	if ok {
		return c.Closures()
	}
	return func(func(bookahead.Closure) bool) {}
}

// overbooked yields the stretches of w in which more is booked than is open.
func (m *member) overbooked(w bookahead.Interval) iter.Seq[bookahead.Overbooking] {
	if m.nodes != nil {
		return m.nodes.Overbooked(w)
	}
	c, ok := m.pool.(bookahead.Closable)
	if ok {
		return c.Overbooked(w)
	}
	return func(func(bookahead.Overbooking) bool) {}
}

// all yields the reservations of a schedule that lists them, without their nodes.
func (m *member) all() iter.Seq[bookahead.Reservation] {
	return func(yield func(bookahead.Reservation) bool) {
		all := bookahead.Interval{End: bookahead.MaxTime}
		if m.nodes != nil {
			for r := range m.nodes.Reservations(all) {
				o := bookahead.Offer{Interval: r.Interval}
				if !yield(bookahead.Reservation{ID: r.ID, Offer: o}) {
					return
				}
			}
			return
		}
		k, ok := m.pool.(bookahead.Keeper)
		if !ok {
			return
		}
		for r := range k.Reservations(all) {
			if !yield(r) {
				return
			}
		}
	}
}

// overbookedNext returns the next time at which more is booked than is open, or others are overbooked; bookahead.MaxTime if there is
// none.
func (m *member) overbookedNext(now bookahead.Time) bookahead.Time {
	for o := range m.overbooked(bookahead.Interval{Start: now, End: bookahead.MaxTime}) {
		if o.Start > now {
			return o.Start
		}
	}
	return bookahead.MaxTime
}

// reservations yields the reservations that overlap a place, on its servers or nodes.
func (m *member) reservations(p *Place) iter.Seq[bookahead.ID] {
	return func(yield func(bookahead.ID) bool) {
		if m.nodes != nil {
			for r := range m.nodes.ReservationsOn(p.Interval, p.on()) {
				if !yield(r.ID) {
					return
				}
			}
			return
		}
		k, ok := m.pool.(bookahead.Keeper)
		if !ok {
			return
		}
		for r := range bookahead.ReservationsOn(k, p.Interval, p.Servers) {
			if !yield(r.ID) {
				return
			}
		}
	}
}

// form is a shape as the queue searches for it: with its schedules, and with durations in steps of the resolution.
type form struct {
	Shape
	on     []int
	length bookahead.Duration
	steps  int64 // of a search
}

// waits returns the form with another patience, if it has any.
func (f *form) waits(patience bookahead.Duration) *form {
	if f.Shape[0].patience() == 0 {
		return f
	}
	other := *f
	other.Shape = f.Shape.clone()
	other.Shape[0].Tasks.Patience = patience
	return &other
}

// search returns the earliest place of a form that starts at ready or later, and ends by the deadline if that is not 0. A search
// for several parts stops when ctx is done.
func (w world) search(ctx context.Context, f *form, ready, deadline bookahead.Time) ([]Place, error) {
	if ready > bookahead.MaxTime-bookahead.Time(f.length) || deadline != 0 && ready > deadline-bookahead.Time(f.length) {
		return nil, bookahead.ErrUnavailable
	}
	if f.bends() {
		return w[f.on[0]].bend(ctx, &f.Shape[0], ready, deadline)
	}
	if len(f.Shape) == 1 && f.Shape[0].Offset == 0 {
		x, err := w[f.on[0]].search(&f.Shape[0], ready, deadline)
		if err != nil {
			return nil, err
		}
		return []Place{x}, nil
	}
	job := grid.Job{Ready: ready, Deadline: deadline, Effort: bookahead.Effort{Context: ctx}}
	for i, p := range f.Shape {
		m := &w[f.on[i]]
		part := grid.Part{Offset: p.Offset, Duration: p.Duration, Units: p.Units, Servers: p.Servers, On: m.pool}
		if m.nodes != nil {
			part.On = grid.Gang{Machine: m.nodes, Request: *p.Tasks}
		}
		job.Parts = append(job.Parts, part)
	}
	plan, err := grid.CoSearch(job)
	if err != nil {
		return nil, limits.Bare(err)
	}
	list := make([]Place, len(f.Shape))
	for i, p := range f.Shape {
		o := plan.Parts[i]
		list[i] = Place{On: p.On, Interval: o.Interval, Units: p.Units, Servers: o.Servers, Head: -1}
		if n, ok := plan.Nodes[i]; ok {
			list[i].Servers, list[i].Nodes, list[i].Head = nil, n.Tasks, n.Head
		}
	}
	return list, nil
}

// reserve books all parts of a form at their places, or none, from now on.
func (w world) reserve(f *form, at []Place) ([]bookahead.ID, error) {
	ids := make([]bookahead.ID, 0, len(at))
	for i := range at {
		on, p := f.of(i)
		id, err := w[on].reserve(&at[i], p)
		if err != nil {
			if stuck := w.release(f, ids); stuck != nil {
				err = errors.Join(err, stuck)
			}
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// release gives back the parts of a form that have not ended.
func (w world) release(f *form, ids []bookahead.ID) error {
	var failed error
	for i, id := range ids {
		on, _ := f.of(i)
		err := w[on].release(id)
		if err != nil && err != bookahead.ErrNotFound {
			failed = errors.Join(failed, fmt.Errorf("plan: %s: %w", w[on].name, err))
		}
	}
	return failed
}

// span returns the time from the first start to the last end.
func span(at []Place) bookahead.Interval {
	w := at[0].Interval
	for _, x := range at[1:] {
		w.Start, w.End = min(w.Start, x.Start), max(w.End, x.End)
	}
	return w
}
