package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/sim"
	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/plan"
)

// setting is how a log is read.
type setting struct {
	name, about string
	table       bool // the processors of Table 1, not those of the log's machine
	estimated   bool // booked for the estimate, not for the run time
	// boundaries has the published search try starts at the boundaries of slots only.
	// Nothing in the paper settles whether it does, so that a verdict which comes out
	// otherwise then cannot be told.
	boundaries bool
}

// settings are the readings; the first one decides.
var settings = []setting{
	{"logged", "the log's processors; booked for the run time, as the mean durations of Table 1 say", false, false, false},
	{"Table 1", "as many processors as Table 1 says; booked for the run time", true, false, false},
	{"estimates", "the log's processors; booked for the estimate, as the text says, of which the rest is given back when the job is done", false, true, false},
	{"boundaries", "as logged, but the starts that are tried lie at the boundaries of slots: the first one is the ready time, rounded up", false, false, true},
}

// apply reports whether the setting is one of its own for a log.
func (s setting) apply(l log) bool { return !s.table || s.units(l) != l.units }

func (s setting) units(l log) int64 {
	if s.table {
		return cmp.Or(l.table, l.units)
	}
	return l.units
}

// tasks returns a task for each job, ready when it is submitted.
func (s setting) tasks(l log) []sim.Task {
	tasks := sim.FromJobs(l.jobs)
	for i := range tasks {
		if !s.estimated {
			tasks[i].Estimate = tasks[i].Run
		}
	}
	return tasks
}

// published opens the published structure, whose starts are step apart.
func (s setting) published(step bookahead.Duration) opener {
	if s.boundaries {
		return stepped(step).fromBoundaries()
	}
	return stepped(step)
}

// mostAhead is how far ahead the paper books at most (§5.2).
const mostAhead bookahead.Duration = 3 * hour

// ahead has a share of the tasks booked up to three hours ahead; a larger share
// adds to those of a smaller one. They may wait as the others do.
func (s setting) ahead(l log, share float64, seed uint64) ([]sim.Task, error) {
	tasks := s.tasks(l)
	bookings, err := workload.Reservations{Fraction: share, Ahead: mostAhead, Seed: seed}.Book(l.jobs)
	for i, b := range bookings {
		tasks[i].Ready, tasks[i].AR = b.Request.Ready, b.Ahead
	}
	return tasks, err
}

// schedule books each task when it is submitted, and does not move it afterwards
// (§5.1): to bench/sim, all are AR tasks. A task that is done before its reservation
// ends gives back the rest. Tasks are in order of submission, so that each search of
// the calendar is that of the next task. A calendar without searches gets batch tasks,
// under FCFS with EASY backfilling.
func schedule(tasks []sim.Task, units int64, c *calendar) (sim.Result, error) {
	p := sim.Provider{Schedule: c, Units: units}
	if c.find == nil {
		p.Schedule, p.Local.Backfill = c.Schedule, plan.EASY(1)
	}
	tasks = slices.Clone(tasks)
	for i := range tasks {
		tasks[i].AR = c.find != nil
	}
	r, err := sim.Run(sim.Config{Providers: []sim.Provider{p}}, tasks)
	if err != nil {
		return r, err
	}
	if c.find != nil && len(c.attempts) != len(tasks) { // a task too wide for the machine makes none
		return r, fmt.Errorf("%d searches for %d jobs", len(c.attempts), len(tasks))
	}
	for i, tried := range c.attempts {
		r.Outcomes[i].Attempts = tried
	}
	return r, nil
}

// run schedules tasks on a calendar, and sums up.
func (s setting) run(l log, tasks []sim.Task, open opener) (*summary, error) {
	units := s.units(l)
	c, err := open(units, tasks[0].Submit)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	r, err := schedule(tasks, units, c)
	if err != nil {
		return nil, err
	}
	sum := summarise(r)
	if c.operations > 0 {
		sum.operations = float64(c.operations) / float64(len(tasks))
	}
	sum.seconds = time.Since(began).Seconds()
	return sum, nil
}

// recorded sums up the waits of the log's own batch system, on its own processors. A job
// without a known wait does not count; recorded returns nil if no wait is known.
func (s setting) recorded(l log) *summary {
	r := sim.Result{Tasks: s.tasks(l), Units: []int64{l.units}}
	known := false
	for _, j := range l.jobs {
		start := j.Submit + bookahead.Time(j.Wait)
		o := sim.Outcome{Start: start, End: start + bookahead.Time(j.Run)}
		if j.Wait == workload.Unknown {
			o = sim.Outcome{Rejected: true, Provider: -1}
		}
		known = known || !o.Rejected
		r.Outcomes = append(r.Outcomes, o)
	}
	if !known {
		return nil
	}
	return summarise(r)
}
