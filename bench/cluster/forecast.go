package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/paper/trial"
	"github.com/bookahead/bookahead/bench/sim"
)

// The scale of the forecasts is at most this: a forecast for each job that waits takes a plan of the whole queue.
const (
	forecastNodes = 200
	forecastJobs  = 2000
)

// estimates are the qualities of estimates: how many times as long as the run each is.
var estimates = []struct {
	name  string
	times float64 // 0 leaves the estimates that the jobs have
}{
	{"exact", 1}, {"1 to 3 times", 0}, {"2 times", 2}, {"5 times", 5}, {"10 times", 10},
}

// forecast has the numbers of a run under a policy with estimates of some quality.
type forecast struct {
	policy, estimates string
	wait              float64   // of batch jobs, mean, in hours
	errors            []float64 // hours between the start forecast and the start, of the jobs that waited, ascending
	early, late       int       // how many of these started before the forecast, and after it
}

// forecasts runs the jobs under EASY and Conservative with estimates of each quality. There are neither reservations nor outages,
// so that estimates alone move a start.
func forecasts(ctx context.Context, s settings, p trial.Progress) (list []forecast, err error) {
	s.nodes, s.jobs = min(s.nodes, forecastNodes), min(s.jobs, forecastJobs)
	s.ahead, s.failures, s.drains = 0, 0, 0
	for _, s.policy = range []string{"easy", "conservative"} {
		for _, e := range estimates {
			x, err := newScenario(s)
			if err != nil {
				return nil, err
			}
			x.estimate(e.times)
			r, err := sim.RunCluster(ctx, sim.Cluster{
				Machine: x.machine, Units: int64(nodeGPUs * x.nodes), Forecast: true,
				Local: sim.Local{Order: orders[s.order], Backfill: policies[s.policy]},
			}, x.gangs)
			if err == nil {
				err = x.verify(r)
			}
			if err != nil {
				return nil, fmt.Errorf("forecasts under %s, %s: %w", s.policy, e.name, err)
			}
			list = append(list, measure(s.policy, e.name, r))
			p.Now(fmt.Sprintf("forecasts: %s, %s", s.policy, e.name))
		}
	}
	p.Done("forecasts: %d runs of %d jobs on %d nodes", len(list), s.jobs, s.nodes)
	return list, nil
}

// estimate makes the estimates so many times as long as the runs; 0 leaves them.
func (x *scenario) estimate(times float64) {
	for i := range x.gangs {
		g := &x.gangs[i]
		if times > 0 {
			g.Estimate = bookahead.Duration(math.Ceil(times * float64(g.Run)))
		}
	}
}

// measure compares the starts with the forecasts. A job that starts when it comes in needs no forecast.
func measure(policy, estimates string, r sim.ClusterResult) forecast {
	f := forecast{policy: policy, estimates: estimates}
	waits := 0.0
	for i, o := range r.Outcomes {
		wait := o.Start - r.Tasks[i].Ready
		waits += float64(wait) / hour
		switch {
		case wait == 0:
			continue
		case o.Start < r.Forecasts[i]:
			f.early++
		case o.Start > r.Forecasts[i]:
			f.late++
		}
		f.errors = append(f.errors, math.Abs(float64(o.Start-r.Forecasts[i]))/hour)
	}
	slices.Sort(f.errors)
	f.wait = waits / float64(max(1, len(r.Outcomes)))
	return f
}

// quantile returns the error in hours that a share of the forecasts does not exceed; 0 if there are none.
func (f *forecast) quantile(share float64) float64 {
	if len(f.errors) == 0 {
		return 0
	}
	return f.errors[min(len(f.errors)-1, int(share*float64(len(f.errors))))]
}

// forecastTables returns the table that is printed, and the one of forecasts.csv.
func forecastTables(list []forecast) (shown, file trial.Table) {
	shown = trial.Table{Title: "Forecasts by the quality of estimates", Header: []string{
		"policy", "estimates", "jobs that wait", "wait of all, mean, h", "error, median, h", "error, mean, h", "error, 95 %, h", "early, %", "late, %"}}
	file = trial.Table{File: "forecasts.csv", Silent: true, Header: []string{
		"policy", "estimates", "waited", "wait_mean_h", "error_median_h", "error_mean_h", "error_p95_h", "early", "late"}}
	for _, f := range list {
		n := float64(max(1, len(f.errors)))
		row := trial.Row([]string{f.policy, f.estimates}, float64(len(f.errors)), f.wait,
			f.quantile(0.5), mean(f.errors), f.quantile(0.95), 100*float64(f.early)/n, 100*float64(f.late)/n)
		file.Rows = append(file.Rows, row)
		cells := []string{f.policy, f.estimates}
		for _, x := range []float64{float64(len(f.errors)), f.wait, f.quantile(0.5), mean(f.errors), f.quantile(0.95), 100 * float64(f.early) / n, 100 * float64(f.late) / n} {
			cells = append(cells, short(x))
		}
		shown.Rows = append(shown.Rows, cells)
	}
	return shown, file
}
