package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// outcome is what the numbers say of a claim.
type outcome int

const (
	inconclusive outcome = iota
	holds
	refuted
)

func (o outcome) String() string { return [...]string{"inconclusive", "holds", "refuted"}[o] }

// judge says whether a mean lies between from and to, which are not included:
// it does if the whole confidence interval does, it does not if none of it does.
func judge(s trial.Sample, from, to float64) outcome {
	low, high := s.Mean-s.Half, s.Mean+s.Half
	switch {
	case from < low && high < to:
		return holds
	case high < from || to < low:
		return refuted
	}
	return inconclusive
}

// judgeAll judges a claim that is meant for each of the samples: one that refutes
// it is enough. Where they differ, it says how many hold and how many refute.
func judgeAll(all []trial.Sample, from, to float64) string {
	var n [3]int
	for _, s := range all {
		n[judge(s, from, to)]++
	}
	switch {
	case n[holds] == len(all):
		return holds.String()
	case n[refuted] == len(all), n[inconclusive] == len(all):
		return judge(all[0], from, to).String()
	case n[refuted] > 0:
		return fmt.Sprintf("%s (at %d of %d loads; holds at %d)", refuted, n[refuted], len(all), n[holds])
	}
	return fmt.Sprintf("%s (at %d of %d loads; holds at %d)", inconclusive, n[inconclusive], len(all), n[holds])
}

// quantity is how two points are compared, pair by pair.
type quantity struct {
	name string // a format for the names of both
	of   func(a, b point) trial.Sample
	show func(x float64) string
}

var (
	// timeRatio is compared by its logarithm: half and double weigh the same.
	timeRatio = quantity{"time of %s over %s", func(a, b point) trial.Sample {
		return trial.Pairs(a.micros, b.micros, func(a, b float64) float64 { return math.Log(a / b) })
	}, func(x float64) string { return fmt.Sprintf("×%.3g", math.Exp(x)) }}
	// gain is the difference of success rates.
	gain = quantity{"success of %s less %s, in points", func(a, b point) trial.Sample {
		return trial.Pairs(a.success, b.success, func(a, b float64) float64 { return a - b })
	}, func(x float64) string { return fmt.Sprintf("%+.2f", 100*x) }}
)

// intervals formats a comparison, load by load.
func (q quantity) intervals(all []trial.Sample) string {
	var texts []string
	for _, s := range all {
		texts = append(texts, fmt.Sprintf("%s [%s, %s]", q.show(s.Mean), q.show(s.Mean-s.Half), q.show(s.Mean+s.Half)))
	}
	return strings.Join(texts, "; ")
}
