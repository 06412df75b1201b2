package quota

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
)

// Allowance is the bounds of a quota, and the use that it counts.
type Allowance struct {
	Bounds *Bounds
	Has    Steps
}

// Ration returns the units that work may take of those that are free, if it takes them as early as it can: at each tick at
// least and at most so many of them, or none, and in each period no more unit-ticks than all quotas leave:
//
//	free        4 4 4 4 4 4 4 4 4 4 4 4
//	periods     │ 10 left   │ 8 left
//	rationed    4 4 2 . . . 4 4 . . . .
//
// The steps are in order. With a least of 1, no other use has more by any tick: each period that holds a tick, and any tick behind
// a later one, holds the later one too, so a unit-tick that is taken early leaves no less than one that is taken late. Windows
// are not looked at.
//
// A step of the meter is a look at a period. If the meter refuses, the rest of the steps is missing, and so it is when periods have
// cut the free steps so many times. Equal periods that leave enough for all their ticks, or nothing, are looked at once.
func Ration(free []bookahead.Step, least, most int64, of []Allowance, cuts int, m *effort.Meter) (list []bookahead.Step) {
	purses := pursesOf(of)
	for i, s := range free {
		units := min(s.Free, most)
		for t := s.Start; t < s.End && units >= least; {
			if len(list)-i > cuts || !m.Spend(int64(len(purses))) {
				return list
			}
			end, left := s.End, Over
			for _, c := range purses {
				c.open(t, least, units, s.End)
				end, left = min(end, c.end), min(left, c.left)
			}
			n, rate := end-t, units
			if left < Over && left/uint64(units) < uint64(n) {
				n = bookahead.Time(left / uint64(units))
				if n == 0 {
					n, rate = 1, int64(left)
				}
			}
			if rate < least { // some period has too little left
				i := slices.IndexFunc(purses, func(c *purse) bool { return c.left < uint64(least) })
				t = purses[i].end
				continue
			}
			list = appendStep(list, bookahead.Step{Interval: bookahead.Interval{Start: t, End: t + n}, Free: rate})
			for _, c := range purses {
				if c.left < Over {
					c.left -= uint64(rate) * uint64(n)
				}
			}
			t += n
		}
	}
	return list
}

// appendStep appends a step, or makes the last one longer.
func appendStep(list []bookahead.Step, s bookahead.Step) []bookahead.Step {
	n := len(list)
	if n > 0 && list[n-1].End == s.Start && list[n-1].Free == s.Free {
		list[n-1].End = s.End
		return list
	}
	return append(list, s)
}

// purse is what a bound leaves up to a tick: until the period ends, or the time between two periods, in which it leaves
// Over.
type purse struct {
	Allowance
	every bool // the periods are those of Every, and not those that are listed
	end   bookahead.Time
	left  uint64
}

func pursesOf(of []Allowance) (list []*purse) {
	for _, x := range of {
		if x.Bounds.Every > 0 {
			list = append(list, &purse{Allowance: x, every: true})
		}
		if len(x.Bounds.Periods) > 0 {
			list = append(list, &purse{Allowance: x})
		}
	}
	return list
}

// open opens the period at a tick, unless it is open. Periods that end by until, and are alike, are opened as one if each leaves
// less than the least of units, or the most for all its ticks.
func (c *purse) open(t bookahead.Time, least, most int64, until bookahead.Time) {
	if t < c.end {
		return
	}
	b, p := c.Bounds, bookahead.Interval{}
	c.left = Over
	if !c.every {
		i := b.listed(t)
		switch {
		case i == len(b.Periods):
			c.end = bookahead.MaxTime
			return
		case t < b.Periods[i].Start:
			c.end = b.Periods[i].Start
			return
		}
		p = b.Periods[i]
	} else {
		if t < b.From {
			c.end = b.From
			return
		}
		p = b.period(t)
	}
	c.end, c.left = p.End, uint64(b.Ticks)-min(uint64(b.Ticks), c.Has.Area(p))
	if !c.every {
		return
	}
	last := b.period(min(c.Has.next(p.Start), until)).Start
	enough := c.left/uint64(p.Len()) >= uint64(most)
	if last > p.End && (enough || c.left < uint64(least)) {
		c.end = last
		if enough {
			c.left = Over
		}
	}
}
