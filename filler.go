package bookahead

import (
	"iter"
	"slices"
)

// Filler is a Schedule that lists the units that are free for work that is a volume, and not a rate. Use the function
// Fill, which works with any Profiler that has a Frame.
type Filler interface {
	Schedule

	// Fill yields the steps of w, cut to [now, horizon), by start, in which least units or more are free. Several steps
	// with most units or more may be one step with most, and steps with less than least may be there or left out. least
	// is at least 1, and most at least least. Fill is a query: the loop may be repeated, by any number of goroutines,
	// but nothing may be booked or released meanwhile.
	Fill(w Interval, least, most int64) iter.Seq[Step]
}

// Fill yields the units that work of least to most units can have over time, as a Filler does:
//
//	least 2, most 4     free     6 5 4 7 3 2 1 0 3 5
//	                    yields   4───────3 2     3 4
//
// Steps that touch have different units. Fill returns false if s is neither a Filler nor a Profiler with a Frame; for
// these it goes through the Steps of w. A least below 1 counts as 1, and nothing is yielded if most is less. carts.Indexed
// takes O(log v) for each step that it yields, with v changes, however many changes lie in it or between.
//
// Of a schedule behind Locked, all steps are collected under the read lock, when the loop begins; use View for the
// first few.
func Fill(s Schedule, w Interval, least, most int64) (iter.Seq[Step], bool) {
	least = max(1, least)
	if most < least {
		w.End = w.Start
	}
	switch x := s.(type) {
	case Filler:
		return clip(x.Fill(w, least, most), least, most), true
	case framed:
		return clip(steps(x, w), least, most), true
	}
	if !View(s, func(Filler) {}) && !View(s, func(framed) {}) {
		return nil, false
	}
	return func(yield func(Step) bool) {
		var list []Step
		View(s, func(s Schedule) {
			inner, _ := Fill(s, w, least, most)
			list = slices.Collect(inner)
		})
		slices.Values(list)(yield)
	}, true
}

// clip yields the steps of a list with least units or more, with most units where they have more. Steps that touch and
// have the same units become one.
func clip(list iter.Seq[Step], least, most int64) iter.Seq[Step] {
	return func(yield func(Step) bool) {
		var last Step
		for s := range list {
			s.Free = min(s.Free, most)
			switch {
			case s.Free < least:
			case last.End == s.Start && last.Free == s.Free && !last.Empty():
				last.End = s.End
			case !last.Empty() && !yield(last):
				return
			default:
				last = s
			}
		}
		if !last.Empty() {
			yield(last)
		}
	}
}
