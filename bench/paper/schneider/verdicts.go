package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/bookahead/bookahead/bench/paper/trial"
)

// quantity is a number of two points that are compared, pair by pair.
type quantity struct {
	names string // a format for the names of both
	of    func(p point) trial.Sample
	by    func(a, b float64) float64
	show  func(x float64) string
}

var (
	timeRatio = quantity{"µs of %s, µs of %s; logarithm of the ratio", func(p point) trial.Sample { return p.micros },
		trial.Log, func(x float64) string { return fmt.Sprintf("time ×%.3g", math.Exp(x)) }}
	gain = quantity{"success of %s, success of %s", func(p point) trial.Sample { return p.success },
		trial.Less, func(x float64) string { return fmt.Sprintf("success %+.2f points", 100*x) }}
)

// results are the points of each series, in the order of the loads.
type results map[series][]point

// everyLoad is the circumstance of the finding that decides.
const everyLoad = "every load"

// findings are the verdicts on all claims: for each claim first the worst, and then those
// at each load. The points of a series are in the order of the loads, and those of
// coarser slots come before those of finer ones.
func findings(all []claim, loads []float64, points []point) (found []trial.Finding, err error) {
	r := results{}
	for _, p := range points {
		r[p.series] = append(r[p.series], p)
	}
	for _, c := range all {
		own, err := r.judge(c, loads, points)
		if err != nil {
			return nil, err
		}
		if !c.lead {
			found = append(found, own...)
			continue
		}
		var atLeads []trial.Finding
		for _, lead := range otherLeads {
			there, err := r.judge(c.at(lead), loads, points)
			if err != nil {
				return nil, err
			}
			if trial.Opposite(own[0].Verdict, there[0].Verdict) {
				own[0] = own[0].Hangs(fmt.Sprintf("the lead, which the paper does not give (at %g it %s)", lead, there[0].Verdict))
			}
			atLeads = append(atLeads, there...)
		}
		found = append(append(found, own...), atLeads...)
	}
	return found, nil
}

// judge judges a claim: the worst finding comes first, and then those at each load.
func (r results) judge(c claim, loads []float64, points []point) ([]trial.Finding, error) {
	if c.b.structure == coarsest {
		c.b = r.coarsest(c, points)
	}
	for _, s := range append([]series{c.a, c.b}, c.also...) {
		n := len(r[s])
		if n != len(loads) && s.structure != coarsest {
			return nil, fmt.Errorf("claim %q: %s of %d units has %d points for %d loads in Figure %s", c.What, s.structure, s.units, n, len(loads), s.figure)
		}
	}
	return c.findings(r, loads), nil
}

// coarsest returns the coarsest slots that accept as much as a claim's list, less near
// at most, on average at each load. If there are none, it returns b as it is.
func (r results) coarsest(c claim, points []point) series {
	for _, p := range points {
		if p.slots > 0 && p.figure == c.b.figure && p.units == c.b.units && r.alike(p.series, c.a) {
			return p.series
		}
	}
	return c.b
}

// alike reports whether slots accept as much as a list, less near at most.
func (r results) alike(slots, list series) bool {
	for i, p := range r[list] {
		if trial.Pairs(r[slots][i].success, p.success, trial.Less).Mean < -near {
			return false
		}
	}
	return true
}

func (c claim) findings(r results, loads []float64) []trial.Finding {
	also := c.beside(r)
	if c.b.structure == coarsest {
		c.Why = "no slots accept what the list accepts; " + c.Why + also
		return []trial.Finding{c.Open(everyLoad)}
	}
	part := c.Claim
	part.Names, part.Why = fmt.Sprintf(c.of.names, c.a.structure, c.b.structure), ""
	var parts []trial.Finding
	for i, load := range loads {
		a, b := r[c.a][i], r[c.b][i]
		f := part.Judge(c.of.of(a), c.of.of(b), c.of.by, fmt.Sprintf("load %g", load))
		if !a.converged() || !b.converged() {
			f.Note = "rests on points that did not converge"
		}
		parts = append(parts, f)
	}
	worst := c.Worst(parts, everyLoad)
	worst.Note += also
	return append([]trial.Finding{worst}, parts...)
}

// beside has the means of a against further series, at each load.
func (c claim) beside(r results) string {
	text := ""
	for _, s := range c.also {
		var means []string
		for i, a := range r[c.a] {
			for _, q := range []quantity{timeRatio, gain} {
				means = append(means, q.show(trial.Pairs(q.of(a), q.of(r[s][i]), q.by).Mean))
			}
		}
		text += "; against " + s.structure + ": " + strings.Join(means, ", ")
	}
	return text
}
