package desk

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/grid"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/internal/spans"
	"github.com/bookahead/bookahead/nodes"
)

// schedule is what a name stands for: a keeper, a machine of nodes, or a broker, which has neither of them.
type schedule struct {
	name     string
	kind     Kind
	keeper   keeper             // nil for nodes and a broker
	machine  *nodes.Machine     // nil unless the schedule is of nodes
	of       []int32            // the schedules of a broker; nil for others
	calendar spans.Index        // parts that lie or lay here
	live     int64              // bookings that are live and have a place here
	given    int64              // the capacity when it was added
	since    bookahead.Time     // when it was added
	terms    *Terms             // nil for none; clones share them
	tails    []tail             // by end; a new slice when it changes
	wide     bookahead.Duration // no buffer of a live booking here is longer
	size     int64              // how many servers or nodes there are, those of extensions among them; 0 on a pool
}

// keeper is a pool or servers.
type keeper interface {
	bookahead.Keeper
	bookahead.Closable
	bookahead.Cloner
	bookahead.Snapshotter
	Verify() error
}

// clone returns a copy for a trial, without the calendar.
func (s *schedule) clone() *schedule {
	c := &schedule{name: s.name, kind: s.kind, of: s.of, live: s.live, given: s.given, since: s.since, terms: s.terms, tails: s.tails, wide: s.wide, size: s.size}
	if s.machine != nil {
		c.machine = s.machine.Clone()
	}
	if s.keeper != nil {
		c.keeper = s.keeper.Clone().(keeper)
	}
	return c
}

// measure counts the servers or nodes.
func (s *schedule) measure() { s.size = int64(s.frame().Servers) }

// frame returns the limits of a schedule that is no broker.
func (s *schedule) frame() bookahead.Frame {
	if s.machine != nil {
		return s.machine.Frame()
	}
	return s.keeper.Frame()
}

// resources returns how many numbers a Use of the schedule has.
func (s *schedule) resources() int {
	nodes, ok := s.kind.(Nodes)
	if ok {
		return len(nodes.Resources)
	}
	return 1
}

// resource returns the index of a resource of nodes; -1 if there is none.
func (s *schedule) resource(name string) int {
	k, ok := s.kind.(Nodes)
	if !ok {
		return -1
	}
	return slices.Index(k.Resources, name)
}

func (s *schedule) advance(now bookahead.Time) error {
	switch {
	case s.machine != nil:
		return s.machine.Advance(now)
	case s.keeper != nil:
		return s.keeper.Advance(now)
	}
	return nil
}

func (s *schedule) release(id bookahead.ID) error {
	if s.machine != nil {
		return s.machine.Release(id)
	}
	return s.keeper.Release(id)
}

// member returns the schedule as a grid.Member for a part.
func (s *schedule) member(p *Part) grid.Member {
	if s.machine != nil {
		return grid.Gang{Machine: s.machine, Request: *p.Tasks}
	}
	return s.keeper
}

// search returns the earliest place of some length for the units of a part.
func (s *schedule) search(p *Part, ready, deadline bookahead.Time, length bookahead.Duration) (Place, error) {
	if s.machine != nil {
		whole := *p.Tasks
		whole.Ready, whole.Deadline, whole.Duration, whole.Tasks = ready, deadline, length, p.Units
		o, err := s.machine.Search(whole)
		return Place{On: p.On, Interval: o.Interval, Units: p.Units, Nodes: o.Tasks, Head: o.Head}, limits.Bare(err)
	}
	o, err := s.keeper.Search(bookahead.Request{Ready: ready, Deadline: deadline, Duration: length, Units: p.Units, Servers: p.Servers})
	return Place{On: p.On, Interval: o.Interval, Units: p.Units, Servers: o.Servers, Head: -1}, err
}

// searchFor returns the place of some length that a reservation can have instead of its present one.
func (s *schedule) searchFor(id bookahead.ID, p *Part, ready, deadline bookahead.Time, length bookahead.Duration) (Place, error) {
	if s.machine != nil {
		whole := *p.Tasks
		whole.Ready, whole.Deadline, whole.Duration, whole.Tasks = ready, deadline, length, p.Units
		o, err := s.machine.SearchFor(id, whole)
		return Place{On: s.name, Interval: o.Interval, Units: p.Units, Nodes: o.Tasks, Head: o.Head}, limits.Bare(err)
	}
	o, err := s.keeper.SearchFor(id, bookahead.Request{Ready: ready, Deadline: deadline, Duration: length, Units: p.Units, Servers: p.Servers})
	return Place{On: s.name, Interval: o.Interval, Units: p.Units, Servers: o.Servers, Head: -1}, err
}

// fixedAt returns the place of a part with the start and the buffers of another place.
func (s *schedule) fixedAt(part *Part, old Place, now bookahead.Time) (Place, error) {
	w := old
	w.End = w.Start + bookahead.Time(part.Duration)
	if bookahead.Time(w.After) > bookahead.MaxTime-w.End {
		return Place{}, bookahead.ErrUnavailable
	}
	in := w.reserved()
	in.Start = max(in.Start, now)
	place, err := s.search(part, in.Start, in.End, bookahead.Duration(in.End-in.Start))
	place.Interval, place.Before, place.After = w.Interval, w.Before, w.After
	return place, err
}

// want is a place to book from now on, with the vectors of its tasks.
type want struct {
	Place
	tasks *nodes.Request
}

// fixed returns the request for a place on a pool or servers with its buffers, from now on.
func (w *want) fixed(now bookahead.Time) bookahead.Request {
	in := w.reserved()
	start := max(in.Start, now)
	r := bookahead.At(start, bookahead.Duration(in.End-start), w.Units)
	r.Servers = w.Servers
	return r
}

// reserve books a place as it was decided. An error changes nothing, and says that the decision does not suit this state.
func (s *schedule) reserve(w want, now bookahead.Time) (bookahead.ID, error) {
	s.wide = max(s.wide, w.Before, w.After)
	if s.machine != nil {
		res, err := s.machine.ReserveOffer(w.offer(now), *w.tasks)
		return res.ID, err
	}
	res, err := s.keeper.Reserve(w.fixed(now))
	return res.ID, err
}

// rebook gives a reservation the place that was decided.
func (s *schedule) rebook(id bookahead.ID, w want, now bookahead.Time) error {
	s.wide = max(s.wide, w.Before, w.After)
	if s.machine != nil {
		_, err := s.machine.RebookOffer(id, w.offer(now), *w.tasks)
		return err
	}
	res, err := s.keeper.Reservation(id)
	if err != nil {
		return err
	}
	from := now
	if res.Start <= now && w.reserved().Start <= now {
		w.Start, w.Before, from = res.Start, 0, res.Start // a running reservation keeps its start
	}
	_, err = s.keeper.Rebook(id, w.fixed(from))
	return err
}

// offer returns the place with its buffers as a machine has it, from now on.
func (w *want) offer(now bookahead.Time) nodes.Offer {
	o := nodes.Offer{Interval: w.reserved(), Tasks: w.Nodes, Head: w.Head}
	o.Start = max(o.Start, now)
	return o
}

// began returns the start of a reservation.
func (s *schedule) began(id bookahead.ID) (bookahead.Time, error) {
	if s.machine != nil {
		res, err := s.machine.Reservation(id)
		return res.Start, err
	}
	res, err := s.keeper.Reservation(id)
	return res.Start, err
}

// place returns a reservation as the place of a part, without the name.
func (s *schedule) place(id bookahead.ID) (Place, error) {
	if s.machine != nil {
		r, err := s.machine.Reservation(id)
		p := Place{Interval: r.Interval, Nodes: r.Tasks, Head: r.Head}
		for _, n := range r.Tasks {
			p.Units += n.Tasks
		}
		return p, err
	}
	r, err := s.keeper.Reservation(id)
	return Place{Interval: r.Interval, Units: r.Units, Servers: r.Servers, Head: -1}, err
}

// takes reports whether the tasks of a reservation take as much of their nodes as those of a part.
func (s *schedule) takes(id bookahead.ID, p *Part) bool {
	if s.machine == nil {
		return true
	}
	r, err := s.machine.Reservation(id)
	return err == nil && slices.Equal(r.Each, p.Tasks.Each) && slices.Equal(r.HeadTakes, p.Tasks.Head)
}

// reservations counts the reservations of a schedule; a broker has none.
func (s *schedule) reservations() (n int) {
	always := bookahead.Interval{Start: 0, End: bookahead.MaxTime}
	switch {
	case s.machine != nil:
		for range s.machine.Reservations(always) {
			n++
		}
	case s.keeper != nil:
		for range s.keeper.Reservations(always) {
			n++
		}
	}
	return n
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

// tail is a reservation that no longer belongs to a booking: the buffer behind a part that has ended, or moved away.
//
//	booking   ████│                ends here, or goes elsewhere
//	tail          │▓▓▓▓            until end
type tail struct {
	id  bookahead.ID
	end bookahead.Time
}

func (x tail) compare(y tail) int { return cmp.Or(cmp.Compare(x.end, y.end), cmp.Compare(x.id, y.id)) }

// startCleaning ends a part that has begun, and leaves its buffer as a tail. Where a closed unit lets no reservation change, it
// gives back everything.
func (s *schedule) startCleaning(id bookahead.ID, w want, now bookahead.Time) error {
	if w.End > now {
		w.End = now
		if w.After == 0 {
			return s.release(id)
		}
		err := s.rebook(id, w, now)
		if err == bookahead.ErrUnavailable {
			return s.release(id)
		}
		if err != nil {
			return err
		}
	}
	s.addTail(tail{id, w.reserved().End})
	return nil
}

// addTail adds a tail, in order, to a new list: clones share the old one.
func (s *schedule) addTail(x tail) {
	i, _ := slices.BinarySearchFunc(s.tails, x, tail.compare)
	s.tails = slices.Insert(slices.Clone(s.tails), i, x)
}

// resume makes a tail a reservation of its part again. An error changes nothing.
func (s *schedule) resume(id bookahead.ID, w want, now bookahead.Time) error {
	if w.End > now {
		err := s.rebook(id, w, now)
		if err != nil {
			return err
		}
	}
	s.tails = slices.DeleteFunc(slices.Clone(s.tails), func(x tail) bool { return x.id == id })
	return nil
}

// leaves reports whether a reservation is a tail.
func (s *schedule) leaves(id bookahead.ID) bool {
	return slices.ContainsFunc(s.tails, func(x tail) bool { return x.id == id })
}

// dropTails takes out the tails that are over.
func (s *schedule) dropTails(now bookahead.Time) {
	i := 0
	for i < len(s.tails) && s.tails[i].end <= now {
		i++
	}
	s.tails = slices.Clip(s.tails[i:])
	if len(s.tails) == 0 {
		s.tails = nil
	}
}

// vacate gives back a reservation that a booking no longer has; for a running part it leaves the buffer. closed is 1 + the
// index of a schedule on which no buffer is left, or 0.
func (s *schedule) vacate(k *Booking, i int, id bookahead.ID, closed int32, now bookahead.Time) error {
	if k.State != Running || k.Places[i].Start > now || closed == k.on[i]+1 {
		return s.release(id)
	}
	return s.startCleaning(id, want{k.Places[i], k.Shapes[k.Shape][i].Tasks}, now)
}

// verifyTails checks D15.
func (s *schedule) verifyTails(now bookahead.Time) error {
	for i, x := range s.tails {
		if i > 0 && s.tails[i-1].compare(x) >= 0 || x.end <= now {
			return broken("D15", "tail %d of %q ends at %d, by now or before the last", x.id, s.name, x.end)
		}
		p, err := s.place(x.id)
		if err != nil || p.Start > now || p.End != x.end {
			return broken("D15", "tail %d of %q up to %d has the reservation %v (%v)", x.id, s.name, x.end, p.Interval, err)
		}
	}
	return nil
}
