package volume

import (
	"github.com/bookahead/bookahead"
)

// brute returns the least cost of a plan, by all numbers of units at all ticks; false if there is no plan. free are the
// free units at each tick from 0 on.
func brute(free []int64, now bookahead.Time, r Request) (bookahead.Time, bool) {
	type state struct {
		done      int64
		units     int64 // of the tick before
		stretches int
		over      bool // work with Least has ended before enough was done
	}
	best, found := bookahead.Time(0), false
	states := map[state]bool{{}: true}
	for t := max(now, r.Ready); int(t) < len(free) && (r.Deadline == 0 || t < r.Deadline); t++ {
		next := map[state]bool{}
		for s := range states {
			for units := int64(0); units <= free[t]; units++ {
				switch {
				case r.Most > 0 && units > r.Most, units > 0 && (units < r.Least || s.over):
					continue
				}
				n := state{done: s.done + units, units: units, stretches: s.stretches, over: s.over}
				if units > 0 && units != s.units {
					n.stretches++
				}
				if r.Stretches > 0 && n.stretches > r.Stretches {
					continue
				}
				if r.Least > 0 && units == 0 && s.units > 0 {
					n.over = true
				}
				if n.done < r.Volume {
					next[n] = true
					continue
				}
				cost := t + 1 + bookahead.Time(int(r.Price)*(n.stretches-1))
				if !found || cost < best {
					best, found = cost, true
				}
			}
		}
		states = next
	}
	return best, found
}
