package bookahead

import (
	"iter"
	"slices"
)

// Step is a stretch of time in which the same number of units is free.
type Step struct {
	Interval
	// Free is the number of free units, or of free servers, at each tick; it may be 0.
	Free int64
}

// framed is a Profiler that tells its limits.
type framed interface {
	Profiler
	Frame() Frame
}

// Steps yields the number of free units over time: the steps of w, cut to [now, horizon), by
// start. Each step begins where the one before it ends, with another number of free units. An
// empty window has no steps. Steps returns false if s is no Profiler that tells its Frame.
//
// Each step is computed only when asked for. It takes the Blocks of s, and O(log b) more for
// each of them, of which b overlap at one time: those of a pool come one after another, and
// the first steps of carts.Indexed take O(log v) for v changes. Of servers, all that are free
// at the start of w come before the first step. Steps is a query: it can be ranged over again,
// but nothing may be booked or released meanwhile. The steps of a schedule behind Locked are
// collected under the read lock, all of them, when they are ranged over; use View for the first
// few.
func Steps(s Schedule, w Interval) (iter.Seq[Step], bool) {
	if p, ok := s.(framed); ok {
		return steps(p, w), true
	}
	if !View(s, func(framed) {}) {
		return nil, false
	}
	return func(yield func(Step) bool) {
		var list []Step
		View(s, func(p framed) { list = slices.Collect(steps(p, w)) })
		slices.Values(list)(yield)
	}, true
}

// NextChange returns the first time after t, and after now, at which the number of free units
// changes. It returns false if there is none before the horizon, or if s is no Profiler that
// tells its Frame. The horizon is no change, as it moves with the clock. Other servers, but as
// many, are no change either.
//
// It costs the first of the Steps from t on: O(log v) for carts.Indexed with v changes, and
// O(f log f) for idletree.Tree with f servers free at t, besides finding them.
func NextChange(s Schedule, t Time) (change Time, ok bool) {
	View(s, func(p framed) {
		w := p.Frame().Window()
		w.Start = max(w.Start, t)
		change, ok = firstChange(p, w)
	})
	return change, ok
}

// PreviousChange returns the last time after now, and at or before t, at which the number of
// free units changes: the start of the step that contains t, unless that step contains now too.
// From the horizon on, that is the start of the last step. It returns false if there is no such
// time, or if s is no Profiler that tells its Frame.
//
// It does not go through the steps between: it takes O(log d) times a NextChange, with d ticks
// between the change and t, and looks no further back than 2d ticks.
func PreviousChange(s Schedule, t Time) (change Time, ok bool) {
	View(s, func(p framed) {
		w := p.Frame().Window()
		w.End = min(w.End-1, t) + 1
		change, ok = lastChange(p, w)
	})
	return change, ok
}

// firstChange returns the first change after the start of w, and before its end. Neither lies
// in the past or beyond the horizon.
func firstChange(p framed, w Interval) (Time, bool) {
	for s := range steps(p, w) {
		return s.End, s.End < w.End
	}
	return 0, false
}

// lastChange is firstChange for the last one. It looks at spans of 1, 2, 4 ... ticks, from the
// end of w backwards, until there is a change in one:
//
//	            ├────────────┤├──────┤├───┤├─┤
//	w.Start ... ·····c··c··················· w.End
//
// In that span it goes from the first change on, and halves what lies between there and the
// end. With spans that double, all before w.Start is reached before a Time overflows.
func lastChange(p framed, w Interval) (last Time, ok bool) {
	if w.Empty() {
		return 0, false
	}
	end := w.End // there is no change from here on
	for span := Time(1); ; span *= 2 {
		from := end - 1 - min(span, end-1-w.Start)
		last, ok = firstChange(p, Interval{from, end})
		if ok {
			break
		}
		if from == w.Start {
			return 0, false
		}
		end = from + 1 // at from there may be one
	}
	for last+1 < end {
		mid := last + (end-last)/2
		later, found := firstChange(p, Interval{mid - 1, end})
		if found {
			last = later
		} else {
			end = mid
		}
	}
	return last, true
}

// steps yields the steps of w, cut to the time that can be booked.
func steps(p framed, w Interval) iter.Seq[Step] {
	return func(yield func(Step) bool) {
		w := w.Intersect(p.Frame().Window())
		if w.Empty() {
			return
		}
		s := sweep{at: w.Start, last: Step{Interval: Interval{w.Start, w.Start}}, yield: yield}
		for b := range p.Blocks(w) {
			if !s.endBy(b.Start) || !s.goTo(b.Start) {
				return
			}
			s.free += b.Units
			if b.End < w.End {
				s.ends.push(blockEnd{b.End, b.Units})
			}
		}
		if s.endBy(w.End) && s.goTo(w.End) {
			yield(s.last)
		}
	}
}

// sweep goes through blocks by time, and adds them up. It holds a step back until another
// number of units follows.
type sweep struct {
	at    Time  // how far it has come
	free  int64 // at that tick
	ends  blockEnds
	last  Step // the step that ends at at
	yield func(Step) bool
}

// endBy takes the blocks off that end at t or before. It returns false if no more steps are
// wanted.
func (s *sweep) endBy(t Time) bool {
	for len(s.ends) > 0 && s.ends[0].at <= t {
		e := s.ends.pop()
		if !s.goTo(e.at) {
			return false
		}
		s.free -= e.units
	}
	return true
}

// goTo moves to t, up to which s.free units are free. It returns false if no more steps are
// wanted.
func (s *sweep) goTo(t Time) bool {
	if t == s.at {
		return true
	}
	if s.free != s.last.Free {
		if !s.last.Empty() && !s.yield(s.last) {
			return false
		}
		s.last = Step{Interval{s.at, t}, s.free}
	}
	s.last.End, s.at = t, t
	return true
}

// blockEnd is the end of a block of so many units.
type blockEnd struct {
	at    Time
	units int64
}

// blockEnds is a heap with the earliest on top. It is written out, since package container/heap
// allocates for each element.
type blockEnds []blockEnd

func (h *blockEnds) push(e blockEnd) {
	list := append(*h, e)
	i := len(list) - 1
	for i > 0 && e.at < list[(i-1)/2].at {
		list[i] = list[(i-1)/2]
		i = (i - 1) / 2
	}
	list[i] = e
	*h = list
}

func (h *blockEnds) pop() blockEnd {
	list := *h
	top, last := list[0], list[len(list)-1]
	list = list[:len(list)-1]
	*h = list
	i := 0
	for {
		kid := 2*i + 1
		if kid+1 < len(list) && list[kid+1].at < list[kid].at {
			kid++
		}
		if kid >= len(list) || last.at <= list[kid].at {
			break
		}
		list[i] = list[kid]
		i = kid
	}
	if len(list) > 0 {
		list[i] = last
	}
	return top
}
