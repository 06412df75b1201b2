package window

import "github.com/bookahead/bookahead"

// breaks puts the starts to be tried because of a slot in the window.
type breaks func(s Slot, first bookahead.Time, k candidate, put func(bookahead.Time))

// ExactPlacement returns the best of all windows, at whatever tick they start. It is for
// criteria such as Near and Far: linear in the start up to where the task is in the middle of
// its slot, and linear again from there on.
//
//	slot      ├─────────────────┤
//	starts    │       ││        │      its start, the two next to the middle, the last
//
// Between two neighbouring ticks of these, of all slots, every value is linear. So the greatest
// sum of n values is convex there, and greatest at one of the two ticks. ExactPlacement tries
// these ticks, up to four for a slot, where Exact tries one. All else is as for Exact.
func ExactPlacement(e *Environment, j Job, c Criterion) (Optimum, error) {
	return exactly(e, j, c, halves)
}

// halves puts the last start in a slot, and the starts next to its middle.
func halves(s Slot, first bookahead.Time, k candidate, put func(bookahead.Time)) {
	put(k.last)
	room := s.End - s.Start - bookahead.Time(k.length)
	for _, t := range [2]bookahead.Time{s.Start + room/2, s.Start + (room+1)/2} {
		if first < t && t < k.last {
			put(t)
		}
	}
}
