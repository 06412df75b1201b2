package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/bookahead/bookahead/bench/paper/trial"
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
			alike = alike && gain.of(p, lists[i]).Mean >= -near
		}
		if alike {
			return of, true, nil
		}
	}
	return found, false, nil
}

// comparison is a quantity of one series against another.
type comparison struct {
	against series
	of      quantity
}

// comparisons lists what is to be shown of a claim: first what decides, if there
// is something to compare with.
func (c claim) comparisons(r results, loads []float64) (shown []comparison, decided bool, err error) {
	if c.b.structure != coarsest {
		shown = []comparison{{c.b, c.of}}
		for _, s := range c.also {
			shown = append(shown, comparison{s, c.of})
		}
		return shown, true, nil
	}
	b, decided, err := r.coarsest(c.b, loads)
	if decided {
		shown = []comparison{{b, c.of}, {b, gain}}
	}
	for _, s := range c.also {
		if s != b {
			shown = append(shown, comparison{s, c.of}, comparison{s, gain})
		}
	}
	return shown, decided, err
}

// samples compares a series at each load, and counts the points that are wide.
func (c comparison) samples(a series, r results, loads []float64) (samples []trial.Sample, wide int, err error) {
	as, err := r.need(a, loads)
	if err != nil {
		return nil, 0, err
	}
	bs, err := r.need(c.against, loads)
	if err != nil {
		return nil, 0, err
	}
	for i := range as {
		samples = append(samples, c.of.of(as[i], bs[i]))
	}
	return samples, len(as) - count(as, point.converged) + len(bs) - count(bs, point.converged), nil
}

// writeClaims says of each claim what became of it.
func writeClaims(out io.Writer, all []claim, loads []float64, points []point) error {
	r := collect(points)
	fmt.Fprintf(out, "Claims, each with its numbers at the loads %s: means and 95 %% confidence intervals of pairs of runs on the same jobs\n\n",
		strings.ReplaceAll(strings.Trim(fmt.Sprint(loads), "[]"), " ", ", "))
	for _, c := range all {
		if err := c.write(out, r, loads); err != nil {
			return fmt.Errorf("claim %q: %w", c.what, err)
		}
	}
	return nil
}

func (c claim) write(out io.Writer, r results, loads []float64) error {
	fmt.Fprintf(out, "%s  %s.\n", c.where, c.what)
	shown, decided, err := c.comparisons(r, loads)
	if err != nil {
		return err
	}
	if !decided {
		fmt.Fprintf(out, "      %s: no slots accept what the list accepts\n", inconclusive)
	}
	for i, comparison := range shown {
		samples, wide, err := comparison.samples(c.a, r, loads)
		if err != nil {
			return err
		}
		label := "also"
		if i == 0 && decided {
			label = judgeAll(samples, c.from, c.to)
		}
		of := comparison.of
		fmt.Fprintf(out, "      %s: %s: %s%s\n", label, fmt.Sprintf(of.name, c.a.structure, comparison.against.structure),
			of.intervals(samples), resting(wide))
	}
	fmt.Fprintf(out, "      why: %s\n\n", c.why)
	return nil
}

// resting marks what rests on points that are wide.
func resting(wide int) string {
	if wide == 0 {
		return ""
	}
	return fmt.Sprintf(" (* points that did not converge: %d)", wide)
}
