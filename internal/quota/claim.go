package quota

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
)

// Use is a part of a booking as a quota counts it: an amount of 1 or more in an interval, which is not empty and begins at 0
// or later. In a Claim the Interval is counted from the start of the booking.
type Use struct {
	bookahead.Interval
	Amount int64
}

// Claim is the parts of a booking that count for one quota, with the use so far. One goroutine at a time may ask it.
type Claim struct {
	bounds *Bounds
	has    Steps
	uses   []Use
	reach  bookahead.Interval // from the first start of a use to the last end
	rises  []Use              // the uses, added up where they overlap; nil without a bound on units
	bends  []bookahead.Time   // the bends for windows; nil without a Window
	looks  int64              // that no meter has counted yet
}

// NewClaim returns the claim of some uses, of which there is at least one.
func NewClaim(b *Bounds, has Steps, uses []Use) Claim {
	c := Claim{bounds: b, has: has, uses: uses, reach: uses[0].Interval}
	c.looks = int64(len(uses)*len(uses)) / 16 // of addedUp and bendsFor, each of which is short
	for _, u := range uses[1:] {
		c.reach.Start, c.reach.End = min(c.reach.Start, u.Start), max(c.reach.End, u.End)
	}
	if b.boundsUnits() {
		c.rises = addedUp(uses)
	}
	if b.Ticks > 0 && b.Window > 0 {
		c.bends = c.bendsFor(nil, b.Window)
	}
	return c
}

// Next asks each bound once. Each bound leaps to the first start from there on that it allows.
// Next returns s if no bound is broken there. Otherwise it returns a later start, before which
// there is none. The caller goes on from there until all bounds agree. Next returns false if there
// is no start up to last. All ends of the uses, from last on, fit on the axis.
//
// The meter counts the looks, as doc.go describes. If the meter refuses them, Next returns the start
// to which it came, and the meter is stopped.
//
// For k changes of the use within reach, r parts and p listed periods: O(rk + rp) leaps of units,
// windows and listed periods, and O((rk)^2) of the periods of Every; each leap O((k + r) (r + log n)).
// Most calls need a leap or none.
func (c *Claim) Next(s, last bookahead.Time, m *effort.Meter) (bookahead.Time, bool) {
	s = c.nextUnits(s, last, m)
	if c.bounds.Ticks > 0 {
		s = c.nextListed(s, last, m)
		s = c.nextPeriod(s, last, m)
		s = c.nextWindow(s, last, m)
	}
	c.spend(m)
	return s, s <= last
}

// spend has a meter count the looks since it last did, and reports whether the search may go on. No meter counts
// nothing.
func (c *Claim) spend(m *effort.Meter) bool {
	n := c.looks
	c.looks = 0
	return m == nil || m.Spend(n)
}

// never is a start after any last one.
const never = bookahead.MaxTime

// startFor returns the start of a claim for which x comes to lie at w, or never if that start is
// after the end of the axis.
func startFor(w, x bookahead.Time) bookahead.Time {
	if x < 0 && w > never+x {
		return never
	}
	return w - x
}

// used returns how many unit-ticks of the claim lie in the window [x, x+length), with x counted
// from the start of the claim; at most Over.
func (c *Claim) used(x bookahead.Time, length bookahead.Duration) uint64 {
	c.looks += 1 + int64(len(c.uses))/usesALook
	sum, w := uint64(0), window(x, length)
	for i := range c.uses {
		u := &c.uses[i]
		sum = added(sum, product(uint64(u.Amount), common(u.Interval, w)))
	}
	return sum
}

// usesALook is how many uses of a claim are read in the time of one look at the tree of the use.
const usesALook = 8

// free returns how much of Ticks a use leaves; 0 if it leaves nothing.
func (c *Claim) free(used uint64) uint64 {
	ticks := uint64(c.bounds.Ticks)
	return ticks - min(ticks, used)
}

// leap returns the greatest x before the given one at which the claim uses no more than bound in
// [x, x+length). At the given x it uses more. A window that stands still at w forbids all starts
// up to w - x.
func (c *Claim) leap(x bookahead.Time, length bookahead.Duration, bound uint64) bookahead.Time {
	var room [16]bookahead.Time
	list := c.bends
	if length != c.bounds.Window || list == nil {
		list = c.bendsFor(room[:0], length)
	}
	i, _ := slices.BinarySearch(list, x)
	for {
		i-- // i stays 0 or more: the window of the first bend ends where the claim begins
		bend := list[i]
		used := c.used(bend, length)
		if used > bound {
			continue
		}
		slope := c.slope(bend, length)
		if slope > bound-used {
			return bend
		}
		return bend + bookahead.Time((bound-used)/slope)
	}
}

// slope returns by how much the use in the window rises with each tick after a bend, up to the
// next bend. It rises there.
func (c *Claim) slope(x bookahead.Time, length bookahead.Duration) uint64 {
	var sum wide
	end := later(x, length)
	for i := range c.uses {
		u := &c.uses[i]
		if u.Start <= end && end < u.End {
			sum = sum.plus(wideOf(u.Amount))
		}
		if u.Start <= x && x < u.End {
			sum = sum.minus(wideOf(u.Amount))
		}
	}
	return sum.capped()
}

// bendsFor appends, ascending, each x at which the use of [x, x+length) bends, or begins to be
// more than 0.
func (c *Claim) bendsFor(list []bookahead.Time, length bookahead.Duration) []bookahead.Time {
	d := bookahead.Time(length)
	for i := range c.uses {
		u := &c.uses[i]
		list = append(list, u.Start-d, u.Start-d+1, u.Start, u.End-d, u.End-1, u.End)
	}
	slices.Sort(list)
	return slices.Compact(list)
}
