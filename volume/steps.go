package volume

import (
	"iter"
	"math"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
)

// SearchSteps is Search for units that are free in some steps, wherever these come from: those that all links of a path have
// (Meet), or that a quota leaves. The steps are in order, and do not overlap. Between them nothing is free, and neither is
// anything before tick 0. The search goes through the list twice at most. Its steps and its errors are those of Search; a look at
// a step of the list is one also if the request may not have its units.
func SearchSteps(free iter.Seq[bookahead.Step], r Request, e bookahead.Effort) (Plan, error) {
	err := r.Validate()
	if err != nil {
		return Plan{}, err
	}
	m, err := effort.New(e)
	if err != nil {
		return Plan{}, err
	}
	return plan(r.cut(free, &m), r, func() Plan { return Plan{} }, &m)
}

// cut yields the steps between the times of a request in which it may have units, with the units that it may have.
func (r Request) cut(free iter.Seq[bookahead.Step], m *effort.Meter) iter.Seq[bookahead.Step] {
	w := bookahead.Interval{Start: max(0, r.Ready), End: bookahead.MaxTime}
	if r.Deadline != 0 {
		w.End = r.Deadline
	}
	most := r.Most
	if most == 0 {
		most = math.MaxInt64
	}
	return func(yield func(bookahead.Step) bool) {
		for s := range free {
			if s.Start >= w.End {
				return
			}
			s.Interval, s.Free = s.Intersect(w), min(s.Free, most)
			if s.Empty() || s.Free < max(1, r.Least) {
				if !m.Go(1) {
					return
				}
				continue
			}
			if !yield(s) {
				return
			}
		}
	}
}

// Meet returns the steps in which both lists have one, with the fewer of their free units: those that work may have that
// needs both at once. Steps of a list are in order, and do not overlap. O(n) for n steps.
//
//	a       3 3 3 3 1 1 . .
//	b       2 2 4 4 4 4 4 4
//	both    2 2 3 3 1 1 . .
func Meet(a, b []bookahead.Step) (both []bookahead.Step) {
	for len(a) > 0 && len(b) > 0 {
		s := bookahead.Step{Interval: a[0].Intersect(b[0].Interval), Free: min(a[0].Free, b[0].Free)}
		n := len(both)
		switch {
		case s.Empty():
		case n > 0 && both[n-1].End == s.Start && both[n-1].Free == s.Free:
			both[n-1].End = s.End
		default:
			both = append(both, s)
		}
		if a[0].End <= b[0].End {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return both
}
