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
	find    finder
	said    said
}

type finder = func(*window.Environment, window.Job) (window.Optimum, error)

// said has the numbers of the paper for an algorithm (Fig. 3, §4.3 and Table 1, in
// milliseconds); 0 where the paper has none.
type said struct{ quality, near, far, millis float64 }

const (
	// steps divides the budget of the paper into whole units.
	steps = 644
	// few is the steps of a search that is cut short: half of those that it takes.
	few = 600_000
	// firstFound is the name of the algorithm whose time is the paper's measure, and
	// firstFoundMillis that time.
	firstFound       = "first found"
	fewSteps         = "Exact Q, 600 000 steps"
	firstFoundMillis = 4.2
)

func firstFit(e *window.Environment, j window.Job) (window.Optimum, error) {
	w, err := window.FirstFit(e, j)
	return window.Optimum{Window: w}, err
}

// light is a search that proves nothing.
func light(search func(*window.Environment, window.Job, window.Criterion) (window.Window, error), c window.Criterion) finder {
	return func(e *window.Environment, j window.Job) (window.Optimum, error) {
		j.Effort.Steps = math.MaxInt64
		w, err := search(e, j, c)
		return window.Optimum{Window: w}, err
	}
}

// program is the dynamic program.
func program(c window.Criterion, skip bool) finder {
	return light(func(e *window.Environment, j window.Job, c window.Criterion) (window.Window, error) {
		return window.MaxQ(e, j, c, window.Program{Steps: steps, Skip: skip})
	}, c)
}

// exact is a search that may take so many steps; 0 for the default.
func exact(search func(*window.Environment, window.Job, window.Criterion) (window.Optimum, error), c window.Criterion, steps int64) finder {
	return func(e *window.Environment, j window.Job) (window.Optimum, error) {
		j.Effort.Steps = steps
		return search(e, j, c)
	}
}

// algorithms are those of the paper, and ours: Exact and Placement. The paper's FirstFit
// is the first found; its quality stands beside the earliest start's, too.
var algorithms = []algorithm{
	{"FirstFit", 3, false, firstFit, said{35, 0, 0, 0}},
	{firstFound, 3, false, light(window.MaxQLite, window.Shortest), said{35, 85, 342, firstFoundMillis}},
	{"MultipleBest Q", 1, false, light(window.MultipleBest, window.Quality), said{50, 0, 0, 103}},
	{"MaxQ", 1, true, program(window.Quality, false), said{61.8, 0, 0, 1695}},
	{"MaxQ, skipping", 1, false, program(window.Quality, true), said{61.8, 0, 0, 0}},
	{"MaxQ Lite", 3, false, light(window.MaxQLite, window.Quality), said{50, 0, 0, 4.5}},
	{"Exact Q", 3, false, exact(window.Exact, window.Quality, 0), said{}},
	{"MultipleBest DEP", 1, false, light(window.MultipleBest, window.Near), said{0, 253, 0, 103}},
	{"DEP", 1, true, program(window.Near, false), said{0, 369, 480, 1695}},
	{"DEP, skipping", 1, false, program(window.Near, true), said{0, 369, 480, 0}},
	{"DEP Lite", 3, false, light(window.MaxQLite, window.Near), said{0, 275, 440, 4.5}},
	{"Exact DEP", 3, false, exact(window.Exact, window.Near, 0), said{}},
	{"Placement DEP", 3, false, exact(window.ExactPlacement, window.Near, 0), said{}},
	{"MultipleBest COORD", 1, false, light(window.MultipleBest, window.Far), said{0, 0, 159, 103}},
	{"COORD", 1, true, program(window.Far, false), said{0, 9, 52, 1694}},
	{"COORD, skipping", 1, false, program(window.Far, true), said{0, 9, 52, 0}},
	{"COORD Lite", 3, false, light(window.MaxQLite, window.Far), said{0, 31, 148, 4.5}},
	{"Exact COORD", 3, false, exact(window.Exact, window.Far, 0), said{}},
	{"Placement COORD", 3, false, exact(window.ExactPlacement, window.Far, 0), said{}},
}

var largeAlgorithms = []algorithm{
	{"FirstFit", 3, false, firstFit, said{}},
	{"Exact Q", 3, false, exact(window.Exact, window.Quality, 0), said{}},
	{"Exact DEP", 3, false, exact(window.Exact, window.Near, 0), said{}},
	{"Exact COORD", 3, false, exact(window.Exact, window.Far, 0), said{}},
	{fewSteps, 1, false, exact(window.Exact, window.Quality, few), said{}},
}

// outcome has the numbers of the window that an algorithm found in an environment.
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
	algorithms []algorithm
	outcomes   map[string][]outcome
	slots      float64 // average number
	windows    float64 // average number of alternatives
	empty      int     // environments without a window
}

// measure runs all algorithms in so many environments.
func measure(s setting, algorithms []algorithm, environments, plain int, seed uint64, progress trial.Progress) (*results, error) {
	r := &results{algorithms: algorithms, outcomes: map[string][]outcome{}}
	for i := range environments {
		e, err := s.environment(random(seed, i))
		if err != nil {
			return nil, err
		}
		r.slots += float64(e.Slots()) / float64(environments)
		_, err = window.FirstFit(e, s.job)
		if err == bookahead.ErrUnavailable {
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
		done := i + 1
		if done%200 == 0 {
			progress.Done("%d environments", done)
		}
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
func (r *results) sample(name string, of func(o outcome) float64) trial.Sample {
	return trial.Each(r.outcomes[name], of)
}

// median returns the median time in microseconds.
func (r *results) median(name string) float64 {
	all := slices.Sorted(slices.Values(r.sample(name, micros).Values))
	return all[len(all)/2]
}
