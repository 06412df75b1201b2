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

// framed is a Profiler with a Frame.
type framed interface {
	Profiler
	Frame() Frame
}

// Steps yields the number of free units over time: the steps of w, cut to [now, horizon), by
// start. Each step begins where the one before it ends, with another number of free units. An
// empty window has no steps. Steps returns false if s is no Profiler with a Frame.
//
// Each step is computed only when asked for. Steps takes the Blocks of s, and O(log b) more for
// each block, with b blocks that overlap at one time. The blocks of a pool come one after
// another, and the first steps of carts.Indexed take O(log v) for v changes. If the schedule
// knows its servers, the blocks of all servers that are free at the start of w come before the
// first step. Steps is a query: the loop may be repeated, but nothing may be booked or released
// meanwhile. The steps of a schedule behind Locked are all collected under the read lock, when
// the loop begins; use View for the first few.
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
// changes. It returns false if there is none before the horizon, or if s is no Profiler with a
// Frame. The horizon is no change, as it moves with the clock. If other servers become free, but
// just as many, that is no change either.
//
// NextChange costs as much as the first of the Steps from t on: O(log v) for carts.Indexed with v
// changes. For idletree.Tree it costs O(f log f) with f servers free at t, and the search for
// these servers.
func NextChange(s Schedule, t Time) (change Time, ok bool) {
	View(s, func(p framed) {
		w := p.Frame().Window()
		w.Start = max(w.Start, t)
		change, ok = firstChange(p, w)
	})
	return change, ok
}

// PreviousChange returns the last time after now, and at or before t, at which the number of free
// units changes: the start of the step that contains t, unless that step contains now too. From
// the horizon on, it returns the start of the last step. It returns false if there is no such
// time, or if s is no Profiler with a Frame.
//
// PreviousChange does not go through the steps between: it takes O(log d) times a NextChange,
// with d ticks between the change and t, and looks no further back than 2d ticks.
func PreviousChange(s Schedule, t Time) (change Time, ok bool) {
	View(s, func(p framed) {
		w := p.Frame().Window()
		w.End = min(w.End-1, t) + 1
		change, ok = lastChange(p, w)
	})
	return change, ok
}

// firstChange returns the first change after the start of w, and before its end, in the time that
// can be booked.
func firstChange(p framed, w Interval) (Time, bool) {
	for s := range steps(p, w) {
		return s.End, s.End < w.End
	}
	return 0, false
}

// lastChange returns the last change after the start of w, and before its end. It looks at spans
// of 1, 2, 4 ... ticks, from the end of w backwards, until one contains a change:
//
//	            ├────────────┤├──────┤├───┤├─┤
//	w.Start ... ·····c··c··················· w.End
//
// In that span it starts from the first change, and halves the rest of the span until the last
// change is found. The spans double, so that they reach w.Start before a Time overflows.
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
		end = from + 1 // a change at from is still possible
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

// sweep goes through blocks by time, and adds up their units. It holds a step back until another
// number of units follows, so that neighbours with the same number become one step.
type sweep struct {
	at    Time  // everything before at has been swept
	free  int64 // the units free from at on
	ends  blockEnds
	last  Step // ends at at, and is not yielded yet
	yield func(Step) bool
}

// endBy ends the blocks that end at t or before. It returns false if the loop has stopped.
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

// goTo moves from at to t; s.free units are free between. It returns false if the loop has
// stopped.
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

// blockEnd is where a block ends, and its units.
type blockEnd struct {
	at    Time
	units int64
}

// blockEnds is a heap with the earliest end on top. It does not use package container/heap, which
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
