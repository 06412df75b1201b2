package bookahead

import (
	"container/heap"
	"errors"
	"fmt"
	"iter"
	"slices"
)

// Explanation says why a request is not booked in the first place that its times allow, and where
// it fits.
type Explanation struct {
	// Window is that first place: from Ready, or from now if that is later, for Duration. If the
	// deadline is earlier than the end of that, Window ends with the deadline.
	Window Interval
	// Blocked is the first stretch of Window that is in the way: at each of its ticks, fewer
	// units are free than requested. If enough servers are free at each tick of Window, but not
	// the same servers throughout, Blocked is the shortest stretch that shows this, of those that
	// end first. Blocked is empty if the request fits in Window.
	Blocked Interval
	// Free is the number of units that are free throughout Blocked. If the request names servers,
	// only these count.
	Free int64
	// Changes is the first tick after Blocked.Start with another number of free units, or other
	// free servers. It may lie after Window, and is MaxTime if there is no such tick. At the
	// horizon everything ceases to be free.
	Changes Time
	// Earliest is the first place for the request if its deadline is dropped; the
	// zero Offer if there is none.
	Earliest Offer

	request Request
	horizon Time // of the schedule; MaxTime if it has none, or no Frame
}

// Fits reports whether the request fits somewhere.
func (e Explanation) Fits() bool {
	return e.Earliest.Units > 0 && (e.request.Deadline == 0 || e.Earliest.End <= e.request.Deadline)
}

// String formats the explanation as "3 units do not fit in [0, 10): 2 are free in
// [4, 9), which changes at 6; the first place is [9, 19)". If Blocked begins at the horizon, the
// text names the horizon instead: "1 unit does not fit in [98, 102): the horizon is 100; there is
// no place".
func (e Explanation) String() string {
	if e.Blocked.Empty() {
		return fmt.Sprintf("%d %s in %v", e.request.Units, oneOrMore(e.request.Units, "unit fits", "units fit"), e.Window)
	}
	s := fmt.Sprintf("%d %s in %v: ", e.request.Units, oneOrMore(e.request.Units, "unit does not fit", "units do not fit"), e.Window)
	if e.Blocked.Start >= e.horizon {
		s += fmt.Sprintf("the horizon is %d", e.horizon)
	} else {
		s += fmt.Sprintf("%d %s free in %v", e.Free, oneOrMore(e.Free, "is", "are"), e.Blocked)
	}
	if e.Changes < MaxTime {
		s += fmt.Sprintf(", which changes at %d", e.Changes)
	}
	switch {
	case e.Earliest.Units == 0:
		s += "; there is no place"
	case e.Fits():
		s += fmt.Sprintf("; the first place is %v", e.Earliest.Interval)
	default:
		s += fmt.Sprintf("; the first place is %v, after the deadline %d", e.Earliest.Interval, e.request.Deadline)
	}
	return s
}

// oneOrMore returns the word for 1, or the word for any other number.
func oneOrMore(n int64, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

// Explain finds out why a request does not fit in s, or not at once. The error wraps ErrInvalid,
// as the error of Search does.
//
// Explain takes two Searches and O(log d) RangeQueries for a duration of d ticks. The times of
// changes are read off the Blocks of a Profiler, with one RangeQuery for each edge of a block
// until then. Without Blocks they are found by Search and 64 RangeQueries at most. If s has no
// Frame, the time now is unknown: a Ready in the past stays where it is, and nothing is free
// there. Nothing may be booked or released meanwhile; a schedule behind Locked is held under its
// read lock.
func Explain(s Schedule, r Request) (e Explanation, err error) {
	View(s, func(s Schedule) { e, err = explain(s, r) })
	return e, err
}

func explain(s Schedule, r Request) (Explanation, error) {
	if _, err := s.Search(r); errors.Is(err, ErrInvalid) {
		return Explanation{}, err
	}
	x := newExplainer(s, r)
	e := Explanation{request: r, horizon: MaxTime, Window: x.window()}
	f, ok := FrameOf(s)
	if ok {
		e.horizon = f.Horizon
	}
	anytime := r
	anytime.Deadline = 0
	if o, err := s.Search(anytime); err == nil {
		e.Earliest = o
	}
	end, ok := x.firstBlock(e.Window)
	if !ok {
		return e, nil
	}
	start := end - 1
	if x.at(start).Free < r.Units { // too few are free at this tick
		var enough Time
		e.Changes, enough = x.next(start, e.Window.End)
		e.Blocked = Interval{start, min(enough, e.Window.End)}
	} else { // enough servers are free at each tick, but not the same ones throughout
		tooLate := firstTime(e.Window.Start, start, func(t Time) bool { return x.free(Interval{t, end}).Free >= r.Units })
		e.Blocked = Interval{tooLate - 1, end}
		e.Changes, _ = x.next(e.Blocked.Start, e.Blocked.Start)
	}
	e.Free = x.free(e.Blocked).Free
	return e, nil
}

// picker is a Schedule whose RangeQuery does not list all free servers, but only servers that one
// reservation can hold together. Other servers may suit a request that names its servers, so
// Among asks for these servers by name.
type picker interface {
	Among(servers []int, w Interval) (Availability, error)
}

// explainer asks a schedule about one request.
type explainer struct {
	s     Schedule
	r     Request
	named []int // its servers, ascending
}

func newExplainer(s Schedule, r Request) explainer {
	return explainer{s, r, slices.Sorted(slices.Values(r.Servers))}
}

// window returns the first place that the times of the request allow.
func (x *explainer) window() Interval {
	start, d := x.r.Ready, Time(x.r.Duration)
	if f, ok := FrameOf(x.s); ok {
		start = max(start, f.Now)
	}
	last := MaxTime - d
	if x.r.Deadline != 0 {
		last = x.r.Deadline - d
	}
	start = min(start, last)
	return Interval{start, start + d}
}

// free returns the units and servers that are free throughout w and that the request may have.
// Nothing is free if a part of w cannot be booked.
func (x *explainer) free(w Interval) Availability {
	some, picks := x.s.(picker)
	picks = picks && x.r.Servers != nil
	var a Availability
	var err error
	if picks {
		a, err = some.Among(x.named, w)
	} else {
		a, err = x.s.RangeQuery(w)
	}
	if err != nil || a.Window != w {
		return Availability{}
	}
	if x.r.Servers != nil && !picks {
		a.Servers = slices.DeleteFunc(a.Servers, func(k int) bool {
			_, named := slices.BinarySearch(x.named, k)
			return !named
		})
		a.Free = int64(len(a.Servers))
	}
	return a
}

// at returns the units and servers that are free at tick t.
func (x *explainer) at(t Time) Availability { return x.free(Interval{t, t + 1}) }

// firstBlock returns the first end of a window from w.Start on in which too little is free for
// the request. It returns false if the request fits in w.
func (x *explainer) firstBlock(w Interval) (Time, bool) {
	t := firstTime(w.Start, w.End, func(t Time) bool { return x.free(Interval{w.Start, t + 1}).Free < x.r.Units })
	return t + 1, t < w.End
}

// next returns the first tick after t at which another number of units, or other servers, are
// free, and the first at which enough are free. From limit on it no longer looks for the latter.
func (x *explainer) next(t, limit Time) (changes, enough Time) {
	p, ok := x.s.(Profiler)
	if !ok {
		return x.nextBySearch(t)
	}
	here := x.at(t)
	changes, enough = MaxTime, MaxTime
	for edge := range edges(p, Interval{t, MaxTime}) {
		if edge == MaxTime {
			break
		}
		there := x.at(edge)
		if there.Free != here.Free || !slices.Equal(there.Servers, here.Servers) {
			changes = min(changes, edge)
		}
		if there.Free >= x.r.Units {
			enough = min(enough, edge)
		}
		if changes < MaxTime && (enough < MaxTime || edge >= limit) {
			break
		}
	}
	return changes, enough
}

// nextBySearch is next for a schedule without Blocks. The next tick with more free units is found
// by Search. The next tick with fewer is found by bisection, because the units that are free
// throughout a window can only become fewer as the window grows.
func (x *explainer) nextBySearch(t Time) (changes, enough Time) {
	here := x.at(t).Free
	search := func(units int64) Time {
		o, err := x.s.Search(Request{Ready: t, Duration: 1, Units: units, Servers: x.r.Servers})
		if err != nil {
			return MaxTime
		}
		return o.Start
	}
	changes = search(here + 1)
	if here > 0 {
		changes = firstTime(t, changes, func(u Time) bool {
			return x.free(Interval{t, u + 1}).Free < here
		})
	}
	return changes, search(x.r.Units)
}

// firstTime returns the first tick in [low, high) for which holds returns true, or high if there
// is none. If holds returns true for a tick, it must return true for every later one.
func firstTime(low, high Time, holds func(Time) bool) Time {
	for low < high {
		mid := low + (high-low)/2
		if holds(mid) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

// edges yields the starts and ends of the blocks in w, except the start of w, in order, each
// once.
func edges(p Profiler, w Interval) iter.Seq[Time] {
	return func(yield func(Time) bool) {
		last := w.Start
		emit := func(t Time) bool {
			if t == last {
				return true
			}
			last = t
			return yield(t)
		}
		var ends times
		for b := range p.Blocks(w) {
			for len(ends) > 0 && ends[0] <= b.Start {
				if !emit(heap.Pop(&ends).(Time)) {
					return
				}
			}
			if !emit(b.Start) {
				return
			}
			heap.Push(&ends, b.End)
		}
		for len(ends) > 0 {
			if !emit(heap.Pop(&ends).(Time)) {
				return
			}
		}
	}
}

// times is a heap with the earliest time on top.
type times []Time

func (h times) Len() int           { return len(h) }
func (h times) Less(i, j int) bool { return h[i] < h[j] }
func (h times) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *times) Push(t any)        { *h = append(*h, t.(Time)) }
func (h *times) Pop() any {
	old := *h
	t := old[len(old)-1]
	*h = old[:len(old)-1]
	return t
}
