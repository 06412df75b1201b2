package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// quantity is a number by which two algorithms are compared, run by run.
type quantity struct {
	names string // a format for the names of both, for claims without Names
	of    func(outcome) float64
	by    func(a, b float64) float64
}

var (
	blocking = quantity{"blocked by %s, by %s; in points", blocked, func(a, b float64) float64 { return 100 * (a - b) }}
	slowness = quantity{"delay of %s, of %s; s", delay, trial.Less}
	effort   = quantity{"operations of %s, of %s", outcome.operations, trial.Over}
	duration = quantity{"median time of %s, of %s; µs", outcome.median, trial.Over}
	micros   = quantity{"", outcome.median, trial.Alone}
)

// claim is about a quantity of a against b at a load.
type claim struct {
	trial.Claim
	workload int
	a, b     []string // each of a against each of b
	of       quantity
	rate     float64 // at which the claim is judged; 0 for the highest
}

var inf = math.Inf(1)

// claims are those of §5.2 to §5.5, and at the end ours. "Less" without a number is
// less at all; "alike" is within a point, or within a hundredth of a second.
var claims = []claim{
	{trial.Claim{Where: "Fig. 11", What: "CPU-intensive: ECT, MC-T and AWMC-T block less than SAMCRA and MC-B", From: -inf, To: -trial.Above}, 0,
		[]string{"ECT", "MC-T", "AWMC-T"}, []string{"SAMCRA", "MC-B"}, blocking, 0},
	{trial.Claim{Where: "Fig. 11", What: "CPU-intensive: at a high load even SAMCRA blocks less than MC-B", From: -inf, To: -trial.Above}, 0,
		[]string{"SAMCRA"}, []string{"MC-B"}, blocking, 0},
	{trial.Claim{Where: "Fig. 12", What: "CPU-intensive: the delay of SAMCRA is the least", From: -inf, To: -trial.Above}, 0,
		[]string{"SAMCRA"}, []string{"MC-T", "AWMC-T", "MC-B", "ECT"}, slowness, 0},
	{trial.Claim{Where: "Fig. 13", What: "Data-intensive: SAMCRA and ECT block more than MC-B, MC-T and AWMC-T", From: trial.Above, To: inf}, 1,
		[]string{"SAMCRA", "ECT"}, []string{"MC-B", "MC-T", "AWMC-T"}, blocking, 0},
	{trial.Claim{Where: "Fig. 13", What: "Data-intensive: MC-T, AWMC-T and MC-B block alike", From: -1, To: 1}, 1,
		[]string{"AWMC-T", "MC-B"}, []string{"MC-T"}, blocking, 0},
	{trial.Claim{Where: "Fig. 14", What: "Data-intensive: waiting for the shortest path makes the delay of ECT greater", From: trial.Above, To: inf}, 1,
		[]string{"ECT"}, []string{"MC-T", "AWMC-T", "MC-B"}, slowness, 0},
	{trial.Claim{Where: "Fig. 15", What: "Both: SAMCRA blocks most", From: trial.Above, To: inf}, 2,
		[]string{"SAMCRA"}, []string{"MC-T", "AWMC-T", "MC-B", "ECT"}, blocking, 0},
	{trial.Claim{Where: "Fig. 15", What: "Both: MC-B and ECT block more than MC-T and AWMC-T", From: trial.Above, To: inf}, 2,
		[]string{"MC-B", "ECT"}, []string{"MC-T", "AWMC-T"}, blocking, 0},
	{trial.Claim{Where: "Fig. 16", What: "Both: the delay of SAMCRA is the least", From: -inf, To: -trial.Above}, 2,
		[]string{"SAMCRA"}, []string{"MC-T", "AWMC-T", "MC-B", "ECT"}, slowness, 0},
	{trial.Claim{Where: "Fig. 16", What: "Both: MC-B and ECT have a greater delay than MC-T and AWMC-T", From: trial.Above, To: inf}, 2,
		[]string{"MC-B", "ECT"}, []string{"MC-T", "AWMC-T"}, slowness, 0},
	{trial.Claim{Where: "§5.4", What: "Both: AWMC-T blocks as MC-T does", From: -1, To: 1}, 2,
		[]string{"AWMC-T"}, []string{"MC-T"}, blocking, 0},
	{trial.Claim{Where: "§5.4", What: "Both: AWMC-T has the delay of MC-T", From: -0.01, To: 0.01}, 2,
		[]string{"AWMC-T"}, []string{"MC-T"}, slowness, 0},
	{trial.Claim{Where: "Fig. 17", What: "MC-T and MC-B take a hundred times the operations of SAMCRA", From: 100, To: inf}, 2,
		[]string{"MC-T", "MC-B"}, []string{"SAMCRA"}, effort, 0},
	{trial.Claim{Where: "Fig. 17", What: "AWMC-T takes a hundred times the operations of SAMCRA", From: 100, To: inf}, 2,
		[]string{"AWMC-T"}, []string{"SAMCRA"}, effort, 0},
	{trial.Claim{Where: "Fig. 17", What: "ECT takes a hundred times the operations of SAMCRA", From: 100, To: inf}, 2,
		[]string{"ECT"}, []string{"SAMCRA"}, effort, 0},
	{trial.Claim{Where: "Fig. 17", What: "MC-T takes more operations than AWMC-T", From: 1 + trial.Above, To: inf}, 2,
		[]string{"MC-T"}, []string{"AWMC-T"}, effort, 0},
	{trial.Claim{Where: trial.Ours, What: "The targeted form blocks as the listing does", From: -1, To: 1}, 2,
		[]string{targeted}, []string{"MC-T"}, blocking, 0},
	{trial.Claim{Where: trial.Ours, What: "λ = 5: the targeted form takes no longer than AWMC-T", From: 0, To: 1}, 2,
		[]string{targeted}, []string{"AWMC-T"}, duration, 5},
	{trial.Claim{Where: trial.Ours, What: "λ = 5: it takes 100 µs at most", Names: "median time in µs", From: 0, To: 100}, 2,
		[]string{targeted}, []string{targeted}, micros, 5},
}

// findings are the verdicts on all claims for which their rate was run. The worst of a
// claim's pairs decides; pairs has the worst, and then each pair.
func findings(all []claim, rates []float64, points []point) (worst, pairs []trial.Finding) {
	for _, c := range all {
		rate := c.rate
		if rate == 0 {
			rate = slices.Max(rates)
		}
		if !slices.Contains(rates, rate) {
			continue
		}
		parts := c.pairs(rate, points)
		worst = append(worst, c.Worst(parts, "every pair"))
		pairs = append(pairs, worst[len(worst)-1])
		if len(parts) > 1 {
			pairs = append(pairs, parts...)
		}
	}
	return worst, pairs
}

// pairs judges each of a against each of b.
func (c claim) pairs(rate float64, points []point) (found []trial.Finding) {
	sample := func(name string) trial.Sample {
		i := slices.IndexFunc(points, func(p point) bool {
			return p.workload == workloads[c.workload].name && p.algorithm == name && p.rate == rate
		})
		return points[i].sample(c.of.of)
	}
	for _, a := range c.a {
		for _, b := range c.b {
			part := c.Claim
			part.Names = cmp.Or(c.Names, fmt.Sprintf(c.of.names, a, b))
			found = append(found, part.Judge(sample(a), sample(b), c.of.by, a+" against "+b))
		}
	}
	return found
}
