package servers

import (
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
)

// Openings implements bookahead.Opener, to the tick, whatever starts Search tries. It
// goes from one Search to the next, each from where the servers that were free are too few:
//
//	server 0   ──────────────┤
//	server 1   ────────┤   ├────────────────
//	server 2      ├──────────────────┤
//	2 are free ├──────────────────────────    while any two are, one range
//
// The next start may go on with the same range, so a range is yielded when the start behind
// it is known. A caller who stops at the first range has paid for one Search more.
//
// O(o) Searches, and O(o) times that of Leaper.Until, for o idle stretches that end there;
// most often they are as many as the ranges.
func (s *Schedule) Openings(r bookahead.Request) iter.Seq[bookahead.Interval] {
	return func(yield func(bookahead.Interval) bool) {
		first, last, err := s.Starts(r)
		if err != nil {
			return
		}
		r := r
		r.Servers = ascending(r.Servers)
		roster, d := s.Roster, bookahead.Time(r.Duration)
		if x, ok := roster.(Stepper); ok {
			roster = x.Stepless()
		}
		var starts bookahead.Interval
		for first <= last {
			t, _, ok := roster.Search(first, last, r)
			if !ok {
				break
			}
			if t != starts.End || starts.Empty() {
				if !starts.Empty() && !yield(starts) {
					return
				}
				starts.Start = t
			}
			starts.End = until(roster, t, r, last+d) - d + 1
			first = starts.End
		}
		if !starts.Empty() {
			yield(starts)
		}
	}
}

// until is that of a Leaper, for any Roster: at the end of as many of the longest stretches
// as r has units.
func until(roster Roster, t bookahead.Time, r bookahead.Request, limit bookahead.Time) bookahead.Time {
	if l, ok := roster.(Leaper); ok {
		return l.Until(t, r, limit)
	}
	list := roster.Pick(Window(t, r), Max, r.Servers)
	ends := make([]bookahead.Time, len(list))
	for i, k := range list {
		ends[i] = roster.Idle(k, t, bookahead.Interval{Start: t, End: limit}).End
	}
	slices.Sort(ends)
	return ends[len(ends)-int(r.Units)]
}
