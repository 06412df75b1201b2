package main

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/window"
)

// setting is §4.1, with the details that §4.1 leaves open.
type setting struct {
	nodes    int
	interval bookahead.Time // the scheduling interval, in ticks
	slowest  float64        // performances are uniform from here
	fastest  float64        // to here
	greatest float64        // qualities are uniform from 0 to here
	job      window.Job

	// The paper leaves these open; they are calibrated.
	load   float64 // the most that a node is used initially
	price  float64 // of a tick, for each unit of performance
	spread float64 // a node's price is up to this much more or less, relatively
	short  int     // initial tasks have lengths uniform from here
	long   int     // to here
}

// paper is the setting of the paper.
var paper = setting{
	nodes: 100, interval: 1200, slowest: 2, fastest: 10, greatest: 10,
	job:  window.Job{Nodes: 7, MinPerformance: 1, Volume: 800, Budget: 644},
	load: 0.3, price: 0.117, spread: 0.5, short: 40, long: 250,
}

// environment draws nodes and their idle spans.
func (s setting) environment(rng *rand.Rand) (*window.Environment, error) {
	nodes := make([]window.Node, s.nodes)
	var slots []window.Slot
	for i := range nodes {
		p := s.slowest + (s.fastest-s.slowest)*rng.Float64()
		nodes[i] = window.Node{
			Performance: p,
			Price:       p * s.price * (1 + s.spread*(2*rng.Float64()-1)),
			Quality:     s.greatest * rng.Float64(),
		}
		for _, idle := range s.idle(rng) {
			slots = append(slots, window.Slot{Node: i, Interval: idle})
		}
	}
	slices.SortStableFunc(slots, func(a, b window.Slot) int { return cmp.Compare(a.Start, b.Start) })
	return window.New(nodes, slots)
}

// idle draws the initial load of a node, and returns the spans that are left. Its
// share of the interval is hypergeometric. It is cut into tasks, which lie in
// random order with idle spans between them that are uniform on the simplex.
func (s setting) idle(rng *rand.Rand) []bookahead.Interval {
	busy := bookahead.Time(math.Round(float64(s.interval) * s.load * hypergeometric(rng) / draws))
	var tasks []bookahead.Time
	for left := busy; left > 0; {
		length := min(left, bookahead.Time(s.short+rng.IntN(s.long-s.short+1)))
		tasks = append(tasks, length)
		left -= length
	}
	cuts := make([]bookahead.Time, len(tasks))
	for i := range cuts {
		cuts[i] = bookahead.Time(rng.Int64N(int64(s.interval - busy + 1)))
	}
	slices.Sort(cuts)
	var list []bookahead.Interval
	at, free := bookahead.Time(0), bookahead.Time(0)
	for i, length := range tasks {
		if cuts[i] > free {
			list = append(list, bookahead.Interval{Start: at, End: at + cuts[i] - free})
		}
		at += cuts[i] - free + length
		free = cuts[i]
	}
	if at < s.interval {
		list = append(list, bookahead.Interval{Start: at, End: s.interval})
	}
	return list
}

// draws is how often hypergeometric draws, out of twice as many of which half
// count.
const draws = 10

// hypergeometric draws how many count.
func hypergeometric(rng *rand.Rand) float64 {
	good, all, n := draws, 2*draws, 0
	for range draws {
		if rng.IntN(all) < good {
			n++
			good--
		}
		all--
	}
	return float64(n)
}

// large is the setting with 1 000 nodes.
var large = func() setting {
	s := paper
	s.nodes, s.job.Nodes, s.job.Budget = 1000, 64, 64*paper.job.Budget/float64(paper.job.Nodes)
	return s
}()
