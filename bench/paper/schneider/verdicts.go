package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
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

// results are the points of each series, by load.
type results map[series]map[float64]point

func collect(points []point) results {
	r := results{}
	for _, p := range points {
		key := series{p.figure, p.structure, p.units}
		if r[key] == nil {
			r[key] = map[float64]point{}
		}
		r[key][p.load] = p
	}
	return r
}

// need returns the points of a series at all loads, or an error if one is
// missing.
func (r results) need(s series, loads []float64) ([]point, error) {
	var found []point
	for _, load := range loads {
		p, ok := r[s][load]
		if !ok {
			return nil, fmt.Errorf("no %s of %d units at load %g in Figure %s", s.structure, s.units, load, s.figure)
		}
		found = append(found, p)
	}
	return found, nil
}

// coarsest returns the coarsest slots of a figure that accept what the list
// accepts, less near at most, on average at each load. If there are none, ok is
// false.
func (r results) coarsest(s series, loads []float64) (found series, ok bool, err error) {
	of := s
	of.structure = list.name
	lists, err := r.need(of, loads)
	if err != nil {
		return found, false, err
	}
	var rings []point
	for key, points := range r {
		if p, ok := points[loads[0]]; ok && key.figure == s.figure && key.units == s.units && p.slots > 0 {
			rings = append(rings, p)
		}
	}
	slices.SortFunc(rings, func(a, b point) int { return cmp.Compare(a.slots, b.slots) })
	for _, ring := range rings {
		of.structure = ring.structure
		points, err := r.need(of, loads)
		if err != nil {
			return found, false, err
		}
		alike := true
		for i, p := range points {
			alike = alike && trial.Pairs(p.success, lists[i].success, trial.Less).Mean >= -near
		}
		if alike {
			return of, true, nil
		}
	}
	return found, false, nil
}

// everyLoad is the circumstance of the finding that decides.
const everyLoad = "every load"

// findings are the verdicts on all claims: for each claim first the worst, and then those
// at each load.
func findings(all []claim, loads []float64, points []point) ([]trial.Finding, error) {
	r := collect(points)
	var found []trial.Finding
	for _, c := range all {
		f, err := c.findings(r, loads)
		if err != nil {
			return nil, fmt.Errorf("claim %q: %w", c.What, err)
		}
		found = append(found, f...)
	}
	return found, nil
}

func (c claim) findings(r results, loads []float64) ([]trial.Finding, error) {
	also, err := c.beside(r, loads)
	if err != nil {
		return nil, err
	}
	if c.b.structure == coarsest {
		b, decided, err := r.coarsest(c.b, loads)
		if err != nil {
			return nil, err
		}
		if !decided {
			c.Why = "no slots accept what the list accepts; " + c.Why + also
			return []trial.Finding{c.Open(everyLoad)}, nil
		}
		c.b = b
	}
	as, bs, err := r.pair(c.a, c.b, loads)
	if err != nil {
		return nil, err
	}
	part := c.Claim
	part.Names, part.Why = fmt.Sprintf(c.of.names, c.a.structure, c.b.structure), ""
	var parts []trial.Finding
	for i := range as {
		f := part.Judge(c.of.of(as[i]), c.of.of(bs[i]), c.of.by, fmt.Sprintf("load %g", loads[i]))
		if !as[i].converged() || !bs[i].converged() {
			f.Note = "rests on points that did not converge"
		}
		parts = append(parts, f)
	}
	worst := c.Worst(parts, everyLoad)
	worst.Note += also
	return append([]trial.Finding{worst}, parts...), nil
}

// beside has the means of a against further series, at each load.
func (c claim) beside(r results, loads []float64) (string, error) {
	text := ""
	for _, s := range c.also {
		as, bs, err := r.pair(c.a, s, loads)
		if err != nil {
			return "", err
		}
		var means []string
		for i := range as {
			for _, q := range []quantity{timeRatio, gain} {
				means = append(means, q.show(trial.Pairs(q.of(as[i]), q.of(bs[i]), q.by).Mean))
			}
		}
		text += "; against " + s.structure + ": " + strings.Join(means, ", ")
	}
	return text, nil
}

// pair returns the points of two series.
func (r results) pair(a, b series, loads []float64) (as, bs []point, err error) {
	as, err = r.need(a, loads)
	if err != nil {
		return nil, nil, err
	}
	bs, err = r.need(b, loads)
	return as, bs, err
}
