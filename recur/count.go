package recur

import (
	"math/bits"
	"time"
)

// dayOfCount returns the day of the last occurrence that Count allows, or last if it is not reached by then. It counts the
// days of each month at once:
//
//	Count 5, on Tuesdays from 20 January 2026 on
//	January     20 27              2 of 5
//	February    3 10 17 24         the third of these is the last: 17 February
func (x *pattern) dayOfCount(last int64) int64 {
	if x.months == 0 || int64(x.Count) > last-x.first {
		return last // there are not so many days
	}
	left := x.Count
	g := gapsFrom(x.Start)
	early := uint32(1)<<(x.first-monthStart(monthOf(x.first))) - 1 // days before Start
	for m := monthOf(x.first); monthStart(m) <= last; m = x.step(m, 1) {
		set := x.without(&g, m, x.month(m)&^early)
		early = 0
		n := bits.OnesCount32(set)
		if n < left {
			left -= n
			continue
		}
		for ; left > 1; left-- {
			set &= set - 1
		}
		return min(last, monthStart(m)+int64(bits.TrailingZeros32(set)))
	}
	return last
}

// without takes those days out of a month that the zone has left out.
func (x *pattern) without(g *gaps, m int64, set uint32) uint32 {
	first := monthStart(m)
	x.looks += g.read(monthStart(m + 1))
	for _, gap := range g.list {
		for d := max(gap[0], first); d <= min(gap[1], first+30); d++ {
			bit := uint32(1) << (d - first)
			if set&bit != 0 && !x.exists(d) {
				set &^= bit
			}
		}
	}
	g.drop(first)
	return set
}

// gaps are the days at which a zone puts its clocks forward so far that a day may be left out, as Samoa did on 30 December
// 2011. They are read as far as they are needed.
type gaps struct {
	next time.Time  // the next change of clocks; zero if there is none
	list [][2]int64 // first and last day
}

func gapsFrom(t time.Time) gaps {
	_, next := t.ZoneBounds()
	return gaps{next: next}
}

// read reads the changes before a day, and returns how many these are.
func (g *gaps) read(day int64) (changes int64) {
	for !g.next.IsZero() && dayOf(g.next) <= day+slackDays {
		changes++
		before, after := g.next.Add(-1), g.next
		_, was := before.Zone()
		_, is := after.Zone()
		if is-was >= daySeconds/2 {
			g.list = append(g.list, [2]int64{dayOf(before), dayOf(after)})
		}
		_, g.next = after.ZoneBounds()
		if !g.next.IsZero() && !g.next.After(after) {
			g.next = after.Add(daySeconds * time.Second) // package time gives each leap year 365 days, and stays on its last day
		}
	}
	return changes
}

// drop forgets the gaps before a day.
func (g *gaps) drop(day int64) {
	for len(g.list) > 0 && g.list[0][1] < day {
		g.list = g.list[1:]
	}
}
