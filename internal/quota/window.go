package quota

import "github.com/bookahead/bookahead"

// nextWindow returns the first start from s on at which no more is used in any window than the bound, or one
// behind last.
func (c *Claim) nextWindow(s, last bookahead.Time) bookahead.Time {
	if c.bounds.Window == 0 {
		return s
	}
	for s <= last {
		next := c.leapWindow(s)
		if next == s {
			break
		}
		s = next
	}
	return s
}

// leapWindow returns s if it breaks no window, and otherwise the end of the starts that one of them forbids.
func (c *Claim) leapWindow(s bookahead.Time) bookahead.Time {
	length := c.bounds.Window
	d := bookahead.Time(length)
	most := uint64(0)
	for i := range c.uses {
		u := &c.uses[i]
		most = min(Over, most+product(uint64(u.Amount), uint64(min(u.End-u.Start, d))))
	}
	// The windows that a claim uses begin in [w, to). Those that lie in a stretch with enough for all of the claim are
	// passed together:
	//
	//	w         end - 1        stretch
	//	├───────────│──────────────┤      has Ticks - most, so that each window in it has no more
	//	├──────────────┤           │
	//	            ├──────────────┤
	//
	// Where the first window alone has more, a few bends are looked at.
	for w, to := s+c.reach.Start-d+1, s+c.reach.End; w < to; {
		end := bookahead.Time(0)
		if most <= uint64(c.bounds.Ticks) {
			end = c.has.stretch(w, uint64(c.bounds.Ticks)-most) - d + 1
		}
		if end <= w {
			next := s
			next, end = c.leapBends(s, w, to)
			if next != s {
				return next
			}
		}
		w = end
	}
	for _, x := range c.bends {
		used := c.used(x, length)
		switch {
		case used == 0:
			continue
		case used > uint64(c.bounds.Ticks):
			return never
		}
		bound := c.free(used)
		if c.has.Area(window(s+x, length)) > bound {
			return c.has.windowWithin(s+x, length, bound) - x
		}
	}
	return s
}

// leapBends is leapWindow for the next bends of the use, from w up to an end. It returns how far it came.
func (c *Claim) leapBends(s, w, to bookahead.Time) (next, end bookahead.Time) {
	length := c.bounds.Window
	x := c.has.slide(w-1, length)
	x.next()
	for n := 0; n < 8 && x.at < to; n++ {
		used := c.used(x.at-s, length)
		bound := c.free(x.area.capped())
		if used > bound {
			return x.at - c.leap(x.at-s, length, bound), x.at
		}
		x.next()
	}
	return s, min(x.at, to)
}

// windowWithin returns the first w from the given one on at which the area in [w, w+length) is within a bound.
func (s Steps) windowWithin(w bookahead.Time, length bookahead.Duration, bound uint64) bookahead.Time {
	for x := s.slide(w, length); x.area.capped() > bound; {
		slope := x.first.minus(x.behind).capped() // the area falls by so much with each tick before the next bend
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
// bookahead.MaxTime if there is none.
func (s Steps) windowAbove(w bookahead.Time, length bookahead.Duration, bound uint64) bookahead.Time {
	for x := s.slide(w, length); x.area.capped() <= bound; {
		from, area := x.at, x.area.capped()
		slope := x.behind.minus(x.first).capped()
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

// slide is a window [at, at+length) that goes from bend to bend. It adds to the area how the two ends move:
//
//	use   ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒       first = 2, behind = 1
//	      ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
//	        │      │            the area falls by 2 - 1 with each tick
type slide struct {
	steps             Steps
	length            bookahead.Duration
	at                bookahead.Time
	area              wide
	first, behind     wide           // the values at both ends; behind is 0 where windows are cut off
	firstTo, behindTo bookahead.Time // up to where they stay, as starts of the window
}

// slide returns the window at w. O(log n).
func (s Steps) slide(w bookahead.Time, length bookahead.Duration) slide {
	x := slide{steps: s, length: length, at: w}
	var before wide
	before, x.first, x.firstTo = s.until(w)
	x.area, x.behind, x.behindTo = s.until(later(w, length))
	x.area = x.area.minus(before)
	x.cut()
	return x
}

// cut makes of an edge behind the window a bend. Windows are cut off at bookahead.MaxTime.
func (x *slide) cut() {
	if x.at < bookahead.MaxTime-bookahead.Time(x.length) {
		x.behindTo -= bookahead.Time(x.length)
		return
	}
	x.behind, x.behindTo = wide{}, bookahead.MaxTime
}

// bend returns the next bend; bookahead.MaxTime if there is none.
func (x *slide) bend() bookahead.Time { return min(x.firstTo, x.behindTo) }

// next moves the window to the next bend, or to bookahead.MaxTime. O(log n).
func (x *slide) next() {
	to := x.bend()
	rises := x.behind.minus(x.first)
	if rises != (wide{}) {
		x.area = x.area.plus(rises.times(uint64(to - x.at)))
	}
	x.at = to
	if to == x.firstTo {
		x.first, x.firstTo = x.steps.at(to)
	}
	if to == x.behindTo {
		x.behind, x.behindTo = x.steps.at(later(to, x.length))
		x.cut()
	}
}
