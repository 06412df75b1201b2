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

// Rebook implements bookahead.Keeper. It has only the changes given back and taken.
//
//	               now
//	server 2   ─────│████████░░░░────   kept: the end is given back
//	server 5   ─────│████████────────   added: taken throughout
//	server 7   ─────│░░░░░░░░░░░░────   dropped: given back throughout
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
	held    bookahead.Interval // what old takes up, from now on
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

// choose returns the servers for r in w: those of its own that a reservation keeps, and
// those that it gains.
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
	if others == nil { // at worst, the best ones are those that are kept
		others = s.Roster.Pick(w, more+len(kept), nil)
	}
	return kept, s.pick(w, more, without(others, kept))
}

// pick is that of the Roster, but no names are names of none.
func (s *Schedule) pick(w bookahead.Interval, n int, named []int) []int {
	if len(named) == 0 {
		return nil
	}
	return s.Roster.Pick(w, n, named)
}

// earliest is Search where the reservation's own use counts as free. It matters only to
// starts from which r meets the time that is held; the others are searched as ever.
//
//	held                    ├──────────┤
//	starts   ├─── before ──┤├── meet ──┤├── behind ──
//	                    ├─d─┤
func (s *Schedule) earliest(first, last bookahead.Time, r bookahead.Request, held bookahead.Interval, own []int) (bookahead.Time, bool) {
	d := bookahead.Time(r.Duration)
	if t, ok := s.search(first, first, min(last, held.Start-d), r); ok {
		return t, true
	}
	if t, ok := s.meeting(first, max(first, held.Start-d+1), min(last, held.End-1), r, held, own); ok {
		return t, true
	}
	return s.search(first, max(first, held.End), last, r)
}

// meeting is earliest for the starts from low to high, from which r meets the time that is
// held. No server of the reservation is free there. But it can be kept, if it is free on
// either side, between two edges; and then r needs a server fewer.
//
//	held                         ├───────────┤
//	server 2          ├──────────┤           ├─────┤
//	server 5                ├────┤           ├───────────┤
//	kept         0    │  1  │        2     │     1     │ 0     of them, at starts
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
		if t, ok := s.search(ready, low, e.at-1, r); ok {
			return t, true
		}
		low = e.at
		r.Units -= e.kept
	}
	return 0, false
}

// search is that of the Roster for the starts from low to high that a Search from ready on
// would try. No units fit everywhere.
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
	if ok && steps { // it may have tried more
		t, ok = x.Tried(ready, t)
	}
	return t, ok
}

// idle is that of the Roster. It is empty if t is not in w.
func (s *Schedule) idle(server int, t bookahead.Time, w bookahead.Interval) bookahead.Interval {
	if t < w.Start || t >= w.End {
		return bookahead.Interval{}
	}
	return s.Roster.Idle(server, t, w)
}

// span returns what a reservation of w takes up, from now on.
func (s *Schedule) span(w bookahead.Interval) bookahead.Interval {
	w = s.Ahead(w)
	if x, ok := s.Roster.(Rounder); ok {
		return x.Round(w)
	}
	return w
}

// change does the same with some servers in each window, if there are any.
func change(do func(Booking), list []int32, windows ...bookahead.Interval) {
	for _, w := range windows {
		if len(list) > 0 {
			do(Booking{w, list})
		}
	}
}

// outside returns the parts of w that lie before and behind another window.
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
