package scheduletest

import (
	"cmp"
	"fmt"
	"iter"
	"math/big"
	"slices"

	"github.com/bookahead/bookahead"
)

// oracle is a schedule that is right because it is simple. The offers of a structure
// are written into the oracle, so that both go on from the same state even where the
// structure is free to choose.
type oracle interface {
	bookahead.Keeper
	bookahead.Opener
	bookahead.Closable
	bookahead.Tracker

	// place finds the earliest start of r, as Search does.
	place(r bookahead.Request) (bookahead.Time, error)
	// allows returns the reason why o is no answer to r, or nil.
	allows(r bookahead.Request, o bookahead.Offer) error
	// share counts the units that are free throughout w and that r allows. If these are servers,
	// it lists the servers in own apart from the others.
	share(r bookahead.Request, w bookahead.Interval, own []int) (kept, others []int, n int64)
	// book enters o, and returns its ID.
	book(o bookahead.Offer) bookahead.ID
	// restore enters o under an ID that has been released.
	restore(id bookahead.ID, o bookahead.Offer)
	// check returns the reason why no state makes sense of r, or nil.
	check(r bookahead.Request) error
	clone() oracle
	// without returns a clone in which a reservation has been released, and yet may keep
	// its place: there it has its own units besides those that are free for others.
	without(res bookahead.Reservation) oracle
	// most is the largest number of units that a request may have.
	most() int64

	now() bookahead.Time
	end() bookahead.Time           // the end of the time that can be booked
	busy() bookahead.Time          // from this tick on nothing is booked, and nothing changes
	live() []bookahead.Reservation // booked and not ended, by ID
	given() bookahead.ID           // the ID given last
}

// axis is the part that both oracles share: the clock, the horizon, the rules of the
// representation, the reservations, and the closures.
type axis struct {
	closing
	target   Target
	capacity int64
	origin   bookahead.Time
	clock    bookahead.Time
	horizon  bookahead.Duration
	last     bookahead.ID
	booked   map[bookahead.ID]bookahead.Offer
	own      bookahead.Reservation // see without
	tracks   bool
}

func newAxis(target Target, c Config) (axis, error) {
	if target.Slot == 0 {
		target.Slot = 1
	}
	if target.Step == 0 {
		target.Step = 1
	}
	a := axis{
		target: target, capacity: c.Capacity, origin: c.Origin, clock: c.Origin, horizon: c.Horizon,
		booked: map[bookahead.ID]bookahead.Offer{},
	}
	if target.Servers {
		a.servers = int(c.Capacity)
	}
	if c.Capacity < 1 {
		return a, invalid("capacity", c.Capacity)
	}
	if c.Origin < 0 {
		return a, invalid("Config.Origin", c.Origin)
	}
	if c.Horizon < 0 || c.Horizon == 0 && target.Bounded {
		return a, invalid("Config.Horizon", c.Horizon)
	}
	if _, err := c.Origin.Add(c.Horizon); err != nil {
		return a, invalid("Config.Horizon", c.Horizon)
	}
	return a, nil
}

func (a *axis) now() bookahead.Time { return a.clock }

func (a *axis) end() bookahead.Time {
	if a.horizon == 0 {
		return bookahead.MaxTime
	}
	return a.clock + bookahead.Time(a.horizon)
}

func (a *axis) given() bookahead.ID { return a.last }

func (a *axis) busy() bookahead.Time {
	t := max(a.clock, a.settled(), a.own.End)
	for _, o := range a.booked {
		t = max(t, a.rounded(o.Interval).End)
	}
	return t
}

func (a *axis) live() []bookahead.Reservation {
	var all []bookahead.Reservation
	for id := bookahead.ID(1); id <= a.last; id++ {
		if o, ok := a.booked[id]; ok && o.End > a.clock {
			all = append(all, bookahead.Reservation{ID: id, Offer: o})
		}
	}
	return all
}

// Frame implements bookahead.Keeper.
func (a *axis) Frame() bookahead.Frame {
	f := bookahead.Frame{Now: a.clock, Horizon: a.end(), Capacity: a.capacityAt(a.clock), Servers: a.servers}
	if a.target.Servers {
		f.Capacity = 0
		for k := range a.servers {
			if !a.shut(k, a.clock) {
				f.Capacity++
			}
		}
	}
	return f
}

// Reservation implements bookahead.Keeper.
func (a *axis) Reservation(id bookahead.ID) (bookahead.Reservation, error) {
	o, ok := a.booked[id]
	if !ok || o.End <= a.clock {
		return bookahead.Reservation{}, bookahead.ErrNotFound
	}
	o.Servers = slices.Clone(o.Servers)
	return bookahead.Reservation{ID: id, Offer: o}, nil
}

// Reservations implements bookahead.Keeper.
func (a *axis) Reservations(w bookahead.Interval) iter.Seq[bookahead.Reservation] {
	return func(yield func(bookahead.Reservation) bool) {
		list := slices.DeleteFunc(a.live(), func(res bookahead.Reservation) bool {
			return max(res.Start, w.Start) >= min(res.End, w.End)
		})
		slices.SortStableFunc(list, func(x, y bookahead.Reservation) int { return cmp.Compare(x.Start, y.Start) })
		for _, res := range list {
			res.Servers = slices.Clone(res.Servers)
			if !yield(res) {
				return
			}
		}
	}
}

// check finds mistakes in a request, in numbers that cannot overflow and without the help of
// Request.Validate. A request that is too large is no mistake (law 9).
func (a *axis) check(r bookahead.Request) error {
	end := new(big.Int).Add(big.NewInt(int64(r.Ready)), big.NewInt(int64(r.Duration)))
	switch {
	case r.Units <= 0:
		return invalid("Request.Units", r.Units)
	case r.Duration <= 0 || !end.IsInt64():
		return invalid("Request.Duration", r.Duration)
	case r.Deadline != 0 && end.Cmp(big.NewInt(int64(r.Deadline))) > 0:
		return invalid("Request.Deadline", r.Deadline)
	case r.Servers == nil:
		return nil
	case !a.target.Servers || int64(len(r.Servers)) < r.Units:
		return invalid("Request.Servers", r.Servers)
	}
	seen := map[int]bool{}
	for _, s := range r.Servers {
		if s < 0 || s >= a.servers || seen[s] {
			return invalid("Request.Servers", s)
		}
		seen[s] = true
	}
	return nil
}

// starts calls fits for each start that the representation can express, in
// order, until it returns true.
func (a *axis) starts(r bookahead.Request, fits func(bookahead.Interval) bool) (bookahead.Time, error) {
	start := max(r.Ready, a.clock)
	free := max(start, a.busy()) // the first tick from which on nothing changes
	for tried := 0; a.target.Attempts == 0 || tried < a.target.Attempts; tried++ {
		end, err := start.Add(r.Duration)
		if err != nil || end > a.end() || r.Deadline != 0 && end > r.Deadline {
			break
		}
		if fits(bookahead.Interval{Start: start, End: end}) {
			return start, nil
		}
		if start > free {
			break // no later start is any different
		}
		start, err = start.Add(a.target.Step)
		if err != nil {
			break
		}
	}
	return 0, bookahead.ErrUnavailable
}

// openings calls fits for each tick at which r may start, and joins the ticks at which it returns
// true. All ticks are alike from the tick on after which nothing changes.
func (a *axis) openings(r bookahead.Request, fits func(bookahead.Interval) bool) (list []bookahead.Interval) {
	d, end := bookahead.Time(r.Duration), a.end()
	if r.Deadline != 0 {
		end = min(end, r.Deadline)
	}
	first, last := max(r.Ready, a.clock), end-d
	free := max(first, a.busy())
	for t := first; t <= min(last, free); t++ {
		if !fits(bookahead.Interval{Start: t, End: t + d}) {
			continue
		}
		until := t + 1
		if t == free {
			until = last + 1
		}
		k := len(list) - 1
		if k >= 0 && list[k].End == t {
			list[k].End = until
		} else {
			list = append(list, bookahead.Interval{Start: t, End: until})
		}
	}
	return list
}

// window checks a window, and cuts it to the time that can be booked.
func (a *axis) window(w bookahead.Interval) (bookahead.Interval, error) {
	if w.End <= w.Start {
		return w, invalid("window", w)
	}
	w.Start, w.End = max(w.Start, a.clock), min(w.End, a.end())
	if w.End <= w.Start {
		w = bookahead.Interval{}
	}
	return w, nil
}

// rounded returns the window that a booking takes up.
func (a *axis) rounded(w bookahead.Interval) bookahead.Interval {
	slot := bookahead.Time(a.target.Slot)
	w.Start -= w.Start % slot
	if w.End%slot != 0 {
		w.End = later(w.End, slot-w.End%slot)
	}
	return w
}

func (a *axis) enter(o bookahead.Offer) bookahead.ID {
	a.last++
	a.booked[a.last] = o
	return a.last
}

func (a *axis) strike(id bookahead.ID) (bookahead.Offer, error) {
	o, ok := a.booked[id]
	if !ok || o.End <= a.clock {
		return o, bookahead.ErrNotFound
	}
	delete(a.booked, id)
	return o, nil
}

// Advance implements bookahead.Schedule.
func (a *axis) Advance(now bookahead.Time) error {
	if now < a.clock {
		return invalid("now", now)
	}
	if _, err := now.Add(a.horizon); err != nil {
		return invalid("now", now)
	}
	a.clock = now
	a.forget(now)
	return nil
}

func invalid(field string, value any) error {
	return &bookahead.InvalidError{Field: field, Value: value, Reason: "is refused by the oracle"}
}

// misplaced returns the reason why the window of an offer does not answer a request.
func (a *axis) misplaced(r bookahead.Request, o bookahead.Offer) error {
	switch {
	case o.Units != r.Units:
		return fmt.Errorf("offer %v has %d units, not %d", o, o.Units, r.Units)
	case o.End-o.Start != bookahead.Time(r.Duration):
		return fmt.Errorf("offer %v is %d ticks long, not %d", o, o.End-o.Start, r.Duration)
	case o.Start < r.Ready:
		return fmt.Errorf("offer %v starts before the ready time %d", o, r.Ready)
	case o.Start < a.clock:
		return fmt.Errorf("offer %v starts before now, %d", o, a.clock)
	case r.Deadline != 0 && o.End > r.Deadline:
		return fmt.Errorf("offer %v ends after the deadline %d", o, r.Deadline)
	case o.End > a.end():
		return fmt.Errorf("offer %v ends after the horizon %d", o, a.end())
	}
	return nil
}
