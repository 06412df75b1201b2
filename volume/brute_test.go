package volume

import (
	"math/big"

	"github.com/bookahead/bookahead"
)

// bruteCost is the cost of a plan, of any size.
func bruteCost(r Request, end bookahead.Time, changes int) *big.Int {
	c := new(big.Int).Mul(big.NewInt(int64(r.Price)), big.NewInt(int64(changes)))
	return c.Add(c, big.NewInt(int64(end)))
}

// brute returns the least cost of a plan, by all numbers of units at all ticks; nil if there is no plan. free are the
// free units at each tick from 0 on.
func brute(free []int64, now bookahead.Time, r Request) (best *big.Int) {
	type state struct {
		done      int64
		units     int64 // of the tick before
		stretches int
		over      bool // work with Least has ended before enough was done
	}
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
				cost := bruteCost(r, t+1, n.stretches-1)
				if best == nil || cost.Cmp(best) < 0 {
					best = cost
				}
			}
		}
		states = next
	}
	return best
}
