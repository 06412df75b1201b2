package main

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/sim"
	"github.com/bookahead/bookahead/grid"
	batch "github.com/bookahead/bookahead/plan"
)

// strategy says where the grid sends tasks.
type strategy string

const (
	mct      strategy = "MCT"                  // AR tasks where they end first; batch tasks to the shortest queue (LB)
	first    strategy = "MCT, first"           // the same, and where equals are, the first of them
	priority strategy = "AR resource priority" // AR tasks to the first part that has room; batch tasks as above
	random   strategy = "Random"               // both kinds anywhere
	static   strategy = "Static"               // AR tasks to the first part, batch tasks to the second
)

// interval is when AR tasks may start, in hours after the time at which their jobs
// started in the log. The zero value is a fixed request.
type interval struct{ from, to bookahead.Time }

// plan is a simulation but for the chances.
type plan struct {
	piece    int // of the log
	parts    int // providers
	units    int64
	form     form
	grid     strategy
	period   bookahead.Duration // δ of the grid
	arFirst  bool               // AR tasks do not wait for δ (AR first, §4.4.2); otherwise they do (AR FCFS)
	local    local              // the policy of each local scheduler
	share    int                // of AR tasks, in per cent
	interval interval
	known    bool // the estimates of batch tasks are their run times
}

// local is a policy; unlike a sim.Local, it can be compared.
type local struct {
	largest  bool // LSF, otherwise FCFS
	backfill batch.Backfill
	period   bookahead.Duration
}

func (l local) policy() sim.Local {
	p := sim.Local{Backfill: l.backfill, Period: l.period}
	if l.largest {
		p.Order = batch.LSF()
	}
	return p
}

// The pieces of the log.
const (
	light = iota
	heavy
)

// two is the plan of §5.2 to §5.5: two parts of 64 processors.
func two(piece int, grid strategy, share int) plan {
	return plan{piece: piece, parts: 2, units: part, grid: grid, local: fcfs, share: share}
}

// with is the plan with another share of AR tasks, in per cent.
func (p plan) with(share int) plan {
	p.share = share
	return p
}

// chance reports whether the plan depends on the seed.
func (p plan) chance() bool {
	return p.grid == random || 0 < p.share && p.share < 100 || p.grid == mct && p.share > 0 && p.parts > 1
}

// config opens the providers.
func (p plan) config(horizon bookahead.Duration, seed uint64) (sim.Config, error) {
	c := sim.Config{Period: p.period, ARFirst: p.arFirst}
	for range p.parts {
		s, err := p.form.open(p.units, horizon)
		if err != nil {
			return c, err
		}
		if p.form.probed && p.share == 100 { // all searches are those of AR tasks, without a queue
			s = &probe{Schedule: s, slot: p.form.slot}
		}
		c.Providers = append(c.Providers, sim.Provider{Schedule: s, Units: p.units, Local: p.local.policy()})
	}
	c.Batch.Policy, c.AR.Policy = grid.ShortestQueue, askedAll
	switch p.grid {
	case mct:
		c.AR.Policy = drawnMCT(seed)
	case priority:
		c.AR.Policy = grid.Priority
	case random:
		c.Batch.Policy, c.AR.Policy = anywhere(seed, 0xba7c4), anywhere(seed, 0xa4)
	case static:
		c.AR.Partition, c.Batch.Partition = grid.Dedicated(0), grid.Dedicated(1)
	}
	return c, nil
}
