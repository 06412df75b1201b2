package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// This file is a fake of the world of a scheduler like KAI: nodes with GPUs, pod groups that come in, and binding. It counts
// minutes.

// podGroup is a gang: its pods start together, or none does. Nobody knows for how long they run.
type podGroup struct {
	name           string
	pods, gpus     int // each pod takes so many GPUs of a node
	created, bound int // in minutes; bound is -1 while the group is pending
	runs           int // only the fake knows
	on             []int
}

// world is the nodes, by their free GPUs, and the groups.
type world struct {
	now           int
	free          []int
	pending, runs []*podGroup
	busy          int // GPU-minutes
}

// scheduler is called by the fake each minute, as a scheduler is by the informers of its cache.
type scheduler interface {
	created(g *podGroup)
	finished(g *podGroup)
	cycle(now int)
}

// bind starts the pods of a group, each on a node; it fails if a node has not so many free GPUs.
func (w *world) bind(g *podGroup, on []int) error {
	for i, n := range on {
		if w.free[n] < g.gpus {
			for _, n := range on[:i] {
				w.free[n] += g.gpus
			}
			return fmt.Errorf("node %d has %d GPUs free, and not %d", n, w.free[n], g.gpus)
		}
		w.free[n] -= g.gpus
	}
	g.bound, g.on = w.now, on
	w.pending = slices.DeleteFunc(w.pending, func(x *podGroup) bool { return x == g })
	w.runs = append(w.runs, g)
	return nil
}

// run lets time go by until all groups have run, and returns the share of the GPUs that were in use until the last came in.
func (w *world) run(s scheduler, groups []*podGroup) float64 {
	last, capacity := groups[len(groups)-1].created, 0
	for _, n := range w.free {
		capacity += n
	}
	for left := len(groups); left > 0; w.now++ {
		for _, g := range slices.Clone(w.runs) {
			if g.bound+g.runs == w.now {
				for _, n := range g.on {
					w.free[n] += g.gpus
				}
				w.runs = slices.DeleteFunc(w.runs, func(x *podGroup) bool { return x == g })
				s.finished(g)
				left--
			}
		}
		for _, g := range groups {
			if g.created == w.now {
				w.pending = append(w.pending, g)
				s.created(g)
			}
		}
		s.cycle(w.now)
		if w.now < last {
			w.busy += capacity
			for _, n := range w.free {
				w.busy -= n
			}
		}
	}
	return float64(w.busy) / float64(last*capacity)
}

// groups returns gangs that come in for three and a half days, mostly small ones that leave few GPUs idle, and the large one.
func groups() []*podGroup {
	rng := rand.New(rand.NewPCG(1969, 1987))
	var list []*podGroup
	for n := range 360 {
		list = append(list, &podGroup{name: fmt.Sprintf("train-%d", n), pods: 1 + rng.IntN(3), gpus: 1 << rng.IntN(4), created: 14 * n, bound: -1, runs: 30 + int(rng.ExpFloat64()*60)})
	}
	big := &podGroup{name: large, pods: 6, gpus: 8, created: 4*60 + 1, bound: -1, runs: 5 * 60}
	i, _ := slices.BinarySearchFunc(list, big, func(a, b *podGroup) int { return a.created - b.created })
	return slices.Insert(list, i, big)
}

// greedy is the scheduler without time: it goes through the pending groups, and packs each that fits now on the fullest nodes.
type greedy struct{ *world }

func (greedy) created(*podGroup)  {}
func (greedy) finished(*podGroup) {}

func (s greedy) cycle(int) {
	for _, g := range slices.Clone(s.pending) {
		free, on := slices.Clone(s.free), []int(nil)
		for range g.pods {
			best := -1
			for n, f := range free {
				if f >= g.gpus && (best < 0 || f < free[best]) {
					best = n
				}
			}
			if best < 0 {
				break
			}
			free[best] -= g.gpus
			on = append(on, best)
		}
		if len(on) == g.pods {
			must(0, s.bind(g, on))
		}
	}
}
