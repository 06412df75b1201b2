package main

import (
	"cmp"
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/swf"
	"github.com/bookahead/bookahead/bench/workload"
)

const (
	// patience is how far the horizon lies behind the longest time to book
	// ahead, in ticks: a job that would end later is turned away.
	patience bookahead.Duration = 14 * day
	// slack is for how many durations a job that is booked ahead may wait.
	slack = 1

	day = 24 * 3600 // ticks
)

// The machine and the model of the synthetic workload.
const (
	syntheticJobs = 10_000
	nodes         = 128
	systemLoad    = 0.8 // of the machine
	over          = 2   // by how many run times users overestimate at most
)

// input is the workload to be replayed, and its source.
type input struct {
	settings
	source   string
	capacity int64
	booked   int // ahead
	horizon  bookahead.Duration
	bookings []workload.Booking
}

// load reads or makes the jobs, and books a share of them ahead.
func load(s settings) (input, error) {
	in := input{settings: s, horizon: s.ahead + patience}
	fetch := in.generate
	if s.trace != "" {
		fetch = in.read
	}
	jobs, err := fetch()
	if err != nil {
		return in, err
	}
	in.bookings, err = workload.Reservations{Fraction: s.share, Ahead: s.ahead, Slack: slack, Seed: s.seed}.Book(jobs)
	for _, b := range in.bookings {
		if b.Ahead {
			in.booked++
		}
	}
	return in, err
}

// generate makes synthetic jobs.
func (in *input) generate() ([]workload.Job, error) {
	in.capacity = nodes
	in.source = fmt.Sprintf("synthetic (Lublin-Feitelson): load %v, estimates up to %d times the run time", systemLoad, 1+over)
	return workload.Lublin{Nodes: nodes, Seed: in.seed, Load: systemLoad, Over: over}.Generate(cmp.Or(in.jobs, syntheticJobs))
}

// read reads the first jobs of a trace.
func (in *input) read() ([]workload.Job, error) {
	l, err := swf.Load(in.trace)
	if err != nil {
		return nil, err
	}
	all := workload.FromSWF(l, 0, nil)
	if len(all.Jobs) == 0 {
		return nil, fmt.Errorf("%s: no jobs: %v", in.trace, all)
	}
	in.capacity = all.Procs
	in.source = fmt.Sprintf("%s: %v", in.trace, all)
	if in.jobs > 0 && in.jobs < len(all.Jobs) {
		in.source += fmt.Sprintf("; the first %d of them", in.jobs)
		return all.Jobs[:in.jobs], nil
	}
	return all.Jobs, nil
}
