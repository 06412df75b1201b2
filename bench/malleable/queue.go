package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/paper/trial"
	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/pieces"
	"github.com/bookahead/bookahead/plan"
	"github.com/bookahead/bookahead/volume"
)

// bending is how the jobs of a queue bend; nil for jobs that do not.
type bending struct {
	name   string
	bend   func(*plan.Part)
	yields bool // a job that runs gives its units to a job that comes with less to do
}

// checkpoints are those of jobs in pieces, in seconds.
var checkpoints = pieces.Rule{Least: 900, Restart: 60}

var bendings = []bending{
	{name: "whole", bend: func(*plan.Part) {}},
	{name: "in pieces of 15 min, 1 min to restart", bend: func(p *plan.Part) { p.Pieces = &checkpoints }},
	{name: "in pieces of any length", bend: func(p *plan.Part) { p.Pieces = &pieces.Rule{} }},
	{name: "w/4 to w, no pause", bend: func(p *plan.Part) { p.Volume = &volume.Request{Least: over(p.Units, 4)} }},
	{name: "up to w", bend: func(p *plan.Part) { p.Volume = &volume.Request{} }},
	{name: "up to w, yields to less work", bend: func(p *plan.Part) { p.Volume = &volume.Request{} }, yields: true},
}

// running is a job of the queue that has started.
type running struct {
	units   int64          // now; 0 while it pauses
	since   bookahead.Time // it has them
	restart bookahead.Duration
	left    int64 // units times ticks
}

// advance takes off the work that the job has done by a time.
func (r *running) advance(now bookahead.Time) {
	ticks := bookahead.Duration(now - r.since)
	r.since = now
	if r.units > 0 {
		lost := min(ticks, r.restart)
		r.restart -= lost
		r.left -= r.units * int64(ticks-lost)
	}
}

// end returns when the job is done; bookahead.MaxTime if it pauses.
func (r *running) end() bookahead.Time {
	switch {
	case r.units == 0:
		return bookahead.MaxTime
	case r.left <= 0:
		return r.since
	}
	return r.since + bookahead.Time(r.restart) + bookahead.Time(over(r.left, r.units))
}

// queued is the simulation of a queue whose jobs run until their work is done, which they know no more than the queue does.
type queued struct {
	bending
	q    *plan.Queue
	jobs []workload.Job
	list []request
	runs map[int]*running
	held [][]volume.Stretch
	// restart is what a job in pieces takes before it goes on.
	restart bookahead.Duration
}

// queue runs jobs through a plan.Queue under EASY, and returns what each of them held.
func (b bending) queue(ctx context.Context, procs int64, jobs []workload.Job, list []request) ([][]volume.Stretch, error) {
	pool, err := carts.NewIndexed(procs, carts.Config{})
	if err != nil {
		return nil, err
	}
	q, err := plan.New(plan.Config{
		Schedules: []plan.Schedule{{Pool: pool}}, Backfill: plan.EASY(1), Yield: b.yields, Limits: plan.Limits{Steps: math.MaxInt64},
	})
	if err != nil {
		return nil, err
	}
	x := queued{bending: b, q: q, jobs: jobs, list: list, runs: map[int]*running{}, held: make([][]volume.Stretch, len(jobs))}
	some := plan.Part{Units: 1}
	b.bend(&some)
	if some.Pieces != nil {
		x.restart = some.Pieces.Restart
	}
	for next := 0; next < len(list) || len(x.runs) > 0; {
		now := q.Next()
		if next < len(list) {
			now = min(now, list[next].comes)
		}
		for _, r := range x.runs {
			now = min(now, r.end())
		}
		for ; next < len(list) && list[next].comes <= now && err == nil; next++ {
			err = x.submit(next)
		}
		if err == nil {
			err = x.step(ctx, now)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: stopped at %d, after %d of %d jobs: %w", b.name, now, next, len(list), err)
		}
	}
	return x.held, nil
}

func (x *queued) submit(i int) error {
	j := x.jobs[i]
	p := plan.Part{Units: j.Units, Duration: j.Estimate}
	x.bend(&p)
	return x.q.Submit(plan.Job{ID: plan.ID(strconv.Itoa(i)), Submitted: x.list[i].comes, Shapes: []plan.Shape{{p}}})
}

// step ends the jobs that are done, makes a pass, and starts and changes the jobs that the pass names.
func (x *queued) step(ctx context.Context, now bookahead.Time) error {
	for _, i := range slices.Sorted(maps.Keys(x.runs)) {
		if x.runs[i].end() > now {
			continue
		}
		x.hold(i, now, 0)
		delete(x.runs, i)
		err := x.q.Ended(now, plan.ID(strconv.Itoa(i)))
		if err != nil {
			return err
		}
	}
	result, err := x.q.Pass(ctx, now)
	if err != nil {
		return err
	}
	for _, c := range result.Changes {
		i, units := named(c.Job), int64(0)
		for _, at := range c.Places {
			units = at.Units
		}
		x.hold(i, now, units)
		x.runs[i].restart = x.restart
	}
	for _, s := range result.Starts {
		err = x.q.Started(s.Job)
		if err != nil {
			return err
		}
		i := named(s.Job)
		x.runs[i] = &running{since: now, left: x.list[i].Volume}
		x.hold(i, now, s.Places[0].Units)
	}
	return nil
}

// named returns the number of a job.
func named(id plan.ID) int {
	i, _ := strconv.Atoi(string(id)) // all are made by submit
	return i
}

// hold gives a running job other units.
func (x *queued) hold(i int, now bookahead.Time, units int64) {
	r := x.runs[i]
	if r.units > 0 && now > r.since {
		x.held[i] = append(x.held[i], volume.Stretch{Interval: bookahead.Interval{Start: r.since, End: now}, Units: r.units})
	}
	r.advance(now)
	r.units = units
}

// queues runs the jobs through queues of all bendings at each density, and returns a table.
func (s settings) queues(ctx context.Context, jobs []workload.Job, procs int64, p trial.Progress) (trial.Table, error) {
	t := trial.Table{Title: "Jobs in a queue under EASY, by their estimates; times in hours", File: "queues.csv",
		Header: []string{"times the load", "jobs", "wait mean", "turnaround mean", "turnaround median", "less, %", "slowdown mean", "slowdown median", "utilisation, %", "stretches"}}
	for _, denser := range s.denser {
		list, whole := stream(jobs, denser, 0), 0.0
		for i, b := range bendings {
			p.Now("queues: %g times the load: %s", denser, b.name)
			held, err := b.queue(ctx, procs, jobs, list)
			if err != nil {
				return t, fmt.Errorf("%g times the load: %w", denser, err)
			}
			wait := 0.0
			for k, at := range held {
				wait += float64(at[0].Start-list[k].comes) / float64(len(held))
			}
			m := summarize(procs, list, held)
			row := trial.Row(append(trial.Row(nil, denser), b.name), wait/3600, m.turnaround/3600, m.medianTurnaround/3600)
			if i == 0 {
				whole = m.turnaround
				row = append(row, "")
			} else {
				row = trial.Row(row, 100*(1-m.turnaround/whole))
			}
			t.Rows = append(t.Rows, trial.Row(row, m.slowdown, m.medianSlowdown, 100*m.utilisation, m.stretches))
		}
		p.Done("queues: %g times the load", denser)
	}
	return t, nil
}
