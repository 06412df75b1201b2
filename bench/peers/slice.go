package main

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/trace"
)

// slice is the step function of free units as a sorted slice, as most programs have it: a binary
// search finds the first step, a scan finds the others, and a new edge moves all steps behind it. The
// first step starts now, and neighbours differ.
type slice struct{ steps []step }

func newSlice(h trace.Header, booked []bookahead.Offer) (room, error) {
	steps, err := stepsOf(h, booked)
	return &slice{steps}, err
}

// at returns the step that contains t, which is not in the past.
func (s *slice) at(t bookahead.Time) int {
	i, found := slices.BinarySearchFunc(s.steps, t, func(x step, t bookahead.Time) int { return cmp.Compare(x.start, t) })
	if !found {
		i--
	}
	return i
}

// end returns where step i ends.
func (s *slice) end(i int) bookahead.Time {
	if i+1 < len(s.steps) {
		return s.steps[i+1].start
	}
	return bookahead.MaxTime
}

// Search begins anew behind each step that has too few units. O(log v + steps that are read).
func (s *slice) Search(first, last, d bookahead.Time, n int64) (bookahead.Time, bool) {
	t := first
	for i := s.at(first); i < len(s.steps) && t <= last; i++ {
		end := s.end(i)
		if s.steps[i].free < n {
			t = end
		} else if end-t >= d {
			return t, true
		}
	}
	return 0, false
}

// Take implements room. O(v).
func (s *slice) Take(_ bookahead.ID, o bookahead.Offer) { s.change(o.Interval, -o.Units) }

// Give implements room. O(v).
func (s *slice) Give(_ bookahead.ID, o bookahead.Offer, now bookahead.Time) {
	s.change(bookahead.Interval{Start: max(o.Start, now), End: o.End}, o.Units)
}

// change cuts a step at each edge, adds to the steps between, and joins the edges to their neighbours where
// both sides have as many units.
func (s *slice) change(w bookahead.Interval, delta int64) {
	i, j := s.cut(w.Start), s.cut(w.End)
	for k := i; k < j; k++ {
		s.steps[k].free += delta
	}
	s.join(j)
	s.join(i)
}

// cut makes a step start at t, and returns it.
func (s *slice) cut(t bookahead.Time) int {
	i := s.at(t)
	if s.steps[i].start == t {
		return i
	}
	s.steps = slices.Insert(s.steps, i+1, step{t, s.steps[i].free})
	return i + 1
}

// join joins step i to the step before if both have as many units.
func (s *slice) join(i int) {
	if i > 0 && s.steps[i].free == s.steps[i-1].free {
		s.steps = slices.Delete(s.steps, i, i+1)
	}
}

// Forget implements room. The memory of the dropped steps is used again when the slice grows.
func (s *slice) Forget(now bookahead.Time) {
	s.steps = s.steps[s.at(now):]
	s.steps[0].start = now
}
