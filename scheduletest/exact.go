package scheduletest

import (
	"fmt"
	"iter"
	"maps"
	"math/bits"
	"slices"

	"github.com/bookahead/bookahead"
)

// stepOracle is the oracle for large numbers. It looks only at the ticks at which a reservation or
// a closure begins or ends, so its work depends on how many of these there are, and not on how
// long they last. It makes its steps anew for each answer, which leaves no state to go wrong.
// Model compares it with the oracles that have a cell for each tick.
type stepOracle struct{ axis }

var _ oracle = (*stepOracle)(nil)

func newStepOracle(target Target, c Config) (*stepOracle, error) {
	a, err := newAxis(target, c)
	if err != nil {
		return nil, err
	}
	a.count()
	return &stepOracle{a}, nil
}

// step is a stretch of time up to the next step in which nothing changes.
type step struct {
	start   bookahead.Time
	free    int64    // units of a pool
	idle    []uint64 // the servers that are free, a bit for each; nil for a pool
	missing int64    // units of a pool that are booked and not there
	gone    []int    // servers that are held while they are closed
}

// edges returns the ticks from now on at which something begins or ends, and now.
func (x *stepOracle) edges() []bookahead.Time {
	list := []bookahead.Time{x.clock, x.own.Start, x.own.End}
	for _, o := range x.booked {
		w := x.rounded(o.Interval)
		list = append(list, w.Start, w.End)
	}
	for _, c := range x.closures {
		list = append(list, c.Start, c.End)
	}
	list = slices.DeleteFunc(list, func(t bookahead.Time) bool { return t < x.clock })
	slices.Sort(list)
	return slices.Compact(list)
}

// steps returns all steps from now on.
func (x *stepOracle) steps() []step {
	edges := x.edges()
	list := make([]step, len(edges))
	for i, t := range edges {
		list[i] = x.stepAt(t)
	}
	return list
}

// stepAt returns the step that begins at an edge.
func (x *stepOracle) stepAt(t bookahead.Time) step {
	if x.target.Servers {
		return x.serversAt(t)
	}
	used := int64(0)
	for _, o := range x.booked {
		if x.rounded(o.Interval).Contains(t) {
			used += o.Units
		}
	}
	left := x.capacityAt(t) - used
	s := step{start: t, free: max(0, left), missing: max(0, -left)}
	if x.own.Contains(t) {
		s.free = max(0, left-x.own.Units) + x.own.Units
	}
	return s
}

func (x *stepOracle) serversAt(t bookahead.Time) step {
	s := step{start: t, idle: make([]uint64, (x.servers+63)/64)}
	held := make([]bool, x.servers)
	for _, o := range x.booked {
		if x.rounded(o.Interval).Contains(t) {
			for _, k := range o.Servers {
				held[k] = true
			}
		}
	}
	for k := range x.servers {
		shut := x.shut(k, t)
		switch {
		case held[k] && shut:
			s.gone = append(s.gone, k)
		case held[k]:
		case !shut || x.own.Contains(t) && slices.Contains(x.own.Servers, k):
			s.idle[k/64] |= 1 << (k % 64)
		}
	}
	return s
}

// free returns the units, or the servers, that are free throughout w, which begins now or later.
func (x *stepOracle) free(steps []step, w bookahead.Interval) (n int64, servers []int) {
	first := 0
	for first+1 < len(steps) && steps[first+1].start <= w.Start {
		first++
	}
	n, idle := steps[first].free, slices.Clone(steps[first].idle)
	for _, s := range steps[first+1:] {
		if s.start >= w.End {
			break
		}
		n = min(n, s.free)
		for i := range idle {
			idle[i] &= s.idle[i]
		}
	}
	if !x.target.Servers {
		return n, nil
	}
	servers = []int{}
	for i, word := range idle {
		for ; word != 0; word &= word - 1 {
			servers = append(servers, 64*i+bits.TrailingZeros64(word))
		}
	}
	return int64(len(servers)), servers
}

// choose returns the units, or the servers, that are free throughout w and that r allows.
func (x *stepOracle) choose(steps []step, r bookahead.Request, w bookahead.Interval) (int64, []int) {
	n, servers := x.free(steps, w)
	if r.Servers == nil || servers == nil {
		return n, servers
	}
	servers = slices.DeleteFunc(servers, func(k int) bool { return !slices.Contains(r.Servers, k) })
	return int64(len(servers)), servers
}

// place tries the first start, and those at which a step begins: only there can a window become
// free. A schedule that steps over starts tries the first of its starts in each step.
func (x *stepOracle) place(r bookahead.Request) (bookahead.Time, error) {
	err := x.check(r)
	if err != nil {
		return 0, err
	}
	steps := x.steps()
	first, by := max(r.Ready, x.clock), x.target.Step
	for _, t := range append([]bookahead.Time{first}, x.edges()...) {
		tries := (max(t, first)-first)/bookahead.Time(by) + min(1, (max(t, first)-first)%bookahead.Time(by))
		if t < first || x.target.Attempts > 0 && tries >= bookahead.Time(x.target.Attempts) {
			continue
		}
		start, overflow := first.Add(bookahead.Duration(tries))
		if by > 1 {
			start, overflow = first.Add(bookahead.Duration(tries) * by)
			if tries > 0 && bookahead.Time(by) > (bookahead.MaxTime-first)/tries {
				continue
			}
		}
		end, late := start.Add(r.Duration)
		if overflow != nil || late != nil || end > x.end() || r.Deadline != 0 && end > r.Deadline {
			continue
		}
		n, _ := x.choose(steps, r, bookahead.Interval{Start: start, End: end})
		if n >= r.Units {
			return start, nil
		}
	}
	return 0, bookahead.ErrUnavailable
}

func (x *stepOracle) allows(r bookahead.Request, o bookahead.Offer) error {
	err := x.misplaced(r, o)
	if err != nil {
		return err
	}
	n, servers := x.choose(x.steps(), r, o.Interval)
	switch {
	case n < o.Units:
		return fmt.Errorf("offer %v overbooks: %d are free", o, n)
	case !x.target.Servers && o.Servers != nil:
		return fmt.Errorf("offer %v of a pool names servers", o)
	case x.target.Servers && int64(len(o.Servers)) != o.Units:
		return fmt.Errorf("offer %v names %d servers for %d units", o, len(o.Servers), o.Units)
	}
	for i, k := range o.Servers {
		if i > 0 && k <= o.Servers[i-1] || !slices.Contains(servers, k) {
			return fmt.Errorf("offer %v takes server %d, out of order, taken or not allowed", o, k)
		}
	}
	return nil
}

func (x *stepOracle) share(r bookahead.Request, w bookahead.Interval, own []int) (kept, others []int, n int64) {
	n, servers := x.choose(x.steps(), r, w)
	for _, k := range servers {
		if slices.Contains(own, k) {
			kept = append(kept, k)
		} else {
			others = append(others, k)
		}
	}
	return kept, others, n
}

func (x *stepOracle) book(o bookahead.Offer) bookahead.ID {
	o.Servers = slices.Clone(o.Servers)
	return x.enter(o)
}

func (x *stepOracle) restore(id bookahead.ID, o bookahead.Offer) {
	o.Servers = slices.Clone(o.Servers)
	x.booked[id] = o
}

func (x *stepOracle) most() int64 {
	if x.target.Servers {
		return int64(x.servers)
	}
	return x.largest()
}

func (x *stepOracle) without(res bookahead.Reservation) oracle {
	c := x.clone().(*stepOracle)
	_ = c.Release(res.ID)
	c.own = res
	if !x.target.Servers {
		c.own.Interval = c.rounded(res.Interval)
	}
	return c
}

func (x *stepOracle) clone() oracle {
	c := *x
	c.booked = maps.Clone(x.booked)
	return &c
}

// Search implements bookahead.Schedule.
func (x *stepOracle) Search(r bookahead.Request) (bookahead.Offer, error) {
	start, err := x.place(r)
	if err != nil {
		return bookahead.Offer{}, err
	}
	o := bookahead.Offer{Interval: bookahead.Interval{Start: start, End: start + bookahead.Time(r.Duration)}, Units: r.Units}
	if x.target.Servers {
		_, servers := x.choose(x.steps(), r, o.Interval)
		o.Servers = servers[:r.Units]
	}
	return o, nil
}

// Reserve implements bookahead.Schedule.
func (x *stepOracle) Reserve(r bookahead.Request) (bookahead.Reservation, error) {
	o, err := x.Search(r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	return bookahead.Reservation{ID: x.book(o), Offer: o}, nil
}

// Release implements bookahead.Schedule.
func (x *stepOracle) Release(id bookahead.ID) error {
	_, err := x.strike(id)
	return err
}

// RangeQuery implements bookahead.Schedule.
func (x *stepOracle) RangeQuery(w bookahead.Interval) (a bookahead.Availability, err error) {
	a.Window, err = x.window(w)
	if err != nil {
		return bookahead.Availability{}, err
	}
	if !a.Window.Empty() {
		a.Free, a.Servers = x.free(x.steps(), a.Window)
	} else if x.target.Servers {
		a.Servers = []int{}
	}
	return a, nil
}

// Openings implements bookahead.Opener. Whether a request fits at a start changes only where the
// start, or the end of the window, meets an edge.
func (x *stepOracle) Openings(r bookahead.Request) iter.Seq[bookahead.Interval] {
	return func(yield func(bookahead.Interval) bool) {
		if x.check(r) != nil {
			return
		}
		d, end := bookahead.Time(r.Duration), x.end()
		if r.Deadline != 0 {
			end = min(end, r.Deadline)
		}
		first, last := max(r.Ready, x.clock), end-d
		if first > last {
			return
		}
		marks := []bookahead.Time{first}
		for _, t := range x.edges() {
			marks = append(marks, t, t-d+1)
		}
		marks = slices.DeleteFunc(marks, func(t bookahead.Time) bool { return t < first || t > last })
		slices.Sort(marks)
		marks = slices.Compact(marks)
		steps := x.steps()
		var run bookahead.Interval
		for i, t := range marks {
			until := last + 1
			if i+1 < len(marks) {
				until = marks[i+1]
			}
			n, _ := x.choose(steps, r, bookahead.Interval{Start: t, End: t + d})
			switch {
			case n >= r.Units && run.Empty():
				run = bookahead.Interval{Start: t, End: until}
			case n >= r.Units:
				run.End = until
			case !run.Empty():
				if !yield(run) {
					return
				}
				run = bookahead.Interval{}
			}
		}
		if !run.Empty() {
			yield(run)
		}
	}
}

// Overbooked implements bookahead.Closable.
func (x *stepOracle) Overbooked(w bookahead.Interval) iter.Seq[bookahead.Overbooking] {
	return func(yield func(bookahead.Overbooking) bool) {
		steps := x.steps()
		var o bookahead.Overbooking
		for i, s := range steps {
			end := bookahead.MaxTime
			if i+1 < len(steps) {
				end = steps[i+1].start
			}
			cut := bookahead.Interval{Start: max(s.start, w.Start), End: min(end, w.End)}
			n := s.missing + int64(len(s.gone))
			if cut.Empty() {
				continue
			}
			if o.Units > 0 && n == o.Units && slices.Equal(s.gone, o.Servers) {
				o.End = cut.End
				continue
			}
			if o.Units > 0 && !yield(o) {
				return
			}
			o = bookahead.Overbooking{Interval: cut, Units: n, Servers: s.gone}
		}
		if o.Units > 0 {
			yield(o)
		}
	}
}

// Overbooks reports whether a reservation lies on an overbooked stretch.
func (x *stepOracle) Overbooks(id bookahead.ID) bool { return liesOver(x, id) }

// Lift takes a reservation out, as bookahead.Displacer says.
func (x *stepOracle) Lift(id bookahead.ID) (back func() error, err error) { return lift(x, id) }

// ReserveAs reserves under an ID that was lifted, as bookahead.Displacer says.
func (x *stepOracle) ReserveAs(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	return reserveAs(x, id, r)
}

// SearchFor implements bookahead.Keeper.
func (x *stepOracle) SearchFor(id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	return rebooked(x, x, id, r)
}

// Rebook implements bookahead.Keeper.
func (x *stepOracle) Rebook(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	return rebook(x, id, r)
}
