package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// This file is a fake of the world of a job queue like Kueue: flavours with a quota of GPUs, workloads that come in with a limit of
// their time, and a window in which a flavour is under maintenance. It counts minutes.

// workload is admitted to a flavour when the quota has room.
type workload struct {
	name             string
	gpus             int
	flavours         []string // on which it may run
	limit            int      // its maximumExecutionTime
	created, runs    int      // only the fake knows for how long it runs
	admitted, wasted int      // admitted is -1 while it waits; wasted is the minutes that it had run when it was evicted
	on               string
}

// clusterQueue is the quotas, by flavour, and the workloads.
type clusterQueue struct {
	now           int
	free          map[string]int
	pending, runs []*workload
	window        struct {
		on       string
		from, to int
	}
}

// scheduler is called by the fake each minute.
type scheduler interface {
	created(w *workload)
	finished(w *workload)
	evicted(w *workload)
	cycle(now int)
}

// admit lets a workload run if the quota of a flavour has room.
func (c *clusterQueue) admit(w *workload, on string) error {
	if c.free[on] < w.gpus || c.closed(on) {
		return fmt.Errorf("%s has no room for %s", on, w.name)
	}
	c.free[on] -= w.gpus
	w.admitted, w.on = c.now, on
	c.pending = slices.DeleteFunc(c.pending, func(x *workload) bool { return x == w })
	c.runs = append(c.runs, w)
	return nil
}

func (c *clusterQueue) closed(on string) bool {
	return on == c.window.on && c.window.from <= c.now && c.now < c.window.to
}

// stop gives the quota of a workload back.
func (c *clusterQueue) stop(w *workload) {
	c.free[w.on] += w.gpus
	c.runs = slices.DeleteFunc(c.runs, func(x *workload) bool { return x == w })
}

// run lets time go by until all workloads have run. Those that run when the window begins are evicted, and begin anew. It returns the
// share of the GPUs that were in use until the last workload came in, with those of a flavour that is closed.
func (c *clusterQueue) run(s scheduler, list []*workload) float64 {
	last, capacity, busy := list[len(list)-1].created, 0, 0
	for _, n := range c.free {
		capacity += n
	}
	for left := len(list); left > 0; c.now++ {
		for _, w := range slices.Clone(c.runs) {
			switch {
			case w.admitted+w.runs == c.now:
				c.stop(w)
				s.finished(w)
				left--
			case c.closed(w.on):
				w.wasted += c.now - w.admitted
				c.stop(w)
				c.pending = append(c.pending, w)
				s.evicted(w)
			}
		}
		for _, w := range list {
			if w.created == c.now {
				c.pending = append(c.pending, w)
				s.created(w)
			}
		}
		s.cycle(c.now)
		if c.now < last {
			busy += capacity
			for _, n := range c.free {
				busy -= n
			}
		}
	}
	return float64(busy) / float64(last*capacity)
}

// newQueue has two flavours: a100 is closed from eight to eleven of the day.
func newQueue() *clusterQueue {
	c := &clusterQueue{free: map[string]int{"a100": 32, "h100": 32}}
	c.window.on, c.window.from, c.window.to = "a100", 8*60, 11*60
	return c
}

// workloads returns those of a day, mostly small ones, and the large one.
func workloads() (list []*workload) {
	rng := rand.New(rand.NewPCG(13159, 10741))
	for n := range 150 {
		limit := 60 * (1 + rng.IntN(4))
		w := &workload{name: fmt.Sprintf("w%d", n), gpus: 1 << rng.IntN(4), flavours: []string{"a100", "h100"}, limit: limit, created: 8 * n, runs: limit * (40 + rng.IntN(60)) / 100, admitted: -1}
		if n == 20 {
			w.name, w.gpus, w.flavours, w.limit, w.runs = large, 28, []string{"h100"}, 4*60, 3*60
		}
		list = append(list, w)
	}
	return list
}

// bestEffort admits in turn whatever fits the quotas now, as BestEffortFIFO does. It knows no time.
type bestEffort struct{ *clusterQueue }

func (bestEffort) created(*workload)  {}
func (bestEffort) finished(*workload) {}
func (bestEffort) evicted(*workload)  {}

func (s bestEffort) cycle(int) {
	for _, w := range slices.Clone(s.pending) {
		for _, on := range w.flavours {
			if s.admit(w, on) == nil {
				break
			}
		}
	}
}
