package quota

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
)

// nextWindow returns the first start from s on at which the claim breaks the bound in no window,
// or a start after last.
//
// Each leap ends where one bend no longer forbids a start. A bend of the use forbids at most one
// interval of starts for each rise of the claim, and a bend of the claim at most one for each rise
// of the use. The search never meets an interval again that it has left. So O(rk) leaps are enough
// for r parts and k changes of the use, however long the parts are.
func (c *Claim) nextWindow(s, last bookahead.Time, m *effort.Meter) bookahead.Time {
	if c.bounds.Window == 0 {
		return s
	}
	length := c.bounds.Window
	most := uint64(0) // no window has more of the claim
	for i := range c.uses {
		u := &c.uses[i]
		most = added(most, product(uint64(u.Amount), uint64(min(u.End-u.Start, bookahead.Time(length)))))
	}
	if most > uint64(c.bounds.Ticks) {
		for _, x := range c.bends {
			if c.used(x, length) > uint64(c.bounds.Ticks) {
				return never
			}
			if !c.spend(m) {
				return s
			}
		}
	}
	for s <= last {
		next := c.leapWindow(s, most, m)
		if next == s {
			break
		}
		s = next
	}
	return s
}

// leapWindow returns s if the claim breaks no window there, and otherwise the end of the starts
// that one window forbids. It returns s if the meter refuses.
//
// The windows that a claim uses begin in [w, to). The windows within a stretch that leaves
// enough for the whole claim are passed together:
//
//	w         end - 1        stretch
//	├───────────│──────────────┤      has Ticks - most, so that each window in it has no more
//	├──────────────┤           │
//	            ├──────────────┤
//
// Where a stretch passes few windows, the bends are looked at. They are looked at as well where the windows of a
// stretch pass no bend, because a long constant use has many such stretches side by side:
//
//	use        ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒   2^61 ticks, and a window of 20
//	stretches  ├──┤├──┤├──┤├──┤├──┤├──┤          2^56 of them
//	bends      │                          │      two
//
// So each turn of the loop passes a bend, or 32 of them, or is the last.
func (c *Claim) leapWindow(s bookahead.Time, most uint64, m *effort.Meter) bookahead.Time {
	d := bookahead.Time(c.bounds.Window)
	for w, to := s+c.reach.Start-d+1, s+c.reach.End; w < to; {
		if !c.spend(m) {
			return s
		}
		c.looks++
		end, last := w, bookahead.Time(0)
		if most <= uint64(c.bounds.Ticks) {
			end, last = c.has.stretch(w, uint64(c.bounds.Ticks)-most)
			end -= d - 1
		}
		if end < to && (last-d < w || end-w <= d/16) {
			next := s
			next, end = c.leapBends(s, max(w, end), to)
			if next != s {
				return next
			}
		}
		w = end
	}
	return s
}

// leapBends is leapWindow for the next bends from w on, before to. It also returns how far it
// came: all bends before end break nothing. It looks only at bends, since any other window would
// lead to shorter leaps.
func (c *Claim) leapBends(s, w, to bookahead.Time) (next, end bookahead.Time) {
	length := c.bounds.Window
	mine, _ := slices.BinarySearch(c.bends, w-s)
	x := c.has.slide(w-1, length)
	for range 32 {
		c.looks++
		for bend := min(x.bend(), to); mine < len(c.bends) && s+c.bends[mine] < bend; mine++ {
			at := c.bends[mine]
			bound := c.free(c.used(at, length))
			if bound < uint64(c.bounds.Ticks) && x.areaAt(s+at).capped() > bound {
				return startFor(c.has.windowWithin(s+at, length, bound, &c.looks), at), to
			}
		}
		x.next()
		if x.at >= to {
			return s, to
		}
		bound := c.free(x.area.capped())
		if c.used(x.at-s, length) > bound {
			return startFor(x.at, c.leap(x.at-s, length, bound)), to
		}
	}
	return s, x.at + 1
}

// windowWithin returns the first w from the given one on at which the area in [w, w+length) is within a bound. It goes
// from bend to bend, and counts them.
func (s Steps) windowWithin(w bookahead.Time, length bookahead.Duration, bound uint64, looks *int64) bookahead.Time {
	for x := s.slide(w, length); x.area.capped() > bound; {
		*looks++
		slope := wide{}.minus(x.slope()).capped() // by how much the area falls with each tick, up to the next bend
		x.next()
		w = x.at
		area := x.area.capped()
		if area <= bound {
			return w - bookahead.Time((bound-area)/slope)
		}
	}
	return w
}

// windowAbove returns the first w from the given one on at which the area in [w, w+length) is above a bound;
// bookahead.MaxTime if there is none. It goes from bend to bend, and counts them.
func (s Steps) windowAbove(w bookahead.Time, length bookahead.Duration, bound uint64, looks *int64) bookahead.Time {
	for x := s.slide(w, length); x.area.capped() <= bound; {
		*looks++
		from, area := x.at, x.area.capped()
		slope := x.slope().capped()
		x.next()
		w = x.at
		if w == bookahead.MaxTime {
			break
		}
		if x.area.capped() > bound {
			return from + bookahead.Time((bound-area)/slope) + 1
		}
	}
	return w
}

// bend returns the next w at which the area in [w, w+length) bends; bookahead.MaxTime if there is none.
func (s Steps) bend(w bookahead.Time, length bookahead.Duration) bookahead.Time {
	x := s.slide(w, length)
	return x.bend()
}

// slide is a window [at, at+length) that goes from bend to bend. It keeps the area up to date by
// the values at both ends:
//
//	use   ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒       first = 2, behind = 1
//	      ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
//	        │      │            the area falls by 2 - 1 with each tick
type slide struct {
	at            bookahead.Time
	length        bookahead.Duration
	area          wide
	first, behind cursor         // the cursors at both ends; the value of behind is 0 where windows are cut off
	behindTo      bookahead.Time // the start of the window whose end is the next edge of behind
}

// slide returns the window at w. O(log n).
func (s Steps) slide(w bookahead.Time, length bookahead.Duration) slide {
	x := slide{at: w, length: length}
	var before wide
	before, x.first = s.until(w)
	x.area, x.behind = s.until(later(w, length))
	x.area = x.area.minus(before)
	x.cut()
	return x
}

// cut works out behindTo: the next bend at the end of the window. Windows are cut off at
// bookahead.MaxTime.
func (x *slide) cut() {
	if x.at < bookahead.MaxTime-bookahead.Time(x.length) {
		x.behindTo = x.behind.end - bookahead.Time(x.length)
		return
	}
	x.behind.value, x.behindTo = wide{}, bookahead.MaxTime
}

// bend returns the next bend; bookahead.MaxTime if there is none.
func (x *slide) bend() bookahead.Time { return min(x.first.end, x.behindTo) }

// areaAt returns the area in the window at a tick up to the next bend.
func (x *slide) areaAt(t bookahead.Time) wide {
	if x.behind.value == x.first.value {
		return x.area
	}
	return x.area.plus(x.slope().times(uint64(t - x.at)))
}

// slope returns by how much the area rises with each tick up to the next bend.
func (x *slide) slope() wide { return x.behind.value.minus(x.first.value) }

// next moves the window to the next bend, or to bookahead.MaxTime. O(1) within a leaf of either end, else O(log n).
func (x *slide) next() {
	to := x.bend()
	x.area, x.at = x.areaAt(to), to
	if to == x.first.end {
		x.first.next()
	}
	if to == x.behindTo {
		x.behind.next()
		x.cut()
	}
}
