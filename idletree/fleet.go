package idletree

import (
	"cmp"
	"iter"
	"slices"

	"github.com/bits-and-blooms/bitset"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/servers"
)

// fleet is what all forms have in common: who is booked, and when each server
// is idle. It answers what concerns servers that are named.
type fleet struct {
	servers.Servers
	idle   []calendar
	prefer Prefer
	first  Prefer // the order in which the form finds idle periods
	bound  bound  // of prefer
	most   int    // idle periods in the array of a calendar
	edits  []edit // room for what take and give return
}

// edit says that the idle period of a server that begins at start has ended at
// was, and ends at is from now on. A time of 0 stands for no period, or one that
// lies in the past.
type edit struct {
	start, was, is bookahead.Time
	server         int
}

// compare is byStart for edits.
func (e edit) compare(f edit) int {
	if c := cmp.Compare(e.start, f.start); c != 0 {
		return c
	}
	return cmp.Compare(f.server, e.server)
}

// newFleet returns servers that are all idle.
func newFleet(capacity int64, c Config) (fleet, error) {
	s, err := servers.New(capacity, c.Origin, c.Horizon)
	if err != nil {
		return fleet{}, err
	}
	f := unbooked(s, c.Prefer)
	if always := (bookahead.Interval{Start: c.Origin, End: bookahead.MaxTime}); !always.Empty() {
		each := slices.Repeat([]bookahead.Interval{always}, len(f.idle))
		for k := range f.idle {
			f.idle[k].few = each[k : k+1 : k+1]
		}
	}
	return f, nil
}

// unbooked returns those servers with calendars in which nothing is, not even idle
// periods.
func unbooked(s servers.Servers, prefer Prefer) fleet {
	return fleet{
		Servers: s, idle: make([]calendar, s.Capacity), prefer: prefer, first: latestStart,
		bound: prefer.bound(), most: mostInArray,
	}
}

// all yields every server, or those named.
func (f *fleet) all(named []int) iter.Seq[int] {
	if named != nil {
		return slices.Values(named)
	}
	return func(yield func(int) bool) {
		for k := range f.idle {
			if !yield(k) {
				return
			}
		}
	}
}

// finder finds idle periods: a fleet by its calendars, a Tree by its index.
type finder interface {
	// best returns the best of the idle periods for r at t, or as many as there
	// are. It may use room for them.
	best(r bookahead.Request, t bookahead.Time, room []Period) []Period
	// later returns the earliest start after first and by last. begun are the
	// idle periods for r at first, of which there are too few.
	later(r bookahead.Request, first, last bookahead.Time, begun []Period) (bookahead.Time, bool)
}

// search is Schedule.Search. It also returns the idle periods of the offer, for
// which it may use room.
func (f *fleet) search(by finder, r bookahead.Request, room []Period) (bookahead.Offer, []Period, error) {
	t, last, err := f.Starts(r)
	if err != nil {
		return bookahead.Offer{}, nil, err
	}
	found := by.best(r, t, room)
	if int64(len(found)) < r.Units {
		later, ok := by.later(r, t, last, found)
		if !ok {
			return bookahead.Offer{}, nil, bookahead.ErrUnavailable
		}
		t, found = later, by.best(r, later, found)
	}
	return f.offer(r, t, found), found, nil
}

// best reads the calendar of each server that is named, or of all.
func (f *fleet) best(r bookahead.Request, t bookahead.Time, room []Period) []Period {
	c := f.picks(r, t, room)
	for p := range f.covering(r.Servers, c.w) {
		if !c.add(p) {
			break
		}
	}
	return c.heap.list
}

// picks is to collect the idle periods for r at t.
func (f *fleet) picks(r bookahead.Request, t bookahead.Time, room []Period) picks {
	prefer := f.prefer
	if prefer == nil && r.Servers != nil {
		prefer = f.first // they are found in the order in which they are named
	}
	if room == nil {
		room = make([]Period, 0, min(r.Units, 64))
	}
	return newPicks(window(t, r), int(r.Units), prefer, room)
}

// later takes O((s + i) log p) for s servers with p idle periods, of which i begin
// after first and by the start that is found.
func (f *fleet) later(r bookahead.Request, first, last bookahead.Time, begun []Period) (bookahead.Time, bool) {
	if first == last {
		return 0, false
	}
	s, m := newSweep(r, first, begun), f.merged(r.Servers, first, last)
	for {
		p, ok := m.pull()
		if !ok {
			return 0, false
		}
		if t, ok := s.add(p.Interval); ok {
			return t, true
		}
	}
}

// covering yields the idle periods that contain w, of the servers named or of all.
func (f *fleet) covering(named []int, w bookahead.Interval) iter.Seq[Period] {
	return func(yield func(Period) bool) {
		for k := range f.all(named) {
			if p, ok := f.around(k, w); ok && !yield(p) {
				return
			}
		}
	}
}

// around returns the idle period of a server that contains w.
func (f *fleet) around(server int, w bookahead.Interval) (Period, bool) {
	p, ok := f.idle[server].begun(w.Start)
	return Period{p, server}, ok && w.End <= p.End
}

// offer is to use those periods for r at t.
func (f *fleet) offer(r bookahead.Request, t bookahead.Time, periods []Period) bookahead.Offer {
	list := make([]int, len(periods))
	for i, p := range periods {
		list[i] = p.Server
	}
	return bookahead.Offer{Interval: window(t, r), Units: r.Units, Servers: f.ascending(list)}
}

// ascending sorts servers, of which none is named twice.
func (f *fleet) ascending(list []int) []int {
	if len(list) < len(f.idle)/128 { // too few to look through a set
		slices.Sort(list)
		return list
	}
	set := bitset.New(uint(len(f.idle)))
	for _, k := range list {
		set.Set(uint(k))
	}
	list = list[:0]
	for k := range set.EachSet() {
		list = append(list, int(k))
	}
	return list
}

// take books an offer in the idle periods chosen for it. It returns how the idle
// periods change: those before the offer, in the order of the chosen, and those
// behind it, byStart. Together they are f.edits.
func (f *fleet) take(o bookahead.Offer, chosen []Period) (before, behind []edit) {
	f.edits = f.edits[:0]
	for _, p := range chosen {
		e := edit{start: p.Start, was: p.End, is: o.Start, server: p.Server}
		if o.Start <= max(p.Start, f.Now) {
			e.is = 0
		}
		f.edits = append(f.edits, e)
	}
	for _, k := range slices.Backward(o.Servers) {
		if p := f.book(k, o.Interval); o.End < p.End {
			f.edits = append(f.edits, edit{start: o.End, is: p.End, server: k})
		}
	}
	return f.edits[:len(chosen)], f.edits[len(chosen):]
}

// strike takes a reservation out, and returns what is left of it: a server that
// was running till now has not been idle. The error is bookahead.ErrNotFound.
func (f *fleet) strike(id bookahead.ID) (servers.Booking, error) {
	b, err := f.Strike(id)
	b.Start = max(b.Start, f.Now)
	return b, err
}

// give makes the servers of a booking idle again. It returns how the idle
// periods change, as take does; those before it in the order of servers.
func (f *fleet) give(b servers.Booking) (before, behind []edit) {
	n := len(b.Servers)
	f.edits = slices.Grow(f.edits[:0], 2*n)[:n]
	for i, k := range slices.Backward(b.Servers) {
		left, right := f.free(int(k), b.Interval)
		e := edit{start: b.Start, is: b.End, server: int(k)}
		if !left.Empty() {
			e.start = left.Start
			if left.End > f.Now {
				e.was = left.End
			}
		}
		if !right.Empty() {
			e.is = right.End
			f.edits = append(f.edits, edit{start: right.Start, was: right.End, server: int(k)})
		}
		f.edits[i] = e
	}
	return f.edits[:n], f.edits[n:]
}

// book is calendar.take for a server.
func (f *fleet) book(server int, w bookahead.Interval) bookahead.Interval {
	p := f.idle[server].take(w, f.Now)
	f.idle[server].limit(f.most)
	return p
}

// free is calendar.give for a server.
func (f *fleet) free(server int, w bookahead.Interval) (left, right bookahead.Interval) {
	left, right = f.idle[server].give(w, f.Now)
	f.idle[server].limit(f.most)
	return left, right
}

func (f *fleet) clone() fleet {
	c := *f
	c.Servers, c.idle, c.edits = f.Servers.Clone(), make([]calendar, len(f.idle)), nil
	for k := range f.idle {
		c.idle[k] = f.idle[k].clone()
	}
	return c
}

// window is the time that r takes up if it starts at t.
func window(t bookahead.Time, r bookahead.Request) bookahead.Interval {
	return bookahead.Interval{Start: t, End: t + bookahead.Time(r.Duration)}
}
