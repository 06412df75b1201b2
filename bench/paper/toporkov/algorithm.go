package main

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/paper/trial"
	"github.com/bookahead/bookahead/window"
)

// algorithm finds a window.
type algorithm struct {
	name    string
	repeats int // how often it is called; the least time counts
	plain   bool
	find    func(e *window.Environment, j window.Job) (window.Optimum, error)
}

// steps divides the budget of the paper into whole units.
const steps = 644

func published(w window.Window, err error) (window.Optimum, error) {
	return window.Optimum{Window: w}, err
}

func firstFit(e *window.Environment, j window.Job) (window.Optimum, error) {
	return published(window.FirstFit(e, j))
}

func multipleBest(c window.Criterion) func(e *window.Environment, j window.Job) (window.Optimum, error) {
	return func(e *window.Environment, j window.Job) (window.Optimum, error) {
		return published(window.MultipleBest(e, j, c))
	}
}

func lite(c window.Criterion) func(e *window.Environment, j window.Job) (window.Optimum, error) {
	return func(e *window.Environment, j window.Job) (window.Optimum, error) {
		return published(window.MaxQLite(e, j, c))
	}
}

func program(c window.Criterion, skip bool) func(e *window.Environment, j window.Job) (window.Optimum, error) {
	return func(e *window.Environment, j window.Job) (window.Optimum, error) {
		return published(window.MaxQ(e, j, c, window.Program{Steps: steps, Skip: skip}))
	}
}

func exact(c window.Criterion) func(e *window.Environment, j window.Job) (window.Optimum, error) {
	return func(e *window.Environment, j window.Job) (window.Optimum, error) {
		return window.Exact(e, j, c, limit)
	}
}

func placement(c window.Criterion) func(e *window.Environment, j window.Job) (window.Optimum, error) {
	return func(e *window.Environment, j window.Job) (window.Optimum, error) {
		return window.ExactPlacement(e, j, c, limit)
	}
}

// limit is how many sets an exact search may look at.
const limit = 10_000_000

var algorithms = []algorithm{
	{"FirstFit", 3, false, firstFit},
	{"first found", 3, false, lite(window.Shortest)},
	{"MultipleBest Q", 1, false, multipleBest(window.Quality)},
	{"MaxQ", 1, true, program(window.Quality, false)},
	{"MaxQ, skipping", 1, false, program(window.Quality, true)},
	{"MaxQ Lite", 3, false, lite(window.Quality)},
	{"Exact Q", 3, false, exact(window.Quality)},
	{"MultipleBest DEP", 1, false, multipleBest(window.Near)},
	{"DEP", 1, true, program(window.Near, false)},
	{"DEP, skipping", 1, false, program(window.Near, true)},
	{"DEP Lite", 3, false, lite(window.Near)},
	{"Exact DEP", 3, false, exact(window.Near)},
	{"Placement DEP", 3, false, placement(window.Near)},
	{"MultipleBest COORD", 1, false, multipleBest(window.Far)},
	{"COORD", 1, true, program(window.Far, false)},
	{"COORD, skipping", 1, false, program(window.Far, true)},
	{"COORD Lite", 3, false, lite(window.Far)},
	{"Exact COORD", 3, false, exact(window.Far)},
	{"Placement COORD", 3, false, placement(window.Far)},
}

var largeAlgorithms = []algorithm{
	{"FirstFit", 3, false, firstFit},
	{"Exact Q", 3, false, exact(window.Quality)},
	{"Exact DEP", 3, false, exact(window.Near)},
	{"Exact COORD", 3, false, exact(window.Far)},
	{"Exact Q, 1 step", 1, false, func(e *window.Environment, j window.Job) (window.Optimum, error) {
		return window.Exact(e, j, window.Quality, 1)
	}},
}

// outcome is what an algorithm found in an environment.
type outcome struct {
	value, bound       float64
	quality, near, far float64
	length, cost       float64
	needed             float64 // the length that the slowest node chosen needs
	took               time.Duration
	proven             bool
}

// results are the outcomes of each algorithm, in the environments that have a
// window; a plain one has fewer.
type results struct {
	names    []string
	outcomes map[string][]outcome
	slots    float64 // average number
	windows  float64 // average number of alternatives
	empty    int     // environments without a window
	said     bool    // the paper has this setting
}

// measure runs all algorithms in so many environments.
func measure(s setting, algorithms []algorithm, environments, plain int, seed uint64, progress func(done int)) (*results, error) {
	r := &results{outcomes: map[string][]outcome{}}
	for _, a := range algorithms {
		r.names = append(r.names, a.name)
	}
	for i := range environments {
		e, err := s.environment(random(seed, i))
		if err != nil {
			return nil, err
		}
		r.slots += float64(e.Slots()) / float64(environments)
		if _, err := window.FirstFit(e, s.job); err == bookahead.ErrUnavailable {
			r.empty++
			continue
		}
		for _, a := range algorithms {
			if a.plain && i >= plain {
				continue
			}
			o, err := a.outcome(e, s.job)
			if err != nil {
				return nil, fmt.Errorf("environment %d: %s: %w", i, a.name, err)
			}
			r.outcomes[a.name] = append(r.outcomes[a.name], o)
		}
		if i < plain {
			for _, err := range window.Alternatives(e, s.job, window.Quality) {
				if err != nil {
					return nil, err
				}
				r.windows += 1 / float64(plain)
			}
		}
		progress(i + 1)
	}
	return r, nil
}

// outcome runs the algorithm.
func (a algorithm) outcome(e *window.Environment, j window.Job) (outcome, error) {
	var best outcome
	for i := range a.repeats {
		began := time.Now()
		w, err := a.find(e, j)
		took := time.Since(began)
		if err != nil {
			return best, err
		}
		if i > 0 {
			best.took = min(best.took, took)
			continue
		}
		best = outcome{value: w.Value, bound: w.Bound, length: float64(w.Len()), cost: w.Cost, took: took, proven: w.Proven()}
		best.near, best.far = e.Distances(w.Window)
		for _, t := range w.Tasks {
			best.quality += e.Node(t.Node).Quality
			best.needed = max(best.needed, math.Ceil(j.Volume/e.Node(t.Node).Performance*(1-1e-12)))
		}
	}
	return best, nil
}

// The numbers of an outcome.
func perNode(o outcome) float64 { return o.value / float64(paper.job.Nodes) }
func quality(o outcome) float64 { return o.quality }
func near(o outcome) float64    { return o.near }
func far(o outcome) float64     { return o.far }
func length(o outcome) float64  { return o.length }
func cost(o outcome) float64    { return o.cost }
func micros(o outcome) float64  { return float64(o.took.Nanoseconds()) / 1000 }
func gap(o outcome) float64     { return (o.bound - o.value) / o.value }

// sample has a number of all outcomes.
func (r *results) sample(name string, of func(o outcome) float64) (s trial.Sample) {
	for _, o := range r.outcomes[name] {
		s.Add(of(o))
	}
	return s
}

// median returns the median time in microseconds.
func (r *results) median(name string) float64 {
	var all []time.Duration
	for _, o := range r.outcomes[name] {
		all = append(all, o.took)
	}
	slices.Sort(all)
	return float64(all[len(all)/2].Nanoseconds()) / 1000
}
