package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/paper/trial"
	"github.com/bookahead/bookahead/bench/swf"
	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/volume"
)

// jobPolicies are those of jobs, for a job of w processors. Jobs with deadlines are planned anew by the deadline.
var jobPolicies = []policy{
	{name: "fixed, w", rates: mostRate},
	{name: "best of fixed, w/4 to 2w", rates: severalRates, change: func(r *volume.Request) { quarter(r); r.Most *= 2 }},
	{name: "bent, w/4 to w, no pause", change: quarter},
	{name: "bent, up to w"},
	{name: "bent, w/4 to 2w, no pause", change: func(r *volume.Request) { quarter(r); r.Most *= 2 }},
	{name: "bent, up to 2w", change: func(r *volume.Request) { r.Most *= 2 }},
	{name: "fixed, w, planned anew", rates: mostRate, anew: shortest},
	{name: "bent, up to w, planned anew", anew: shortest},
	{name: "bent, up to 2w, planned anew", change: func(r *volume.Request) { r.Most *= 2 }, anew: shortest},
}

// quarter lets the work have a quarter of its most units at least.
func quarter(r *volume.Request) { r.Least = over(r.Most, 4) }

// log returns the jobs of the data, or jobs of the model of Lublin and Feitelson, and the processors of the machine.
func (s settings) log() (jobs []workload.Job, procs int64, about string, err error) {
	if s.data == "" {
		made := workload.Lublin{Nodes: 128, Seed: s.seed, Load: 0.7}
		jobs, err = made.Generate(cmp.Or(s.jobs, 10_000))
		return jobs, made.Nodes, fmt.Sprintf("%d of Lublin and Feitelson's model on %d processors", len(jobs), made.Nodes), err
	}
	path, err := trial.File(filepath.Join(s.data, "swf"), "KTH-*.swf*")
	if err != nil {
		return nil, 0, "", err
	}
	l, err := swf.Load(path)
	if err != nil {
		return nil, 0, "", err
	}
	all := workload.FromSWF(l, 0, nil)
	if len(all.Jobs) == 0 {
		return nil, 0, "", fmt.Errorf("%s: no jobs", path)
	}
	n := min(cmp.Or(s.jobs, len(all.Jobs)), len(all.Jobs))
	return all.Jobs[:n], all.Procs, fmt.Sprintf("the first %d of KTH SP2, %v", n, all), nil
}

// stream returns the jobs as requests, in the order of submission. The deadline is so many runs after the submission; 0 is
// none.
func stream(jobs []workload.Job, denser float64, runs int64) (list []request) {
	for _, j := range jobs {
		r := request{path: []int{0}, counts: true}
		r.comes = bookahead.Time(float64(j.Submit) / denser)
		r.Ready, r.Volume, r.Most = r.comes, j.Units*int64(j.Run), j.Units
		if runs > 0 {
			r.Deadline = r.Ready + bookahead.Time(runs*int64(j.Run))
		}
		list = append(list, r)
	}
	return list
}

// publishedLess is by how many per cent less the turnaround of malleable jobs was, on the machine of three with the least gain
// (Zojer, Posner and Özden, 2026).
const publishedLess = "37"

// turnarounds runs all policies at each density, without deadlines and with some, and returns a table of each.
func (s settings) turnarounds(ctx context.Context, jobs []workload.Job, procs int64, p trial.Progress) ([]trial.Table, error) {
	const factor = "times the load"
	without := trial.Table{Title: "Jobs without deadlines; times in hours", File: "turnarounds.csv",
		Header: []string{factor, "policy", "turnaround mean", "turnaround median", "less, %", "paper", "slowdown mean", "slowdown median", "utilisation, %", "stretches"}}
	with := trial.Table{Title: "Jobs with deadlines, in %", File: "deadlines.csv",
		Header: []string{factor, "deadline", "policy", "accepted", "work", "utilisation"}}
	for _, denser := range s.denser {
		for _, runs := range []int64{0, 2, 4, 8} {
			list, fixed := stream(jobs, denser, runs), 0.0
			for i, x := range jobPolicies {
				if x.anew != nil && runs > 0 {
					x.anew = soonest
				}
				p.Now("jobs: %g times the load, deadline %d: %s", denser, runs, x.name)
				plans, err := x.place(ctx, procs, list)
				if err != nil {
					return nil, fmt.Errorf("%g times the load, deadline %d: %w", denser, runs, err)
				}
				m := summarize(procs, list, plans)
				if runs > 0 {
					row := append(trial.Row(nil, denser, float64(runs)), x.name)
					with.Rows = append(with.Rows, trial.Row(row, 100*m.accepted, 100*m.volume, 100*m.utilisation))
					continue
				}
				row := trial.Row(append(trial.Row(nil, denser), x.name), m.turnaround/3600, m.medianTurnaround/3600)
				if i == 0 {
					fixed = m.turnaround
					row = append(row, "", "")
				} else {
					row = append(trial.Row(row, 100*(1-m.turnaround/fixed)), publishedLess)
				}
				without.Rows = append(without.Rows, trial.Row(row, m.slowdown, m.medianSlowdown, 100*m.utilisation, m.stretches))
			}
			p.Done("jobs: %g times the load, deadline %d", denser, runs)
		}
	}
	return []trial.Table{without, with}, nil
}
