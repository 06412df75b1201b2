package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// quantity is what two algorithms are compared by, run by run.
type quantity struct {
	name   string // of what, a and b
	of     func(*point) trial.Sample
	by     func(a, b float64) float64
	format string
}

var (
	blocking = quantity{"blocked by %s less that by %s, in points", func(p *point) trial.Sample { return p.blocked },
		func(a, b float64) float64 { return 100 * (a - b) }, "%+.2f ± %.2f"}
	slowness = quantity{"delay of %s less that of %s, s", func(p *point) trial.Sample { return p.delay },
		func(a, b float64) float64 { return a - b }, "%+.3f ± %.3f"}
	effort = quantity{"operations of %s over those of %s", func(p *point) trial.Sample { return p.operations },
		func(a, b float64) float64 { return a / b }, "%.3g ± %.2g"}
	duration = quantity{"median time of %s over that of %s", func(p *point) trial.Sample { return p.median },
		func(a, b float64) float64 { return a / b }, "%.3g ± %.2g"}
	micros = quantity{"median time of %s, µs%s", func(p *point) trial.Sample { return p.median },
		func(a, _ float64) float64 { return a }, "%.2f ± %.2f"}
)

// claim says that a quantity of a against b lies between two numbers at a load.
type claim struct {
	where, what string
	workload    int
	a, b        []string // each of a against each of b
	of          quantity
	from, to    float64
	rate        float64 // at which it is judged; 0 for the highest
}

var inf = math.Inf(1)

// claims are those of §5.2 to §5.5, and at the end ours. "Less" without a number is
// less at all; "alike" is within a point, or within a hundredth of a second.
var claims = []claim{
	{"Fig. 11", "CPU-intensive: ECT, MC-T and AWMC-T block less than SAMCRA and MC-B", 0,
		[]string{"ECT", "MC-T", "AWMC-T"}, []string{"SAMCRA", "MC-B"}, blocking, -inf, 0, 0},
	{"Fig. 11", "CPU-intensive: at a high load even SAMCRA blocks less than MC-B", 0,
		[]string{"SAMCRA"}, []string{"MC-B"}, blocking, -inf, 0, 0},
	{"Fig. 12", "CPU-intensive: the delay of SAMCRA is the least", 0,
		[]string{"SAMCRA"}, []string{"MC-T", "AWMC-T", "MC-B", "ECT"}, slowness, -inf, 0, 0},
	{"Fig. 13", "Data-intensive: SAMCRA and ECT block more than MC-B, MC-T and AWMC-T", 1,
		[]string{"SAMCRA", "ECT"}, []string{"MC-B", "MC-T", "AWMC-T"}, blocking, 0, inf, 0},
	{"Fig. 13", "Data-intensive: MC-T, AWMC-T and MC-B block alike", 1,
		[]string{"AWMC-T", "MC-B"}, []string{"MC-T"}, blocking, -1, 1, 0},
	{"Fig. 14", "Data-intensive: waiting for the shortest path makes the delay of ECT greater", 1,
		[]string{"ECT"}, []string{"MC-T", "AWMC-T", "MC-B"}, slowness, 0, inf, 0},
	{"Fig. 15", "Both: SAMCRA blocks most", 2,
		[]string{"SAMCRA"}, []string{"MC-T", "AWMC-T", "MC-B", "ECT"}, blocking, 0, inf, 0},
	{"Fig. 15", "Both: MC-B and ECT block more than MC-T and AWMC-T", 2,
		[]string{"MC-B", "ECT"}, []string{"MC-T", "AWMC-T"}, blocking, 0, inf, 0},
	{"Fig. 16", "Both: the delay of SAMCRA is the least", 2,
		[]string{"SAMCRA"}, []string{"MC-T", "AWMC-T", "MC-B", "ECT"}, slowness, -inf, 0, 0},
	{"Fig. 16", "Both: MC-B and ECT have a greater delay than MC-T and AWMC-T", 2,
		[]string{"MC-B", "ECT"}, []string{"MC-T", "AWMC-T"}, slowness, 0, inf, 0},
	{"§5.4", "Both: AWMC-T blocks as MC-T does", 2,
		[]string{"AWMC-T"}, []string{"MC-T"}, blocking, -1, 1, 0},
	{"§5.4", "Both: AWMC-T has the delay of MC-T", 2,
		[]string{"AWMC-T"}, []string{"MC-T"}, slowness, -0.01, 0.01, 0},
	{"Fig. 17", "MC-T and MC-B take a hundred times the operations of SAMCRA", 2,
		[]string{"MC-T", "MC-B"}, []string{"SAMCRA"}, effort, 100, inf, 0},
	{"Fig. 17", "AWMC-T takes a hundred times the operations of SAMCRA", 2,
		[]string{"AWMC-T"}, []string{"SAMCRA"}, effort, 100, inf, 0},
	{"Fig. 17", "ECT takes a hundred times the operations of SAMCRA", 2,
		[]string{"ECT"}, []string{"SAMCRA"}, effort, 100, inf, 0},
	{"Fig. 17", "MC-T takes more operations than AWMC-T", 2,
		[]string{"MC-T"}, []string{"AWMC-T"}, effort, 1, inf, 0},
	{"ours", "The targeted form blocks as the listing does", 2,
		[]string{targeted}, []string{"MC-T"}, blocking, -1, 1, 0},
	{"ours", "λ = 5: the targeted form takes no longer than AWMC-T", 2,
		[]string{targeted}, []string{"AWMC-T"}, duration, 0, 1, 5},
	{"ours", "λ = 5: it takes 100 µs at most", 2,
		[]string{targeted}, []string{""}, micros, 0, 100, 5},
}

const (
	holds        = "holds"
	doesNotHold  = "does not hold"
	inconclusive = "inconclusive"
)

// judge tells where an interval lies: strictly between two numbers or not.
func judge(s trial.Sample, from, to float64) string {
	low, high := s.Mean-s.Half, s.Mean+s.Half
	switch {
	case low > from && high < to:
		return holds
	case high <= from || low >= to:
		return doesNotHold
	}
	return inconclusive
}

// worst is the verdict on several: one that does not hold is enough.
func worst(verdicts []string) string {
	for _, v := range []string{doesNotHold, inconclusive} {
		if slices.Contains(verdicts, v) {
			return v
		}
	}
	return holds
}

// writeClaims says of each claim what became of it.
func writeClaims(out io.Writer, all []claim, rates []float64, points []point) {
	fmt.Fprint(out, "Claims, each judged at the highest load if it does not name one: means and 95 % confidence intervals of pairs of runs on the same tasks\n\n")
	highest := slices.Max(rates)
	for _, c := range all {
		rate := c.rate
		if rate == 0 {
			rate = highest
		}
		if !slices.Contains(rates, rate) {
			continue
		}
		verdicts, lines := c.judge(rate, points)
		fmt.Fprintf(out, "%-8s %s: %s.\n         %s\n\n", c.where, worst(verdicts), c.what, strings.Join(lines, "\n         "))
	}
}

func (c claim) judge(rate float64, points []point) (verdicts, lines []string) {
	find := func(name string) *point {
		i := slices.IndexFunc(points, func(p point) bool {
			return p.workload == workloads[c.workload].name && p.algorithm == name && p.rate == rate
		})
		if i < 0 {
			return nil
		}
		return &points[i]
	}
	for _, a := range c.a {
		for _, b := range c.b {
			p, q := find(a), find(b)
			if q == nil {
				q = p
			}
			s := trial.Pairs(c.of.of(p), c.of.of(q), c.of.by)
			v := judge(s, c.from, c.to)
			verdicts = append(verdicts, v)
			lines = append(lines, fmt.Sprintf("%s: %s: %s", v, fmt.Sprintf(c.of.name, a, b), fmt.Sprintf(c.of.format, s.Mean, s.Half)))
		}
	}
	return verdicts, lines
}
