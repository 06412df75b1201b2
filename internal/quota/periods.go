package quota

import "github.com/bookahead/bookahead"

// nextListed returns the first start from s on at which the claim breaks the bound in none of the
// listed Periods, or a start after last.
func (c *Claim) nextListed(s, last bookahead.Time) bookahead.Time {
	b := c.bounds
	for i := b.listed(min(last, s) + c.reach.Start); s <= last && i < len(b.Periods) && b.Periods[i].Start < s+c.reach.End; {
		p := b.Periods[i]
		length := bookahead.Duration(p.End - p.Start)
		bound := c.free(c.has.Area(p))
		x := p.Start - s
		if p.End > s+c.reach.Start && c.used(x, length) > bound {
			s = startFor(p.Start, c.leap(x, length, bound))
			i = b.listed(min(last, s) + c.reach.Start)
			continue
		}
		i++
	}
	return s
}

// nextPeriod is nextListed for the periods of Every ticks.
//
// Where nothing is used, or the same number at all times, periods are alike. So if all starts
// within one length of a period fail, all further starts fail until the use changes.
//
//	use        ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
//	periods    │    │    │    │    │    │    │    │    │    │
//	failed        █████         from here
//	                   █████    to here: so it fails
//	                                 █████       until the claim comes near the end of the step
func (c *Claim) nextPeriod(s, last bookahead.Time) bookahead.Time {
	if c.bounds.Every == 0 {
		return s
	}
	alike := bookahead.Interval{Start: never} // Start: since when all starts fail; End: the end of the step in which their periods lie
	for s <= last {
		p, bound, ok := c.broken(s)
		if !ok {
			break
		}
		value, end := c.has.at(p.Start)
		switch {
		case end < p.End:
			alike.Start = never
		case alike.Start == never || alike.End != end:
			alike = bookahead.Interval{Start: s, End: end}
		}
		s = startFor(p.Start, c.leap(p.Start-s, c.bounds.Every, bound))
		if alike.Start == never || s < later(alike.Start, c.bounds.Every) {
			continue
		}
		if value == (wide{}) && end == bookahead.MaxTime {
			return never
		}
		// All starts fail whose periods end by then.
		s = max(s, alike.End-min(alike.End, later(c.reach.End, c.bounds.Every))+1)
	}
	return s
}

// Repeats reports whether nothing is used any more from s on, nor in a window or period that
// reaches s, and all listed Periods are over. Then a start from s on fits if and only if the
// start Every ticks later fits.
func (c *Claim) Repeats(s bookahead.Time) bool {
	b, from := c.bounds, s+c.reach.Start
	if s < b.From || len(b.Periods) > 0 && b.Periods[len(b.Periods)-1].End > from {
		return false
	}
	value, end := c.has.at(max(0, from-bookahead.Time(max(b.Window, b.Every))))
	return value == (wide{}) && end == bookahead.MaxTime
}

// Every returns the length of the periods of Every ticks; 0 if there are none.
func (c *Claim) Every() bookahead.Duration { return c.bounds.Every }

// broken returns a period in which a claim at s breaks the bound, and how much the claim may use
// there.
func (c *Claim) broken(s bookahead.Time) (p bookahead.Interval, bound uint64, ok bool) {
	b := c.bounds
	end := s + c.reach.End
	for t := max(s+c.reach.Start, b.From); t < end; {
		p = b.period(t)
		bound = c.free(c.has.Area(p))
		if c.used(p.Start-s, b.Every) > bound {
			return p, bound, true
		}
		t = b.other(p, min(c.has.next(p.Start), c.edge(s, p.Start)))
	}
	return p, 0, false
}

// edge returns the first edge after t of a claim that starts at s; bookahead.MaxTime if there is none.
func (c *Claim) edge(s, t bookahead.Time) bookahead.Time {
	next := bookahead.MaxTime
	for i := range c.uses {
		u := &c.uses[i]
		if s+u.Start > t {
			next = min(next, s+u.Start)
		}
		if s+u.End > t {
			next = min(next, s+u.End)
		}
	}
	return next
}
