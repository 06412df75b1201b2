package bookahead

import (
	"cmp"
	"slices"
)

// Rectangles returns the largest free rectangles, units times ticks, in the window w of a pool,
// cut to [now, horizon). It takes the rectangles that can be made neither longer nor higher
// within the window, and returns the n with the largest area: the largest first, then by start,
// then by units. They may overlap. Each can be booked by a fixed request, such as At(b.Start,
// b.Len(), b.Units). There are at most as many rectangles as steps.
//
// Rectangles returns false if s is no Profiler with a Frame, or if its Frame has Servers. The
// number of free servers may stay the same while no server is free throughout, so that the
// rectangle could not be booked. O(v log n) for v steps, and O(v) memory at most. A schedule
// behind Locked is held under its read lock.
func Rectangles(s Schedule, w Interval, n int) (list []Block, ok bool) {
	View(s, func(p framed) {
		if p.Frame().Servers > 0 {
			return
		}
		ok = true
		if n < 1 {
			return
		}
		best := largest{n: n}
		rectangles(p, w, best.add)
		list = best.sorted()
	})
	return list, ok
}

// rectangles finds the maximal free rectangles in w. A stack keeps the rectangles that may still
// become longer: each of them starts later than the one below, and is higher. A step with fewer
// units closes the higher ones:
//
//	5            ┌──┐
//	4         ┌──┘  └──┐      The start of e closes the rectangle of d. The start of
//	2      ┌──┘        │      f closes those of c and b: the rectangle of c ends after e,
//	1      │           └──┐   and the rectangle of f starts where that of b did.
//	0   ───┘              │
//	     a  b  c  d  e  f
//
// The step e opens no rectangle, because the rectangle of c is as high as e, and goes on.
func rectangles(p framed, w Interval, found func(Block)) {
	var open []Block
	// closeAbove closes the rectangles that are higher than free, at t. It returns where a
	// rectangle as high as free starts: at the start of the lowest one closed, or else at t.
	closeAbove := func(free int64, t Time) Time {
		start := t
		for len(open) > 0 && open[len(open)-1].Units > free {
			b := open[len(open)-1]
			open = open[:len(open)-1]
			start, b.End = b.Start, t
			found(b)
		}
		return start
	}
	end := Time(0)
	for s := range steps(p, w) {
		start := closeAbove(s.Free, s.Start)
		if s.Free > 0 && (len(open) == 0 || open[len(open)-1].Units < s.Free) {
			open = append(open, Block{Interval: Interval{Start: start}, Units: s.Free})
		}
		end = s.End
	}
	closeAbove(0, end)
}

// largest keeps the n largest of the rectangles that are added. It collects up to 2n rectangles
// before it sorts and keeps the larger half, so that each costs O(log n) amortised. From then on
// a rectangle smaller than the n-th is not collected at all.
type largest struct {
	n    int
	list []Block
	nth  Block // the n-th at the last sort; zero before
}

func (l *largest) add(b Block) {
	if l.nth.Units > 0 && bySize(l.nth, b) < 0 {
		return
	}
	l.list = append(l.list, b)
	if len(l.list)/2 >= l.n {
		l.list = l.sorted()
		l.nth = l.list[l.n-1]
	}
}

// sorted returns the n largest, in order.
func (l *largest) sorted() []Block {
	slices.SortFunc(l.list, bySize)
	return l.list[:min(len(l.list), l.n)]
}

// bySize compares rectangles by area, the largest first, then by start, then by units.
func bySize(a, b Block) int {
	c := areaOf(b.Units, b.Interval).compare(areaOf(a.Units, a.Interval))
	return cmp.Or(c, cmp.Compare(a.Start, b.Start), cmp.Compare(a.Units, b.Units))
}
