package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/paper/trial"
)

// transferPolicies are those of transfers. The gains are those of the last over the first and the third.
var transferPolicies = []policy{
	{name: "fixed, most rate", rates: mostRate},
	{name: "fixed, least rate", rates: leastRate},
	{name: "best of fixed rates", rates: severalRates},
	{name: "1 stretch", stretches: 1},
	{name: "2 stretches", stretches: 2},
	{name: "4 stretches", stretches: 4},
	{name: "8 stretches", stretches: 8},
	{name: "any stretches"},
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
		r := request{path: paths[rng.IntN(len(paths))], counts: at >= float64(s.ticks)/10}
		r.Ready = bookahead.Time(at) + bookahead.Time(rng.IntN(ahead))
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
	gains := trial.Table{Title: "Transfers: more in any number of stretches, in %", File: "gains.csv",
		Header: []string{"load", "slack", "than most rate", "paper", "than best of fixed", "paper", "volume, than most rate", "volume, than best of fixed"}}
	accepted := func(s summary) float64 { return s.accepted }
	volume := func(s summary) float64 { return s.volume }
	for _, slack := range s.slacks {
		for _, load := range s.loads {
			of, err := s.point(ctx, n, load, slack)
			if err != nil {
				return nil, fmt.Errorf("load %g, slack %g: %w", load, slack, err)
			}
			at := trial.Row(nil, load, slack)
			for i, x := range transferPolicies {
				a, v := trial.Each(of[i], accepted), trial.Each(of[i], volume)
				stretches := trial.Each(of[i], func(s summary) float64 { return s.stretches })
				all.Rows = append(all.Rows, trial.Row(append(at[:2:2], x.name), a.Mean, a.Half, v.Mean, v.Half, stretches.Mean))
			}
			more := func(than int, number func(summary) float64) string {
				percent := func(a, b float64) float64 { return 100 * (a/b - 1) }
				return trial.Pairs(trial.Each(of[len(of)-1], number), trial.Each(of[than], number), percent).String()
			}
			gains.Rows = append(gains.Rows, append(at, more(0, accepted), published, more(2, accepted), published, more(0, volume), more(2, volume)))
			p.Done("transfers: load %g, slack %g", load, slack)
		}
	}
	return []trial.Table{all, gains}, nil
}

// point runs all policies on the same transfers, and returns a summary of each run for each policy.
func (s settings) point(ctx context.Context, n network, load, slack float64) ([][]summary, error) {
	of := make([][]summary, len(transferPolicies))
	for k := range s.runs {
		stream := s.transfers(n, load, slack, s.seed+uint64(k))
		for i, x := range transferPolicies {
			plans, err := x.place(ctx, linkUnits, stream)
			if err != nil {
				return nil, err
			}
			of[i] = append(of[i], summarize(linkUnits, stream, plans))
		}
	}
	return of, nil
}
