package idletree

import (
	"iter"
	"slices"

	"github.com/bits-and-blooms/bitset"
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/servers"
)

// fleet is the part that all forms have in common: a calendar for each server. It answers
// requests that name servers, and is the roster of a Lists.
type fleet struct {
	now    bookahead.Time
	idle   []calendar
	prefer Prefer
	first  order          // the order in which the form finds idle periods
	most   int            // the most idle periods in the array of a calendar
	edits  []edit         // room for the edits that take and give return
	ahead  bookahead.Time // the sum of readAhead; its value means nothing
}

// open returns servers, with calendars for their reservations.
func open(capacity int64, c Config) (servers.Servers, *fleet, error) {
	s, err := servers.Open(capacity, c.Origin, c.Horizon, c.Booked)
	if err != nil {
		return s, nil, err
	}
	runs, err := s.Runs(nil, servers.InConfig)
	if err != nil {
		return s, nil, err
	}
	return s, newFleet(&s, c.Prefer, runs, nil), nil
}

// newFleet returns calendars for servers that are booked in runs, which come by server and then
// by start. Server k has been idle since since[k], or since now if since is nil, wherever it is
// not booked. All periods are in one array, until a calendar needs more room.
func newFleet(s *servers.Servers, prefer Prefer, runs []servers.Run, since []bookahead.Time) *fleet {
	f := &fleet{
		now: s.Now, idle: make([]calendar, s.Capacity),
		prefer: prefer, first: latestStart, most: mostInArray,
	}
	all := make([]bookahead.Interval, 0, len(runs)+len(f.idle))
	for k := range f.idle {
		first := len(all)
		p := bookahead.Interval{Start: s.Now, End: bookahead.MaxTime}
		if since != nil {
			p.Start = since[k]
		}
		for len(runs) > 0 && int(runs[0].Server) == k {
			w := runs[0]
			if p.Start < w.Start {
				all = append(all, bookahead.Interval{Start: p.Start, End: w.Start})
			}
			p.Start = w.End
			runs = runs[1:]
		}
		if !p.Empty() {
			all = append(all, p)
		}
		f.idle[k].few = all[first:len(all):len(all)]
		f.idle[k].limit(f.most)
	}
	return f
}

func (f *fleet) calendars() *fleet { return f }

// rest returns the time from t on.
func rest(t bookahead.Time) bookahead.Interval {
	return bookahead.Interval{Start: t, End: bookahead.MaxTime}
}

// all yields the servers named, or every server if named is nil.
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

// finder finds idle periods: a fleet by its calendars, a tree by its index.
type finder interface {
	// best returns the most preferred idle periods for r at t: as many as r has units,
	// or fewer if there are fewer. It may write them into room.
	best(r bookahead.Request, t bookahead.Time, room []Period) []Period
	// later returns the earliest start after first and no later than last. begun are the
	// idle periods for r at first, of which there are too few.
	later(r bookahead.Request, first, last bookahead.Time, begun []Period) (bookahead.Time, bool)
	// latest returns the latest start from first to last.
	latest(r bookahead.Request, first, last bookahead.Time) (bookahead.Time, bool)
}

// search returns the start for r, and the idle periods for r there. It may write them into
// room.
func search(by finder, t, last bookahead.Time, r bookahead.Request, room []Period) (bookahead.Time, []Period, bool) {
	found := by.best(r, t, room)
	if int64(len(found)) < r.Units {
		later, ok := by.later(r, t, last, found)
		if !ok {
			return 0, nil, false
		}
		t, found = later, by.best(r, later, found)
	}
	return t, found, true
}

// Search takes O(N log m) for N servers, each with m idle periods, if enough servers are free
// at the ready time. Otherwise it takes O((N + i) log p) for p idle periods, of which i begin
// between the ready time and the start found. If servers are named, it reads only their
// calendars.
func (f *fleet) Search(first, last bookahead.Time, r bookahead.Request) (bookahead.Time, []int, bool) {
	t, found, ok := search(f, first, last, r, nil)
	return t, f.serversOf(found), ok
}

// best reads the calendars of the servers named, or of all.
func (f *fleet) best(r bookahead.Request, t bookahead.Time, room []Period) []Period {
	c := f.picks(r, t, room)
	for p := range f.covering(r.Servers, c.w) {
		if !c.add(p) {
			break
		}
	}
	return c.heap.list
}

// picks returns picks that are ready to collect the idle periods for r at t.
func (f *fleet) picks(r bookahead.Request, t bookahead.Time, room []Period) picks {
	order := f.prefer.order
	if order == nil && r.Servers != nil {
		order = f.first // otherwise the order of the names would decide
	}
	if room == nil {
		room = make([]Period, 0, min(r.Units, 64))
	}
	return newPicks(servers.Window(t, r), int(r.Units), order, room)
}

// later takes O((s + i) log p) for s servers with p idle periods, of which i begin after
// first and no later than the start found.
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
		t, ok := s.add(p.Interval)
		if ok {
			return t, true
		}
	}
}

// merged returns the idle periods of the servers named, or of all, that start after t and no later
// than by, one by one.
func (f *fleet) merged(named []int, after, by bookahead.Time) merger {
	return newMerger(f.idle, f.all(named), after, by)
}

func (f *fleet) Pick(w bookahead.Interval, n int, named []int) []int {
	if named != nil || n < len(f.idle) {
		return f.pick(f, w, n, named)
	}
	var free []int
	for p := range f.covering(nil, w) {
		free = append(free, p.Server)
	}
	return free
}

// pick is Pick where not all free servers are wanted.
func (f *fleet) pick(by finder, w bookahead.Interval, n int, named []int) []int {
	r := bookahead.Request{Duration: w.Len(), Units: int64(n), Servers: named}
	return f.serversOf(by.best(r, w.Start, nil))
}

// covering yields the idle periods of the servers named, or of all, that contain w.
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

func (f *fleet) Idle(server int, t bookahead.Time, w bookahead.Interval) bookahead.Interval {
	p, ok := f.around(server, bookahead.Interval{Start: t, End: t + 1})
	if !ok {
		return bookahead.Interval{}
	}
	return p.Intersect(w)
}

func (f *fleet) Blocks(w bookahead.Interval) iter.Seq[bookahead.Block] {
	return func(yield func(bookahead.Block) bool) {
		for _, p := range f.periods(nil, w) {
			p.Interval = p.Intersect(w)
			if !yield(p.block()) {
				return
			}
		}
	}
}

// periods returns the idle periods of the servers named, or of all, that overlap w, in the
// order byStart.
func (f *fleet) periods(named []int, w bookahead.Interval) (list []Period) {
	for k := range f.all(named) {
		for p := range f.idle[k].from(w.Start) {
			if p.Start >= w.End {
				break
			}
			list = append(list, Period{p, k})
		}
	}
	slices.SortFunc(list, byStart)
	return list
}

// serversOf returns the servers of some periods, ascending.
func (f *fleet) serversOf(periods []Period) []int {
	if len(periods) == 0 {
		return nil
	}
	list := make([]int, len(periods))
	for i, p := range periods {
		list[i] = p.Server
	}
	return f.ascending(list)
}

// ascending sorts servers, of which none is in the list twice.
func (f *fleet) ascending(list []int) []int {
	if len(list) < len(f.idle)/128 { // a set of all servers would take longer to read than a sort
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

func (f *fleet) Book(first, last bookahead.Time, r bookahead.Request) (bookahead.Time, []int, bool) {
	t, chosen, ok := search(f, first, last, r, nil)
	if !ok {
		return 0, nil, false
	}
	list := f.serversOf(chosen)
	f.take(servers.Window(t, r), list, chosen)
	return t, list, true
}

func (f *fleet) Take(b servers.Booking) {
	list, chosen := f.periodsOf(b)
	f.take(b.Interval, list, chosen)
}

// periodsOf returns the servers of a booking, and the idle period of each that contains it.
func (f *fleet) periodsOf(b servers.Booking) ([]int, []Period) {
	list, chosen := make([]int, len(b.Servers)), make([]Period, len(b.Servers))
	for i, k := range b.Servers {
		list[i] = int(k)
		chosen[i], _ = f.around(int(k), b.Interval)
	}
	return list, chosen
}

// take books servers in the idle periods chosen for w. It returns the edits of the idle
// periods: of the parts before w, in the order of the chosen, and of the parts behind w, in
// the order byStart. Together they are f.edits.
func (f *fleet) take(w bookahead.Interval, list []int, chosen []Period) (before, behind []edit) {
	f.ahead = readAhead(f.idle, list)
	f.edits = f.edits[:0]
	for _, p := range chosen {
		e := edit{start: p.Start, was: p.End, is: w.Start, server: p.Server}
		if w.Start <= max(p.Start, f.now) {
			e.is = 0
		}
		f.edits = append(f.edits, e)
	}
	for _, k := range slices.Backward(list) {
		p := f.book(k, w)
		if w.End < p.End {
			f.edits = append(f.edits, edit{start: w.End, is: p.End, server: k})
		}
	}
	return f.edits[:len(chosen)], f.edits[len(chosen):]
}

func (f *fleet) Give(b servers.Booking) { f.give(b) }

// give makes the servers of a booking idle again. It returns the edits as take does, but
// those of the parts before the booking in the order of its servers.
func (f *fleet) give(b servers.Booking) (before, behind []edit) {
	f.ahead = readAhead(f.idle, b.Servers)
	n := len(b.Servers)
	f.edits = slices.Grow(f.edits[:0], 2*n)[:n]
	for i, k := range slices.Backward(b.Servers) {
		left, right := f.free(int(k), b.Interval)
		e := edit{start: b.Start, is: b.End, server: int(k)}
		if !left.Empty() {
			e.start = left.Start
			if left.End > f.now {
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
	p := f.idle[server].take(w, f.now)
	f.idle[server].limit(f.most)
	return p
}

// free is calendar.give for a server.
func (f *fleet) free(server int, w bookahead.Interval) (left, right bookahead.Interval) {
	left, right = f.idle[server].give(w, f.now)
	f.idle[server].limit(f.most)
	return left, right
}

func (f *fleet) Forget(past bookahead.Interval) { f.now = past.End }

func (f *fleet) copied() fleet {
	c := *f
	c.idle, c.edits = make([]calendar, len(f.idle)), nil
	for k := range f.idle {
		c.idle[k] = f.idle[k].clone()
	}
	return c
}
