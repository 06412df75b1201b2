package nodes

import (
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Tasks is a view of a machine as a pool whose units are tasks of one vector, so that it can stand
// beside other schedules. A booking through the view is one of the machine, with an ID among the
// others, and any reservation of the machine can be released through a view.
//
// A task counts as a free unit of a window only if one node has room for it throughout the window. So
// fewer units may be free in a window than at each of its ticks, and the view is no bookahead.Profiler.
// Two views of one machine share its nodes, so that a co-allocation must not have parts on both.
type Tasks struct {
	m *Machine
	r Request // for one task
}

var _ bookahead.Schedule = (*Tasks)(nil)

// Tasks returns the machine as a pool of tasks that take a vector each, at most perNode of them on a
// node; 0 stands for as many as fit. The error wraps bookahead.ErrInvalid. O(1).
func (m *Machine) Tasks(each Vector, perNode int64) (*Tasks, error) {
	r := Request{Duration: 1, Tasks: 1, Each: slices.Clone(each), PerNode: perNode}
	err := m.check(r)
	if err != nil {
		return nil, err
	}
	return &Tasks{m, r}, nil
}

// Machine returns the machine of the view.
func (v *Tasks) Machine() *Machine { return v.m }

// Search implements bookahead.Schedule: bookahead.ErrUnavailable is never wrapped. Costs are those of
// Machine.Search.
func (v *Tasks) Search(r bookahead.Request) (bookahead.Offer, error) {
	whole, err := v.request(r)
	if err != nil {
		return bookahead.Offer{}, err
	}
	o, err := v.m.Search(whole)
	if err != nil {
		return bookahead.Offer{}, limits.Bare(err)
	}
	return bookahead.Offer{Interval: o.Interval, Units: r.Units}, nil
}

// Reserve implements bookahead.Schedule. Costs are those of Machine.Reserve.
func (v *Tasks) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	whole, err := v.request(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	res, err := v.m.Reserve(whole)
	if err != nil {
		return bookahead.Reservation{}, limits.Bare(err)
	}
	return bookahead.Reservation{ID: res.ID, Offer: bookahead.Offer{Interval: res.Interval, Units: r.Units}}, nil
}

// request returns the request for as many tasks as r asks for units.
func (v *Tasks) request(r bookahead.Request) (Request, error) {
	err := r.Validate()
	if err != nil {
		return Request{}, err
	}
	if r.Servers != nil {
		return Request{}, limits.Invalid("Request.Servers", r.Servers, "are named, but a unit is a task, on any node")
	}
	whole := v.r
	whole.Ready, whole.Deadline, whole.Duration, whole.Tasks = r.Ready, r.Deadline, r.Duration, r.Units
	return whole, nil
}

// Release implements bookahead.Schedule. Costs are those of Machine.Release.
func (v *Tasks) Release(id bookahead.ID) error { return v.m.Release(id) }

// RangeQuery implements bookahead.Schedule: its units are all tasks for which nodes have room throughout
// w. It reads all nodes: O(n log v + s) for n nodes of v steps, s of which lie in w.
func (v *Tasks) RangeQuery(w bookahead.Interval) (bookahead.Availability, error) {
	w, err := v.m.bounds.Window(w)
	if err != nil || w.Empty() {
		return bookahead.Availability{}, err
	}
	q := v.query()
	a := bookahead.Availability{Window: w}
	free := make(Vector, v.m.wide)
	for k := range v.m.index.nodes {
		v.m.index.nodes[k].least(w, free)
		a.Free += q.fit(free)
	}
	return a, nil
}

// query returns the query for one task.
func (v *Tasks) query() *query {
	q := &query{}
	err := v.m.ask(v.r, q)
	if err != nil {
		panic(fmt.Sprintf("nodes: %v", err)) // the request was checked when the view was made
	}
	return q
}

// Frame returns the limits of the view, which a grid.Broker asks for. The view is a pool, without
// servers. Its capacity is the number of tasks that fit on the nodes open now if nothing is booked. So at
// most this many tasks run at once, unless more nodes open later. Frame is a query. O(n + c log c) for n
// nodes, c of which are or were closed.
func (v *Tasks) Frame() bookahead.Frame {
	f := bookahead.Frame{Now: v.m.bounds.Now, Horizon: v.m.bounds.End}
	q := v.query()
	for k, class := range v.m.class {
		if !v.m.closed.at(k, f.Now) {
			f.Capacity += q.most[class]
		}
	}
	return f
}

// Advance implements bookahead.Schedule. Costs are those of Machine.Advance.
func (v *Tasks) Advance(now bookahead.Time) error { return v.m.Advance(now) }
