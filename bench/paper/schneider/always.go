package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// paperFigures are the figures that compare the list with slots, at the usual lead.
var paperFigures = []string{"6", "8", "9"}

// always judges the end of §8.3: the list "always provides a similar runtime and acceptance
// rate as the respectively best configuration for the slotted time model". Each list is
// compared with the slots of its figure that are fastest at a load, or accept most there.
// Similar is at most twice the time, and at most a point less success.
func always(points []point) []trial.Finding {
	time := trial.Claim{Where: "§8.3", What: "The list always takes a similar time as the fastest slots, twice as long at most", Paper: "always similar", From: math.Inf(-1), To: math.Log(2)}
	success := trial.Claim{Where: "§8.3", What: "The list always accepts a similar share as the slots that accept most, a point less at most", Paper: "always similar", From: -near, To: math.Inf(1)}
	faster := func(a, b point) bool { return a.micros.Mean < b.micros.Mean }
	fuller := func(a, b point) bool {
		x, _ := a.rate()
		y, _ := b.rate()
		return x > y
	}
	var found []trial.Finding
	for _, c := range []struct {
		trial.Claim
		of     quantity
		better func(a, b point) bool
	}{{time, timeRatio, faster}, {success, gain, fuller}} {
		var parts []trial.Finding
		for _, p := range points {
			if p.structure != list.name || !slices.Contains(paperFigures, p.figure) {
				continue
			}
			best, ok := bestSlots(p, points, c.better)
			if !ok {
				continue
			}
			part := c.Claim
			part.Names = fmt.Sprintf(c.of.names, p.structure, best.structure)
			parts = append(parts, part.Judge(c.of.of(p), c.of.of(best), c.of.by, fmt.Sprintf("Figure %s, %d units, load %g", p.figure, p.units, p.load)))
		}
		if len(parts) > 0 {
			found = append(found, c.Worst(parts, everyLoad))
		}
	}
	return found
}

// bestSlots returns the point of the best slots in the figure of p, at its load; false if
// the figure has none.
func bestSlots(p point, points []point, better func(a, b point) bool) (best point, ok bool) {
	for _, q := range points {
		if q.slots == 0 || q.figure != p.figure || q.units != p.units || q.load != p.load {
			continue
		}
		if !ok || better(q, best) {
			best, ok = q, true
		}
	}
	return best, ok
}
