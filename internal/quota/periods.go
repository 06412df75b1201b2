package quota

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
)

// nextListed returns the first start from s on at which the claim breaks the bound in none of the
// listed Periods, or a start after last. A period forbids at most one interval of starts for each
// rise of the claim, and the search meets each once. So there are O(rp) leaps for r parts and p periods.
func (c *Claim) nextListed(s, last bookahead.Time, m *effort.Meter) bookahead.Time {
	b := c.bounds
	for i := b.listed(min(last, s) + c.reach.Start); s <= last && i < len(b.Periods) && b.Periods[i].Start < s+c.reach.End && c.spend(m); {
		c.looks++
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
// Where nothing is used, or the same number at all times, periods are alike. A run of such periods
// forbids starts like a comb: the same starts before each of its periods, up to the last one. A
// period with an edge in it is a comb of one tooth:
//
//	use        ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
//	           ▒▒▒▒▒▒▒▒▒▒▒▒
//	periods    │    │    │    │    │    │    │    │
//	combs      ███  ███                              the run of 2 units
//	                   ███                           the period in which 1 unit ends
//	                          ██   ██                the run of 1 unit
//
// All teeth come at the same distance, the length of a period. So if all starts of one turn, which has that length,
// fail, then each later start fails too, as long as all combs go on that were met in the turn. The search leaps to
// where the first of them ends, and begins another turn there:
//
//	combs      ███  ███  ███  ███
//	              ██   ██   ██   ██   ██   ██
//	turn       ├────┤
//	                └────────────►               to the end of the first comb
//
// A turn meets each comb at two teeth at most, and a comb that has ended is not met again. k changes make at most
// 2k+1 combs for each rise of the claim. So there are O((rk)^2) leaps, however many periods there are.
func (c *Claim) nextPeriod(s, last bookahead.Time, m *effort.Meter) bookahead.Time {
	every := c.bounds.Every
	if every == 0 {
		return s
	}
	turn, ends := later(s, every), never // the end of the turn, and of the first comb that was met in it
	for s <= last && c.spend(m) {
		p, bound, ok := c.broken(s)
		if !ok {
			break
		}
		x := c.leap(p.Start-s, every, bound)
		s = startFor(p.Start, x)
		lastLike := c.lastLike(p)
		if lastLike < never {
			ends = min(ends, startFor(lastLike, x))
		}
		if s >= turn {
			s = max(s, ends)
			turn, ends = later(s, every), never
		}
	}
	return s
}

// lastLike returns the start of the last period in the run of a period: from the start of p to its end, the use does
// not change. It returns never if nothing is used from p on.
//
//	use       ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
//	periods   │    │    │    │    │
//	          p         last
func (c *Claim) lastLike(p bookahead.Interval) bookahead.Time {
	c.looks++
	value, end := c.has.at(p.Start)
	if value == (wide{}) && end == bookahead.MaxTime {
		return never
	}
	every := bookahead.Time(c.bounds.Every)
	return p.Start + max(0, (end-p.Start)/every-1)*every
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

// broken returns the first period in which a claim at s breaks the bound, and how much the claim may use
// there. Periods between which neither the use nor the claim changes are looked at once, so it looks at no more
// than two for each change and each end of a part.
func (c *Claim) broken(s bookahead.Time) (p bookahead.Interval, bound uint64, ok bool) {
	b := c.bounds
	end := s + c.reach.End
	for t := max(s+c.reach.Start, b.From); t < end; {
		c.looks++
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
