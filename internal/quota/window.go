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
	// The windows that a claim uses begin in [from, to), and all that is used there lies in [from, to+d).
	from, to := s+c.reach.Start-d+1, s+c.reach.End
	whole := bookahead.Interval{Start: from, End: later(to, length)}
	most := uint64(0)
	for i := range c.uses {
		u := &c.uses[i]
		most = min(Over, most+product(uint64(u.Amount), uint64(min(u.End-u.Start, d))))
	}
	if most <= c.free(c.has.Area(whole)) {
		return s // all windows together
	}
	// As long as all windows that begin in a stretch have enough together, the stretch is passed as a whole. Where
	// they have not, a few bends are looked at, and shorter stretches are tried, as far as they are longer than these.
	few := never
	for w, long := from, d; w < to; {
		end := min(later(w, bookahead.Duration(long)), to)
		if most <= c.free(c.has.Area(bookahead.Interval{Start: w, End: later(end-1, length)})) {
			w, long = end, min(later(long, bookahead.Duration(long)), d)
			continue
		}
		if long > few {
			long /= 2
			continue
		}
		next, end := c.leapBends(s, w, to)
		if next != s {
			return next
		}
		few, w = max(1, end-w), end
		long = min(later(few, bookahead.Duration(few)), d)
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
	w = c.has.bend(w-1, length)
	for n := 0; n < 8 && w < to; n++ {
		used := c.used(w-s, length)
		bound := c.free(c.has.Area(window(w, length)))
		if used > bound {
			return w - c.leap(w-s, length, bound), w
		}
		w = c.has.bend(w, length)
	}
	return s, min(w, to)
}

// windowWithin returns the first w from the given one on at which the area in [w, w+length) is within a bound.
func (s Steps) windowWithin(w bookahead.Time, length bookahead.Duration, bound uint64) bookahead.Time {
	for s.Area(window(w, length)) > bound {
		next := s.bend(w, length)
		area := s.Area(window(next, length))
		if area <= bound {
			// Before the next bend the area falls by so much with each tick.
			first, _ := s.at(w)
			behind, _ := s.at(later(w, length))
			return next - bookahead.Time((bound-area)/first.minus(behind).capped())
		}
		w = next
	}
	return w
}

// windowAbove returns the first w from the given one on at which the area in [w, w+length) is above a bound;
// bookahead.MaxTime if there is none.
func (s Steps) windowAbove(w bookahead.Time, length bookahead.Duration, bound uint64) bookahead.Time {
	for {
		area := s.Area(window(w, length))
		if area > bound {
			return w
		}
		next := s.bend(w, length)
		if next == bookahead.MaxTime {
			return next
		}
		if s.Area(window(next, length)) > bound {
			first, _ := s.at(w)
			behind, _ := s.at(later(w, length))
			return w + bookahead.Time((bound-area)/behind.minus(first).capped()) + 1
		}
		w = next
	}
}

// bend returns the next w at which the area in [w, w+length) bends; bookahead.MaxTime if there is none.
func (s Steps) bend(w bookahead.Time, length bookahead.Duration) bookahead.Time {
	next := s.next(w)
	if w < bookahead.MaxTime-bookahead.Time(length) {
		next = min(next, s.next(later(w, length))-bookahead.Time(length)) // at the latest where windows are cut off
	}
	return next
}
