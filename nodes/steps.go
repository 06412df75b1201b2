package nodes

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// steps is what is free on one node over time: a sorted array of times, and the free amount of each
// resource from each of them to the next.
//
//	start   0         30             50
//	GPUs    ████████  ██░░░░         ████████    8 | 2 | 8
//	cores   ████████  ████░░         ████████   64 | 40 | 64
//	free    8 64      2 40           8 64
//
// An amount is negative where the node is closed while a reservation holds it.
type steps struct {
	wide  int // resources
	start []bookahead.Time
	free  []int64 // a row for each start; neighbours differ
}

// newSteps returns a node on which all is free.
func newSteps(now bookahead.Time, given Vector) steps {
	return steps{len(given), []bookahead.Time{now}, slices.Clone(given)}
}

func (s *steps) clone() steps { return steps{s.wide, slices.Clone(s.start), slices.Clone(s.free)} }

// row returns the free amounts of step i.
func (s *steps) row(i int) []int64 { return s.free[i*s.wide : (i+1)*s.wide] }

// at returns the step that contains t, which is not in the past.
func (s *steps) at(t bookahead.Time) int {
	i, found := slices.BinarySearch(s.start, t)
	if !found {
		i--
	}
	return i
}

// end returns where step i ends.
func (s *steps) end(i int) bookahead.Time {
	if i+1 < len(s.start) {
		return s.start[i+1]
	}
	return bookahead.MaxTime
}

// least writes the least of each resource that is free at some tick of w. O(log v + s) for s of v steps.
func (s *steps) least(w bookahead.Interval, into Vector) {
	i := s.at(w.Start)
	copy(into, s.row(i))
	for i++; i < len(s.start) && s.start[i] < w.End; i++ {
		for r, amount := range s.row(i) {
			into[r] = min(into[r], amount)
		}
	}
}

// first returns the first start from t to last from which an amount of each resource stays free for
// d. O(log v + s) for the s of v steps that it passes.
func (s *steps) first(t, last, d bookahead.Time, need Vector) (bookahead.Time, bool) {
	for i := s.at(t); i < len(s.start) && t <= last; i++ {
		end := s.end(i)
		if !covers(s.row(i), need) {
			t = end
		} else if end-t >= d {
			return t, true
		}
	}
	return 0, false
}

// covers reports whether as much is free as is needed. A resource of which nothing is needed does
// not matter, even if it is overbooked.
func covers(free, need []int64) bool {
	for r, n := range need {
		if n > 0 && free[r] < n {
			return false
		}
	}
	return true
}

// change adds an amount of each resource throughout w, so many times. O(v).
func (s *steps) change(w bookahead.Interval, by Vector, times int64) {
	i, j := s.split(w.Start), s.split(w.End)
	for k := i; k < j; k++ {
		row := s.row(k)
		for r, amount := range by {
			row[r] += times * amount
		}
	}
	s.merge(j)
	s.merge(i)
}

// split makes a step begin at t, and returns it. There is none behind the end of the axis.
func (s *steps) split(t bookahead.Time) int {
	i, found := slices.BinarySearch(s.start, t)
	if !found && t < bookahead.MaxTime {
		s.start = slices.Insert(s.start, i, t)
		s.free = slices.Insert(s.free, i*s.wide, s.row(i-1)...)
	}
	return i
}

// merge joins step i to the one before if nothing changes between them.
func (s *steps) merge(i int) {
	if i > 0 && i < len(s.start) && slices.Equal(s.row(i), s.row(i-1)) {
		s.start = slices.Delete(s.start, i, i+1)
		s.free = slices.Delete(s.free, i*s.wide, (i+1)*s.wide)
	}
}

// forget drops the steps that have ended by now.
func (s *steps) forget(now bookahead.Time) {
	past := s.at(now)
	if past > 0 {
		s.start = slices.Delete(s.start, 0, past)
		s.free = slices.Delete(s.free, 0, past*s.wide)
	}
}
