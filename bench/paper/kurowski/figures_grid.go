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

// periods has a line for each δ.
func periods(grid strategy, deltas []bookahead.Duration) (lines []line) {
	for _, d := range deltas {
		lines = append(lines, line{labels: []string{strconv.Itoa(int(d))}, plan: every(d, grid, 0)})
	}
	return lines
}

func partitions(scenes []scene) trial.Table {
	t := figure{"§5.3: one part for AR tasks, one for batch tasks", "static.csv", []string{"δ, s", "% AR"}, criteria, byShare(tenths, periods(static, deltas)...)}.table(scenes)
	t.Brief = func(row []string) bool { return deciding(row) && row[1] != strconv.Itoa(hour) } // as at once
	return t
}

// queues has the lines of these figures that change if AR tasks do not wait for δ.
func queues() (lines []line) {
	for _, grid := range []strategy{random, static} {
		for _, l := range periods(grid, deltas[1:]) {
			l.labels = append([]string{string(grid)}, l.labels...)
			l.plan.arFirst = true
			lines = append(lines, l)
		}
	}
	return byShare(tenths, lines...)
}

// tableSix has the paper's three strategies, and two of ours.
var tableSix = []line{
	{[]string{string(static)}, two(heavy, static, usual), []float64{0.65, 164983, 7178}},
	{[]string{string(mct)}, two(heavy, mct, usual), []float64{0.679, 107383, 5666}},
	{[]string{string(priority)}, two(heavy, priority, usual), []float64{0.695, 99714, 5576}},
	{[]string{string(first)}, two(heavy, first, usual), nil},
	{[]string{string(random)}, two(heavy, random, usual), nil},
}

// fixed has a line for each strategy.
func fixed(strategies ...strategy) (lines []line) {
	for _, g := range strategies {
		lines = append(lines, line{labels: []string{string(g)}, plan: two(heavy, g, usual)})
	}
	return lines
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

// flexible has a line for each interval, under each of both strategies.
func flexible(intervals []interval) (lines []line) {
	for _, i := range intervals {
		for _, g := range []strategy{mct, priority} {
			lines = append(lines, line{labels: []string{i.String(), string(g)}, plan: within(i, g, usual)})
		}
	}
	return lines
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

func reasons() (lines []line) {
	for _, share := range fifths {
		percent := strconv.Itoa(share)
		lines = append(lines,
			line{labels: []string{percent, "as above"}, plan: two(heavy, priority, share)},
			line{labels: []string{percent, "batch tasks ask for their run time"}, plan: knowing(two(heavy, priority, share))},
			line{labels: []string{percent, "servers chosen at the start"}, plan: bound(dynamic, share)},
			line{labels: []string{percent, "servers chosen when booked"}, plan: bound(early, share)},
		)
	}
	return lines
}
