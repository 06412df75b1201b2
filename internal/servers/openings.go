package servers

import (
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
)

// Openings implements bookahead.Opener. It is exact to the tick, even where Search passes over
// starts. It goes from one Search to the next. Each Search begins where too few of the servers
// found before are free:
//
//	server 0   ──────────────┤
//	server 1   ────────┤   ├────────────────
//	server 2      ├──────────────────┤
//	2 are free ├──────────────────────────    while any two are, one range
//
// The next start may extend the same range, so a range is yielded only once the next start is
// known. A caller who stops at the first range has paid for one Search more.
//
// O(o) Searches, and O(o) times Leaper.Until, for o idle stretches that end meanwhile. Most often
// there are as many of them as ranges.
func (s *Schedule) Openings(r bookahead.Request) iter.Seq[bookahead.Interval] {
	return func(yield func(bookahead.Interval) bool) {
		first, last, err := s.Starts(r)
		if err != nil {
			return
		}
		r := r
		r.Servers = ascending(r.Servers)
		roster, d := s.Roster, bookahead.Time(r.Duration)
		x, steps := roster.(Stepper)
		if steps {
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

// until is Leaper.Until for any Roster: enough servers stay free until so many of the idle
// stretches have ended that fewer than r.Units are left.
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
