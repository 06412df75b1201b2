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
	f := fleet{Servers: s, idle: make([]calendar, capacity), prefer: c.Prefer, first: latestStart}
	always := make([]bookahead.Interval, capacity)
	for k := range always {
		always[k] = bookahead.Interval{Start: c.Origin, End: bookahead.MaxTime}
		f.idle[k].few = always[k : k+1 : k+1]
	}
	return f, nil
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

// find looks for the earliest place for a request on the servers named, or on
// any, by reading the calendar of each. It returns the idle periods that are
// long enough; if those it came upon first will do, just enough of them.
func (f *fleet) find(r bookahead.Request, first, last bookahead.Time) (bookahead.Time, []Period) {
	found := f.covering(r.Servers, window(first, r), f.enough(r))
	if int64(len(found)) >= r.Units {
		return first, found
	}
	var periods []Period
	for k := range f.all(r.Servers) {
		for p := range f.idle[k].from(first) {
			if p.Start > last {
				break
			}
			periods = append(periods, Period{p, k})
		}
	}
	slices.SortFunc(periods, byStart)
	s := newSweep(r, first)
	for _, p := range periods {
		if t, ok := s.add(p.Interval); ok {
			return t, f.covering(r.Servers, window(t, r), f.enough(r))
		}
	}
	return 0, nil
}

// covering returns the idle periods that contain w, of the servers named or of
// all, and no more than atMost.
func (f *fleet) covering(named []int, w bookahead.Interval, atMost int) []Period {
	var found []Period
	for k := range f.all(named) {
		if p, ok := f.idle[k].begun(w.Start); ok && w.End <= p.End {
			if found = append(found, Period{p, k}); len(found) == atMost {
				break
			}
		}
	}
	return found
}

// enough is how many idle periods must be known to choose from.
func (f *fleet) enough(r bookahead.Request) int {
	if f.prefer == nil && r.Servers == nil {
		return int(r.Units)
	}
	return len(f.idle)
}

// choose picks as many of the periods as r wants, and returns the offer for
// their servers. It reorders the periods: the chosen come first.
func (f *fleet) choose(t bookahead.Time, r bookahead.Request, periods []Period) (bookahead.Offer, []Period) {
	order := f.prefer
	if order == nil && r.Servers != nil {
		order = f.first // they were found in the order in which they are named
	}
	if order != nil {
		periods = order.best(window(t, r), periods, int(r.Units))
	}
	periods = periods[:r.Units]
	list := make([]int, len(periods))
	for i, p := range periods {
		list[i] = p.Server
	}
	return bookahead.Offer{Interval: window(t, r), Units: r.Units, Servers: f.ascending(list)}, periods
}

// ascending sorts servers, of which none is named twice.
func (f *fleet) ascending(list []int) []int {
	if len(list) < len(f.idle)/512 { // too few to look through a set
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
		if p := f.idle[k].take(o.Interval, f.Now); o.End < p.End {
			f.edits = append(f.edits, edit{start: o.End, is: p.End, server: k})
		}
	}
	return f.edits[:len(chosen)], f.edits[len(chosen):]
}

// give makes the servers of a booking idle again. It returns how the idle
// periods change, as take does; those before it in the order of servers.
func (f *fleet) give(b servers.Booking) (before, behind []edit) {
	n := len(b.Servers)
	f.edits = slices.Grow(f.edits[:0], 2*n)[:n]
	for i, k := range slices.Backward(b.Servers) {
		left, right := f.idle[k].give(b.Interval, f.Now)
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

func (f *fleet) clone() fleet {
	c := fleet{Servers: f.Servers.Clone(), idle: make([]calendar, len(f.idle)), prefer: f.prefer, first: f.first}
	for k := range f.idle {
		c.idle[k] = f.idle[k].clone()
	}
	return c
}

// window is the time that r takes up if it starts at t.
func window(t bookahead.Time, r bookahead.Request) bookahead.Interval {
	return bookahead.Interval{Start: t, End: t + bookahead.Time(r.Duration)}
}
