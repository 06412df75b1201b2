package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// This file is a fake of the world of a remote execution service like BuildBuddy: executors with cores and memory, and tasks
// whose durations and sizes are known from builds before. It counts seconds.

// task runs on one executor.
type task struct {
	name           string
	cores, gib     int
	takes          int
	queued, leased int // leased is -1 while it waits
	on             int // the executor
}

func (t *task) large() bool { return t.cores == whole.cores }

// room is the cores and the memory of an executor.
type room struct{ cores, gib int }

var whole = room{16, 64}

func (r room) fits(t *task) bool { return t.cores <= r.cores && t.gib <= r.gib }

// pool is the executors, by their free room, and the tasks.
type pool struct {
	now           int
	free          []room
	waiting, runs []*task
	busy          int // core-seconds, while tasks come in
}

// scheduler is called by the fake each second.
type scheduler interface {
	queued(t *task)
	done(t *task)
	cycle(now int)
}

// lease runs a task on an executor.
func (p *pool) lease(t *task, on int) error {
	if !p.free[on].fits(t) {
		return fmt.Errorf("executor %d has no room for %s", on, t.name)
	}
	p.free[on].cores -= t.cores
	p.free[on].gib -= t.gib
	t.leased, t.on = p.now, on
	p.waiting = slices.DeleteFunc(p.waiting, func(x *task) bool { return x == t })
	p.runs = append(p.runs, t)
	return nil
}

// run lets time go by until all tasks have run, and returns the share of the cores that were in use until the last came in.
func (p *pool) run(s scheduler, list []*task) float64 {
	last := list[len(list)-1].queued
	for left := len(list); left > 0; p.now++ {
		for _, t := range slices.Clone(p.runs) {
			if t.leased+t.takes == p.now {
				p.free[t.on].cores += t.cores
				p.free[t.on].gib += t.gib
				p.runs = slices.DeleteFunc(p.runs, func(x *task) bool { return x == t })
				s.done(t)
				left--
			}
		}
		for _, t := range list {
			if t.queued == p.now {
				p.waiting = append(p.waiting, t)
				s.queued(t)
			}
		}
		s.cycle(p.now)
		if p.now < last {
			for _, r := range p.free {
				p.busy += whole.cores - r.cores
			}
		}
	}
	return float64(p.busy) / float64(last*whole.cores*len(p.free))
}

// tasks returns compilations, and now and then a test that takes a whole executor.
func tasks() (list []*task) {
	rng := rand.New(rand.NewPCG(12475, 1))
	at := 0
	for n := range 1200 {
		t := &task{name: fmt.Sprintf("compile-%d", n), cores: 1 + rng.IntN(4), takes: 10 + int(rng.ExpFloat64()*50), queued: at, leased: -1}
		t.gib = 2 * t.cores
		if n%60 == 30 {
			t.name, t.cores, t.gib, t.takes = fmt.Sprintf("test-%d", n), whole.cores, whole.gib, 120
		}
		at += rng.IntN(7)
		list = append(list, t)
	}
	return list
}

// inTurn is the scheduler without a plan: strict FIFO, or with naive backfill whatever fits now.
type inTurn struct {
	*pool
	backfill bool
}

func (inTurn) queued(*task) {}
func (inTurn) done(*task)   {}

func (s inTurn) cycle(int) {
	for _, t := range slices.Clone(s.waiting) {
		on := slices.IndexFunc(s.free, func(r room) bool { return r.fits(t) })
		if on >= 0 {
			must(0, s.lease(t, on))
		} else if !s.backfill {
			return
		}
	}
}
