package quota

import "github.com/bookahead/bookahead"

// Breach is a bound that a claim breaks at some start, and where.
type Breach struct {
	// Interval is where units are used at once, or the period or window. It begins at 0 or later.
	bookahead.Interval
	// Length is that of the period or window; 0 for units at once.
	Length bookahead.Duration
	// Use is how much is used there without the claim, and Asks is how much the claim uses; at most Over.
	Use, Asks uint64
}

// Breach returns the bound that a claim breaks if it starts at s: units first, then the listed periods, then the
// others, and of each the earliest; then the window in which most is used with the claim, and of several the
// earliest. It returns false if no bound is broken.
//
// O((r + p + k) log n) for r parts, p listed periods and k changes of the use around the claim, of n.
func (c *Claim) Breach(s bookahead.Time) (Breach, bool) {
	b := c.bounds
	for _, u := range c.rises {
		w := bookahead.Interval{Start: s + u.Start, End: s + u.End}
		use := c.has.Most(w)
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

// within returns what is used in a period or window, and whether the claim breaks the bound there.
func (c *Claim) within(s bookahead.Time, p bookahead.Interval, length bookahead.Duration) (Breach, bool) {
	x := Breach{p, length, c.has.Area(p), c.used(p.Start-s, length)}
	x.Start = max(0, p.Start)
	return x, x.Asks > c.free(x.Use)
}

// fullest returns the window in which most is used, of those that the claim breaks. Between two bends of both the use
// and the claim the sum is straight, so it is greatest at a bend.
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
