package main

import (
	"fmt"
	"strconv"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/paper/trial"
)

// The δ of Fig. 8 to 10, in seconds.
var deltas = []bookahead.Duration{0, hour, 24 * hour}

// every is a plan whose grid decides every δ only.
func every(delta bookahead.Duration, grid strategy, share int) plan {
	p := two(heavy, grid, share)
	p.period = delta
	return p
}

// sweep has a line for each δ and share.
func sweep(grid strategy) (lines []line) {
	for _, d := range deltas {
		for _, share := range tenths {
			lines = append(lines, line{labels: []string{strconv.Itoa(int(d)), strconv.Itoa(share)}, plan: every(d, grid, share)})
		}
	}
	return lines
}

func figures8to10(scenes []scene) trial.Table {
	return tabulate(scenes, "Figures 8 to 10: Random, by the off-line period δ", "fig8-10.csv", []string{"δ, s", "% AR"}, criteria, sweep(random))
}

func partitions(scenes []scene) trial.Table {
	t := tabulate(scenes, "§5.3: one part for AR tasks, one for batch tasks", "static.csv", []string{"δ, s", "% AR"}, criteria, sweep(static))
	t.Brief = func(row []string) bool { return deciding(row) && row[1] != strconv.Itoa(hour) } // as at once
	return t
}

// queues has what of these changes if AR tasks do not wait for δ.
func queues(scenes []scene) trial.Table {
	var lines []line
	for _, grid := range []strategy{random, static} {
		for _, l := range sweep(grid) {
			if l.plan.period > 0 {
				l.labels = append([]string{string(grid)}, l.labels...)
				l.plan.arFirst = true
				lines = append(lines, l)
			}
		}
	}
	return tabulate(scenes, "Figures 8 to 10 and §5.3 again, with AR first: AR tasks do not wait for δ", "arfirst.csv", []string{"strategy", "δ, s", "% AR"}, criteria, lines)
}

// tableSix has the paper's mean U, mean F and mean D.
var tableSix = []struct {
	grid    strategy
	u, f, d float64
}{
	{static, 0.65, 164983, 7178},
	{mct, 0.679, 107383, 5666},
	{priority, 0.695, 99714, 5576},
}

func table6(scenes []scene) trial.Table {
	var lines []line
	for _, r := range tableSix {
		lines = append(lines, line{labels: []string{string(r.grid)}, plan: two(heavy, r.grid, usual), said: []string{trial.Number(r.u), trial.Number(r.f), trial.Number(r.d)}})
	}
	lines = append(lines, line{labels: []string{string(first)}, plan: two(heavy, first, usual)})
	lines = append(lines, line{labels: []string{string(random)}, plan: two(heavy, random, usual)})
	return tabulate(scenes, "Table 6: 30 % AR tasks, fixed requests", "table6.csv", []string{"strategy"}, criteria, lines)
}

func figures11to19(scenes []scene) trial.Table {
	var lines []line
	for _, g := range []strategy{mct, priority, random} {
		for _, share := range tenths {
			lines = append(lines, line{labels: []string{string(g), strconv.Itoa(share)}, plan: two(heavy, g, share)})
		}
	}
	return tabulate(scenes, "Figures 11 to 13 and 17 to 19: fixed requests", "fig11-19.csv", []string{"strategy", "% AR"}, criteria, lines)
}

// intervals are those of Fig. 14, of which two are known: [1, 4] and [2, 8].
var intervals = []interval{{0, 0}, {1, 4}, {2, 8}, {3, 12}, {4, 16}, {6, 24}, {8, 32}, {12, 48}}

func (i interval) String() string { return fmt.Sprintf("[%d, %d]", i.from, i.to) }

// within is a plan with flexible requests.
func within(i interval, grid strategy, share int) plan {
	p := two(heavy, grid, share)
	p.interval = i
	return p
}

// flows are the criteria, and what AR and batch tasks have of them.
var flows = append(criteria[:3:3],
	cell{"F of AR tasks, s", func(s *summary) float64 { return s.flowAR }},
	cell{"F of batch tasks, s", func(s *summary) float64 { return s.flowBatch }})

func figure14(scenes []scene) trial.Table {
	var lines []line
	for _, i := range intervals {
		for _, g := range []strategy{mct, priority} {
			lines = append(lines, line{labels: []string{i.String(), string(g)}, plan: within(i, g, usual)})
		}
	}
	return tabulate(scenes, "Figure 14: 30 % AR tasks, by the interval in hours", "fig14.csv", []string{"interval", "strategy"}, flows, lines)
}

func figures15and16(scenes []scene) trial.Table {
	var lines []line
	for _, i := range intervals[1:3] {
		for _, g := range []strategy{mct, priority} {
			for _, share := range tenths {
				lines = append(lines, line{labels: []string{i.String(), string(g), strconv.Itoa(share)}, plan: within(i, g, share)})
			}
		}
	}
	return tabulate(scenes, "Figures 15 and 16: flexible requests", "fig15-16.csv", []string{"interval", "strategy", "% AR"}, criteria, lines)
}

// knowing is a plan with exact estimates of batch tasks.
func knowing(p plan) plan {
	p.known = true
	return p
}

// bound is a plan whose servers are chosen at that time.
func bound(b binding, share int) plan {
	p := two(heavy, priority, share)
	p.form.bind = b
	return p
}

func reasons(scenes []scene) trial.Table {
	var lines []line
	for _, share := range fifths {
		for _, r := range []struct {
			name string
			plan
		}{
			{"as above", two(heavy, priority, share)},
			{"batch tasks ask for their run time", knowing(two(heavy, priority, share))},
			{"servers chosen at the start", bound(dynamic, share)},
			{"servers chosen when booked", bound(early, share)},
		} {
			lines = append(lines, line{labels: []string{strconv.Itoa(share), r.name}, plan: r.plan})
		}
	}
	return tabulate(scenes, "§3.2 and §6: AR resource priority, what knowledge and binding do", "reasons.csv", []string{"% AR", "what"}, criteria, lines)
}
