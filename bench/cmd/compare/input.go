package main

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/swf"
	"github.com/bookahead/bookahead/bench/workload"
)

const (
	// patience is how far the horizon lies behind the longest time to book
	// ahead, in ticks: what would end later is turned away.
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

// input is what is replayed, and how it came about.
type input struct {
	Source       string             `json:"source"`
	Jobs         int                `json:"jobs"`
	Capacity     int64              `json:"capacity"`
	Share        float64            `json:"ar"` // of the jobs that should be booked ahead
	Ahead        int                `json:"booked_ahead"`
	LongestAhead bookahead.Duration `json:"longest_ahead_s"`
	Horizon      bookahead.Duration `json:"horizon_s"`
	Seed         uint64             `json:"seed"`

	bookings []workload.Booking
}

// load reads or makes the jobs, and books a share of them ahead.
func load(s settings) (input, error) {
	in := input{Share: s.share, LongestAhead: s.ahead, Horizon: s.ahead + patience, Seed: s.seed}
	var jobs []workload.Job
	var err error
	if s.trace != "" {
		jobs, err = in.read(s.trace, s.jobs)
	} else {
		jobs, err = in.generate(s.jobs)
	}
	if err != nil {
		return in, err
	}
	in.Jobs = len(jobs)
	in.bookings, err = workload.Reservations{
		Fraction: s.share, Ahead: s.ahead, Slack: slack, Seed: s.seed,
	}.Book(jobs)
	for _, b := range in.bookings {
		if b.Ahead {
			in.Ahead++
		}
	}
	return in, err
}

// generate makes n synthetic jobs; 0 means as many as usual.
func (in *input) generate(n int) ([]workload.Job, error) {
	if n == 0 {
		n = syntheticJobs
	}
	in.Capacity = nodes
	in.Source = fmt.Sprintf("synthetic (Lublin-Feitelson): load %v, estimates up to %d times the run time", systemLoad, 1+over)
	return workload.Lublin{Nodes: nodes, Seed: in.Seed, Load: systemLoad, Over: over}.Generate(n)
}

// read reads the first n jobs of a trace; 0 means all.
func (in *input) read(path string, n int) ([]workload.Job, error) {
	r, err := swf.Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	all, err := workload.FromSWF(r, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(all.Jobs) == 0 {
		return nil, fmt.Errorf("%s: no jobs: %v", path, all)
	}
	in.Capacity = all.Procs
	in.Source = fmt.Sprintf("%s: %v", path, all)
	if n > 0 && n < len(all.Jobs) {
		in.Source += fmt.Sprintf("; the first %d of them", n)
		return all.Jobs[:n], nil
	}
	return all.Jobs, nil
}
