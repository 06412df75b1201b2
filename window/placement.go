package window

import "github.com/bookahead/bookahead"

// breaks puts the ticks at which a window may start because of a slot in it.
type breaks func(s Slot, first bookahead.Time, k candidate, put func(bookahead.Time))

// ExactPlacement returns the best window of all that start at any tick, for
// criteria that are linear in the start from where a slot begins to where the
// task is in the middle of it, and from there on, as Near and Far are. Between
// two such ticks of any of the slots, all values are linear, and the greatest sum
// of n of them convex: it is greatest at one of the two. So these ticks are
// tried, and the last start in a slot, four for a slot, where Exact tries one.
// Everything else is as for Exact.
func ExactPlacement(e *Environment, j Job, c Criterion) (Optimum, error) {
	return exactly(e, j, c, halves)
}

// halves puts the last start in a slot, and those next to its middle.
func halves(s Slot, first bookahead.Time, k candidate, put func(bookahead.Time)) {
	put(k.last)
	room := s.End - s.Start - bookahead.Time(k.length)
	for _, t := range [2]bookahead.Time{s.Start + room/2, s.Start + (room+1)/2} {
		if first < t && t < k.last {
			put(t)
		}
	}
}
