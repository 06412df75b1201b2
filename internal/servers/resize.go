package servers

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// Structure is what Resize asks of a structure, and has done in it. Servers are in
// ascending order, and windows are as Round makes them, or parts of such.
type Structure struct {
	// Round returns what a reservation in w takes up; nil if that is just w.
	Round func(w bookahead.Interval) bookahead.Interval
	// Idle returns what tells whether a server is free throughout w.
	Idle func(w bookahead.Interval) func(server int32) bool
	// Choose returns the n servers that Reserve would choose of those that are
	// free throughout w and not in beside; or fewer, if there are too few. Their
	// order does not matter. What is kept of the reservation is beside, be it free
	// in w or not; the rest of it is not free.
	Choose func(w bookahead.Interval, n int, beside []int32) []int
	// Give makes servers free that were booked throughout.
	Give func(b Booking)
	// Take books servers that are free throughout.
	Take func(b Booking)
}

// Resize does what bookahead.Resizer says. Once it is known that all fits, it has
// only what changes given back and taken.
//
//	               now
//	server 2   ─────│████████░░░░────   kept: the end is given back
//	server 5   ─────│████████────────   added: taken throughout
//	server 7   ─────│░░░░░░░░░░░░────   dropped: given back throughout
func (s *Servers) Resize(id bookahead.ID, to bookahead.Interval, units int64, in Structure) (bookahead.Reservation, error) {
	if err := s.CheckResize(to, units); err != nil {
		return bookahead.Reservation{}, err
	}
	old, ok := s.Booked.Get(id, s.Now)
	if !ok {
		return bookahead.Reservation{}, bookahead.ErrNotFound
	}
	if to.End > s.End {
		return bookahead.Reservation{}, bookahead.ErrUnavailable
	}
	held, w := in.round(s.Ahead(old.Interval)), in.round(s.Ahead(to))
	goesOn := old.Start <= s.Now && to.Start <= s.Now
	kept, added, ok := in.choose(old.Servers, held, w, int(units), goesOn)
	if !ok {
		return bookahead.Reservation{}, bookahead.ErrUnavailable
	}
	change(in.Give, without(old.Servers, kept), held)
	change(in.Give, kept, outside(held, w)...)
	change(in.Take, kept, outside(w, held)...)
	change(in.Take, added, w)

	all := slices.Concat(kept, added)
	slices.Sort(all)
	b := Booking{s.Resized(old.Interval, to), all}
	s.Booked.Set(id, b)
	return bookahead.Reservation{ID: id, Offer: b.Offer()}, nil
}

// choose returns n servers for w: which ones of its own a reservation keeps, and
// which others it gets. It returns false if there are too few, or if the
// reservation goes on running and would have to leave a server that it wants.
func (in Structure) choose(own []int32, held, w bookahead.Interval, n int, goesOn bool) (kept, added []int32, ok bool) {
	kept = slices.Clone(own)
	for _, part := range outside(w, held) {
		idle := in.Idle(part)
		kept = slices.DeleteFunc(kept, func(k int32) bool { return !idle(k) })
	}
	switch {
	case goesOn && len(kept) < min(n, len(own)):
		return nil, nil, false
	case len(kept) >= n:
		return kept[:n], nil, true
	}
	added = convert[int32](in.Choose(w, n-len(kept), kept))
	slices.Sort(added)
	return kept, added, len(kept)+len(added) == n
}

func (in Structure) round(w bookahead.Interval) bookahead.Interval {
	if in.Round == nil {
		return w
	}
	return in.Round(w)
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
func without(list, other []int32) []int32 {
	return slices.DeleteFunc(slices.Clone(list), func(k int32) bool { return In(other, k) })
}

// In tells whether a server is in a list. O(log n).
func In(list []int32, server int32) bool {
	_, found := slices.BinarySearch(list, server)
	return found
}
