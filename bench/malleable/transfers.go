package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/paper/trial"
	"github.com/bookahead/bookahead/volume"
)

// transferPolicies are those of transfers. Of those with any number of stretches, the gain over the first two is worked out.
var transferPolicies = []policy{
	{name: "fixed, most rate", rates: mostRate},
	{name: "fixed, least rate", rates: leastRate},
	{name: "best of fixed rates", rates: severalRates},
	{name: "1 stretch", stretches: 1},
	{name: "2 stretches", stretches: 2},
	{name: "4 stretches", stretches: 4},
	{name: "8 stretches", stretches: 8},
	{name: "any stretches"},
	{name: "any stretches, 5/4 of the least rate", change: func(r *volume.Request) { r.Most = min(r.Most, over(5*leastRate(*r)[0], 4)) }},
	{name: "any stretches, planned anew", anew: soonest},
	{name: "fixed, least rate, planned anew", rates: leastRate, anew: soonest},
}

const (
	linkUnits = 100
	leastMost = 5   // units; the others are 2, 4 and 8 times as many
	meanTicks = 60  // at the most rate
	ahead     = 120 // ticks from the arrival to the latest ready time
)

// transfers returns the transfers of a run, by their arrival.
func (s settings) transfers(n network, load, slack float64, seed uint64) (list []request) {
	rng := rand.New(rand.NewPCG(seed, 1))
	paths, busiest := n.paths(rng.Perm(len(n.out))[:sites])
	mean := float64(leastMost*(1+2+4+8)) / 4 * meanTicks
	gap := busiest * mean / (load * linkUnits)
	for at := rng.ExpFloat64() * gap; len(paths) > 0 && at < float64(s.ticks); at += rng.ExpFloat64() * gap {
		r := request{comes: bookahead.Time(at), path: paths[rng.IntN(len(paths))], counts: at >= float64(s.ticks)/5}
		r.Ready = r.comes + bookahead.Time(rng.IntN(ahead))
		r.Most = leastMost << rng.IntN(4)
		ticks := math.Ceil(rng.ExpFloat64() * meanTicks)
		r.Volume = r.Most * int64(ticks)
		r.Deadline = r.Ready + bookahead.Time(math.Ceil(ticks*(1+2*(slack-1)*rng.Float64())))
		list = append(list, r)
	}
	return list
}

// published is the gain of Amoeba over earlier systems, in % of the transfers (Zhang et al., EuroSys 2015).
const published = "15"

// acceptance runs all loads and slacks, and returns the tables of the policies and of the gains.
func (s settings) acceptance(ctx context.Context, n network, p trial.Progress) ([]trial.Table, error) {
	all := trial.Table{Title: "Transfers: shares that are accepted", File: "transfers.csv",
		Header: []string{"load", "slack", "policy", "accepted", "accepted_ci95", "volume", "volume_ci95", "stretches"}}
	gains := trial.Table{Title: "Transfers: gains in any number of stretches, in %", File: "gains.csv",
		Header: []string{"load", "slack", "policy", "than most rate", "paper", "than least rate", "volume, than most rate", "volume, than least rate"}}
	accepted := func(s summary) float64 { return s.accepted }
	worth := func(s summary) float64 { return s.volume }
	for _, slack := range s.slacks {
		for _, load := range s.loads {
			of, err := s.point(ctx, n, load, slack, p)
			if err != nil {
				return nil, fmt.Errorf("load %g, slack %g: %w", load, slack, err)
			}
			at := trial.Row(nil, load, slack)
			for i, x := range transferPolicies {
				a, v := trial.Each(of[i], accepted), trial.Each(of[i], worth)
				stretches := trial.Each(of[i], func(s summary) float64 { return s.stretches })
				all.Rows = append(all.Rows, trial.Row(append(at[:2:2], x.name), a.Mean, a.Half, v.Mean, v.Half, stretches.Mean))
			}
			for i, x := range transferPolicies {
				if x.rates != nil || x.stretches > 0 {
					continue
				}
				more := func(than int, number func(summary) float64) string {
					percent := func(a, b float64) float64 { return 100 * (a/b - 1) }
					return trial.Pairs(trial.Each(of[i], number), trial.Each(of[than], number), percent).String()
				}
				gains.Rows = append(gains.Rows, append(at[:2:2], x.name, more(0, accepted), published, more(1, accepted), more(0, worth), more(1, worth)))
			}
			p.Done("transfers: load %g, slack %g", load, slack)
		}
	}
	return []trial.Table{all, gains}, nil
}

// point runs all policies on the same transfers, and returns a summary of each run for each policy.
func (s settings) point(ctx context.Context, n network, load, slack float64, p trial.Progress) ([][]summary, error) {
	of := make([][]summary, len(transferPolicies))
	for k := range s.runs {
		stream := s.transfers(n, load, slack, s.seed+uint64(k))
		for i, x := range transferPolicies {
			p.Now("transfers: load %g, slack %g, run %d of %d: %s", load, slack, k+1, s.runs, x.name)
			plans, err := x.place(ctx, linkUnits, stream)
			if err != nil {
				return nil, err
			}
			of[i] = append(of[i], summarize(linkUnits, stream, plans))
		}
	}
	return of, nil
}
