package quota

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
)

// Breach is a bound that a claim breaks at some start, and the time at which it does.
type Breach struct {
	// Interval is the time of the units at once, or the period or window. It begins at 0 or
	// later.
	bookahead.Interval
	// Length is the length of the period or window; 0 for units at once.
	Length bookahead.Duration
	// Use is how much is used in Interval without the claim, and Asks is how much the claim uses
	// there; at most Over.
	Use, Asks uint64
}

// Breach returns the bound that a claim breaks if it starts at s. It looks at units first, then
// at the listed periods, then at the other periods, and returns the earliest breach of the first
// kind that is broken. Of windows it returns the one with the most use together with the claim,
// and the earliest of several. It returns false if no bound is broken. The meter counts the looks, but does not stop
// them; nil counts nothing.
//
// O((r + p + k) log n) for r parts, p listed periods and k changes of the use around the claim, of n.
func (c *Claim) Breach(s bookahead.Time, m *effort.Meter) (Breach, bool) {
	defer c.spend(m)
	b := c.bounds
	for _, u := range c.rises {
		w := bookahead.Interval{Start: s + u.Start, End: s + u.End}
		use := c.has.most(w, &c.looks)
		if uint64(u.Amount) > uint64(b.Units) || use > uint64(b.Units-u.Amount) {
			return Breach{Interval: w, Use: use, Asks: uint64(u.Amount)}, true
		}
	}
	if b.Ticks == 0 {
		return Breach{}, false
	}
	for i := b.listed(s + c.reach.Start); i < len(b.Periods) && b.Periods[i].Start < s+c.reach.End; i++ {
		x, over := c.within(s, b.Periods[i], bookahead.Duration(b.Periods[i].Len()))
		if over {
			return x, true
		}
	}
	if b.Every > 0 {
		p, _, over := c.broken(s)
		if over {
			return c.within(s, p, b.Every)
		}
	}
	if b.Window == 0 {
		return Breach{}, false
	}
	return c.fullest(s)
}

// within returns the use in a period or window as a Breach, and whether the claim breaks the
// bound there.
func (c *Claim) within(s bookahead.Time, p bookahead.Interval, length bookahead.Duration) (Breach, bool) {
	c.looks++
	x := Breach{p, length, c.has.Area(p), c.used(p.Start-s, length)}
	x.Start = max(0, p.Start)
	return x, x.Asks > c.free(x.Use)
}

// fullest returns the window with the most use, of those in which the claim breaks the bound.
// Between two neighbouring bends the use and the claim are both straight, and so is their sum. So
// the sum is greatest at a bend, and no other windows are looked at.
func (c *Claim) fullest(s bookahead.Time) (best Breach, found bool) {
	length := c.bounds.Window
	try := func(w bookahead.Time) {
		x, over := c.within(s, window(w, length), length)
		if !over {
			return
		}
		is, was := min(Over-1, x.Use)+min(Over-1, x.Asks), min(Over-1, best.Use)+min(Over-1, best.Asks)
		if !found || is > was || is == was && x.End < best.End {
			best, found = x, true
		}
	}
	for w, to := s+c.reach.Start-bookahead.Time(length), s+c.reach.End; w < to; w = c.has.bend(w, length) {
		try(w)
	}
	for _, x := range c.bends {
		try(s + x)
	}
	return best, found
}
