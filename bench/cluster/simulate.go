package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/bookahead/bookahead/bench/paper/trial"
	"github.com/bookahead/bookahead/bench/sim"
)

// simulate runs the scenario on "nodes" or on "pools", checks the runs, and sums them up.
func (x *scenario) simulate(ctx context.Context, machine string, p trial.Progress) (summary, error) {
	m := meter{Progress: p, machine: machine}
	runtime.GC() // so that a run does not pay for the garbage of another
	began, worked := time.Now(), processor()
	r, err := sim.RunCluster(ctx, sim.Cluster{
		Machine: x.machine, Units: int64(nodeGPUs * x.nodes), Outages: x.outages, Pools: machine == "pools",
		Local: sim.Local{Order: orders[x.order], Backfill: policies[x.policy]}, Watch: m.watch,
	}, x.gangs)
	wall, work := time.Since(began), processor()-worked
	if errors.Is(err, context.Canceled) {
		p.Now("") // so that the message stands alone
		return summary{}, fmt.Errorf("stopped when %d of %d jobs were done: %w", m.last.Ended, m.last.Total, context.Canceled)
	}
	if err == nil {
		err = x.verify(r)
	}
	if err != nil {
		return summary{}, err
	}
	s := x.summarize(machine, r)
	s.wall, s.processor = wall, work
	return s, nil
}

// meter reports how far a run is.
type meter struct {
	trial.Progress
	machine string
	last    sim.Moment
	shown   time.Time
}

// watch shows a moment five times a second on a terminal, and has a line for each quarter of the jobs.
func (m *meter) watch(now sim.Moment) {
	quarter := func(s sim.Moment) int { return 4 * s.Ended / max(1, s.Total) }
	say := fmt.Sprintf("%s: %d of %d jobs done on day %.2f; %d run, %d wait", m.machine, now.Ended, now.Total, float64(now.Now)/day, now.Running, now.Waiting)
	if quarter(now) > quarter(m.last) {
		m.Done("%s", say)
	} else if time.Since(m.shown) > time.Second/5 {
		m.Now("%s", say)
		m.shown = time.Now()
	}
	m.last = now
}
