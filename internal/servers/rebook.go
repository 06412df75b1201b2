package servers

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
)

// SearchFor implements bookahead.Keeper.
func (s *Schedule) SearchFor(id bookahead.ID, r bookahead.Request) (bookahead.Offer, error) {
	p, err := s.plan(id, r)
	if err != nil {
		return bookahead.Offer{}, err
	}
	return p.to.reservation(id).Offer, nil
}

// Rebook implements bookahead.Keeper. Only the differences are given back and taken:
//
//	               now
//	server 2   ─────│████████░░░░────   kept: the end is given back
//	server 5   ─────│████████────────   added: taken throughout
//	server 7   ─────│░░░░░░░░░░░░────   given up: given back throughout
func (s *Schedule) Rebook(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	p, err := s.plan(id, r)
	if err != nil {
		return bookahead.Reservation{}, err
	}
	kept, held, w := convert[int32](p.kept), p.held, s.span(p.to.Interval)
	change(s.give, without(p.old.Servers, kept), held)
	change(s.give, kept, outside(held, w)...)
	change(s.Roster.Take, kept, outside(w, held)...)
	change(s.Roster.Take, without(p.to.Servers, kept), w)
	s.Booked.Set(id, p.to)
	s.where.remove(id, p.old)
	s.where.add(id, p.to, s.Now)
	return p.to.reservation(id), nil
}

// plan is a Rebook that is known to be possible.
type plan struct {
	old, to Booking
	held    bookahead.Interval // the time that old takes up, from now on
	kept    []int              // the servers that are in both
}

func (s *Schedule) plan(id bookahead.ID, r bookahead.Request) (plan, error) {
	old, ok := s.Booked.Get(id, s.Now)
	if !ok {
		return plan{}, bookahead.ErrNotFound
	}
	first, last, err := s.StartsAnew(old.Interval, r)
	if err != nil {
		return plan{}, err
	}
	r.Servers = ascending(r.Servers)
	p := plan{old: old, held: s.span(old.Interval)}
	own := convert[int](old.Servers)
	if r.Servers != nil {
		own = slices.DeleteFunc(own, func(k int) bool { return !in(r.Servers, k) })
	}
	t := first
	if first < last {
		t, ok = s.earliest(first, last, r, p.held, own)
		if !ok {
			return plan{}, bookahead.ErrUnavailable
		}
	}
	w := Window(t, r)
	var added []int
	p.kept, added = s.choose(s.span(w), r, p.held, own)
	n, running := int(r.Units), old.Start <= s.Now
	if len(p.kept)+len(added) < n || running && len(p.kept) < min(n, len(old.Servers)) {
		return plan{}, bookahead.ErrUnavailable
	}
	p.to = Booking{w, convert[int32](slices.Concat(p.kept, added))}
	slices.Sort(p.to.Servers)
	return p, nil
}

// choose returns the servers for r in w: the reservation's own servers that it keeps, and the
// servers that it gains.
func (s *Schedule) choose(w bookahead.Interval, r bookahead.Request, held bookahead.Interval, own []int) (kept, added []int) {
	kept = own
	for _, part := range outside(w, held) {
		kept = s.pick(part, len(kept), kept)
	}
	more := int(r.Units) - len(kept)
	if more <= 0 {
		return kept[:r.Units], nil
	}
	others := r.Servers
	if others == nil { // the best may all be kept ones, so ask for that many more
		others = s.Roster.Pick(w, more+len(kept), nil)
	}
	return kept, s.pick(w, more, without(others, kept))
}

// pick is Roster.Pick, but an empty list of names, nil too, names no server.
func (s *Schedule) pick(w bookahead.Interval, n int, named []int) []int {
	if len(named) == 0 {
		return nil
	}
	return s.Roster.Pick(w, n, named)
}

// earliest is Search with the reservation's own use counted as free. Its own use matters only to
// starts from which r overlaps the time that is held; other starts are searched as usual.
//
//	held                    ├──────────┤
//	starts   ├─── before ──┤├── meet ──┤├── behind ──
//	                    ├─d─┤
func (s *Schedule) earliest(first, last bookahead.Time, r bookahead.Request, held bookahead.Interval, own []int) (bookahead.Time, bool) {
	d := bookahead.Time(r.Duration)
	t, ok := s.search(first, first, min(last, held.Start-d), r)
	if ok {
		return t, true
	}
	t, ok = s.meeting(first, max(first, held.Start-d+1), min(last, held.End-1), r, held, own)
	if ok {
		return t, true
	}
	return s.search(first, max(first, held.End), last, r)
}

// meeting is earliest for the starts from low to high, from which r overlaps the time that is
// held. The Roster has no server of the reservation idle there. But between two edges a server
// can be kept, if it is free on either side as far as r reaches. Then r needs a server fewer.
//
//	held                         ├───────────┤
//	server 2          ├──────────┤           ├─────┤
//	server 5                ├────┤           ├───────────┤
//	kept         0    │  1  │        2     │     1     │ 0     own servers kept, by start
//	                                     d ├──────┤
func (s *Schedule) meeting(ready, low, high bookahead.Time, r bookahead.Request, held bookahead.Interval, own []int) (bookahead.Time, bool) {
	type edge struct {
		at   bookahead.Time
		kept int64
	}
	edges := []edge{{high + 1, 0}}
	d := bookahead.Time(r.Duration)
	all := bookahead.Interval{Start: low, End: high + d}
	for _, k := range own {
		stretch := held
		before, behind := s.idle(k, held.Start-1, all), s.idle(k, held.End, all)
		if !before.Empty() {
			stretch.Start = before.Start
		}
		if !behind.Empty() {
			stretch.End = behind.End
		}
		from, to := max(low, stretch.Start), min(high, stretch.End-d)
		if from <= to {
			edges = append(edges, edge{from, 1}, edge{to + 1, -1})
		}
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Compare(a.at, b.at) })
	for _, e := range edges {
		t, ok := s.search(ready, low, e.at-1, r)
		if ok {
			return t, true
		}
		low = e.at
		r.Units -= e.kept
	}
	return 0, false
}

// search is Roster.Search for the starts from low to high that a Search from ready on would try.
// A request of no units fits at the first of them.
func (s *Schedule) search(ready, low, high bookahead.Time, r bookahead.Request) (bookahead.Time, bool) {
	x, steps := s.Roster.(Stepper)
	ok := true
	if steps {
		low, ok = x.Tried(ready, low)
	}
	if !ok || low > high || r.Units <= 0 {
		return low, ok && low <= high
	}
	t, _, ok := s.Roster.Search(low, high, r)
	if ok && steps { // the Search from low may have tried more starts
		t, ok = x.Tried(ready, t)
	}
	return t, ok
}

// idle is Roster.Idle, and empty if t is not in w.
func (s *Schedule) idle(server int, t bookahead.Time, w bookahead.Interval) bookahead.Interval {
	if t < w.Start || t >= w.End {
		return bookahead.Interval{}
	}
	return s.Roster.Idle(server, t, w)
}

// span returns the time that a reservation of w takes up, from now on.
func (s *Schedule) span(w bookahead.Interval) bookahead.Interval {
	w = s.Ahead(w)
	if x, ok := s.Roster.(Rounder); ok {
		return x.Round(w)
	}
	return w
}

// change calls do for some servers in each window, if there are any servers.
func change(do func(Booking), list []int32, windows ...bookahead.Interval) {
	for _, w := range windows {
		if len(list) > 0 {
			do(Booking{w, list})
		}
	}
}

// outside returns the parts of w before and after another window.
func outside(w, other bookahead.Interval) []bookahead.Interval {
	before := bookahead.Interval{Start: w.Start, End: min(w.End, other.Start)}
	behind := bookahead.Interval{Start: max(w.Start, other.End), End: w.End}
	return slices.DeleteFunc([]bookahead.Interval{before, behind}, bookahead.Interval.Empty)
}

// without returns the servers of a list that are not in another.
func without[S int | int32](list, other []S) []S {
	return slices.DeleteFunc(slices.Clone(list), func(k S) bool { return in(other, k) })
}

// in reports whether a server is in a list. O(log n).
func in[S int | int32](list []S, server S) bool {
	_, found := slices.BinarySearch(list, server)
	return found
}
