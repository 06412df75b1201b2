package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/workload"
	"github.com/bookahead/bookahead/freelist"
	"github.com/bookahead/bookahead/slotted"
)

const (
	// bookAhead is the longest time to book ahead, in seconds.
	bookAhead = 900_000
	// short is the mean run time of short jobs, in seconds.
	short = 18_000
)

// point is one mark in a figure.
type point struct {
	figure, structure string
	units             int64
	gap, load         float64 // mean time between first submissions, and what it offers
	success, micros   sample
}

// figure is an experiment of the paper.
type figure struct {
	name, about, file string
	run               func(s settings, progress func(string, ...any)) ([]point, error)
}

var figures = []figure{
	{"Figure 6", "a cluster, slots of several widths and the list", "fig6.csv", func(s settings, progress func(string, ...any)) ([]point, error) {
		structures := []structure{slots(90), slots(9_000), slots(900_000), list}
		small, err := cluster("6", 128, structures, s, progress)
		if err != nil {
			return nil, err
		}
		// Jobs come faster there: more are needed to fill the book-ahead time,
		// and chance evens out sooner.
		s.jobs, s.repeats = 8*s.jobs, max(3, s.repeats/4)
		large, err := cluster("6", 4096, structures, s, progress)
		return append(small, large...), err
	}},
	{"Figure 7", "the list of used blocks, without and with an AVL tree", "fig7.csv", func(s settings, progress func(string, ...any)) ([]point, error) {
		return cluster("7", 128, []structure{usedList, usedAVL}, s, progress)
	}},
	{"Figure 8", "one resource on the grid level", "fig8.csv", func(s settings, progress func(string, ...any)) ([]point, error) {
		s.seed += 1000 // another sequence of jobs
		return cluster("8", 128, []structure{slots(400), slots(4_000), slots(40_000), list}, s, progress)
	}},
	{"Figure 9", "workflows over a network of six resources; a reservation is a whole workflow, gap and load are for each resource", "fig9.csv", grid},
}

// structure is what a resource keeps its schedule in.
type structure struct {
	name string
	open func(units int64) (bookahead.Schedule, error)
}

func slots(n int) structure {
	return structure{fmt.Sprintf("%d slots", n), func(units int64) (bookahead.Schedule, error) {
		return slotted.NewScan(units, slotted.Config{Horizon: bookAhead, Slot: bookahead.Duration(bookAhead / n)})
	}}
}

var (
	list = structure{"time exclusive list", func(units int64) (bookahead.Schedule, error) {
		return freelist.NewTimeExclusive(units, freelist.Config{Horizon: bookAhead})
	}}
	usedList = structure{"used list", func(units int64) (bookahead.Schedule, error) {
		return freelist.NewUsedList(units, freelist.Config{Horizon: bookAhead})
	}}
	usedAVL = structure{"used list with AVL", func(units int64) (bookahead.Schedule, error) {
		return freelist.NewUsed(units, freelist.Config{Horizon: bookAhead})
	}}
)

// loads are the overloads, as multiples of what the machine can do.
var loads = []float64{8, 4, 2, 1.3}

// gapFor returns the mean time between first submissions that offers a load.
func gapFor(units int64, load float64, seed uint64) (float64, error) {
	jobs, err := workload.Feitelson{Nodes: units, Seed: seed, Gap: 1000, Short: short}.Generate(20_000)
	if err != nil {
		return 0, err
	}
	return 1000 * offered(jobs, units) / load, nil
}

// bookings are the jobs of one repeat, as requests. Chance makes their load
// differ from what the gap should offer: they are submitted faster or slower by
// as much.
func bookings(units int64, gap, load float64, jobs int, seed uint64) ([]workload.Booking, error) {
	made, err := workload.Feitelson{Nodes: units, Seed: seed, Gap: gap, Short: short}.Generate(jobs)
	if err != nil {
		return nil, err
	}
	by := offered(made, units) / load
	for i := range made {
		made[i].Submit = bookahead.Time(by * float64(made[i].Submit))
	}
	return workload.Reservations{Fraction: 1, Ahead: bookAhead / 2, Slack: 2, Seed: seed}.Book(made)
}

// offered returns the work of the jobs over what the units can do until the last
// is submitted.
func offered(jobs []workload.Job, units int64) float64 {
	work := 0.0
	for _, j := range jobs {
		work += float64(j.Run) * float64(j.Units)
	}
	return work / (float64(units) * float64(max(1, jobs[len(jobs)-1].Submit)))
}

// cluster books jobs on one resource, at each load with each structure.
func cluster(figure string, units int64, structures []structure, s settings, progress func(string, ...any)) ([]point, error) {
	return sweep(figure, units, structures, s, progress, func(st structure, gap, load float64, seed uint64) (success, micros float64, err error) {
		sched, err := st.open(units)
		if err != nil {
			return 0, 0, err
		}
		requests, err := bookings(units, gap, load, s.jobs, seed)
		if err != nil {
			return 0, 0, err
		}
		accepted, took := 0, time.Duration(0)
		for _, b := range requests {
			if err := sched.Advance(b.Submit); err != nil {
				return 0, 0, err
			}
			started := time.Now()
			_, err := sched.Reserve(b.Request)
			took += time.Since(started)
			if err == nil {
				accepted++
			} else if err != bookahead.ErrUnavailable {
				return 0, 0, err
			}
		}
		n := float64(len(requests))
		return float64(accepted) / n, float64(took.Nanoseconds()) / 1000 / n, nil
	})
}

// sweep repeats measure at each load with each structure until all intervals are
// narrow, one percent of the jobs and a tenth of the time, or for s.repeats times. All structures
// meet the same jobs.
func sweep(figure string, units int64, structures []structure, s settings, progress func(string, ...any),
	measure func(st structure, gap, load float64, seed uint64) (success, micros float64, err error)) ([]point, error) {
	var all []point
	for _, load := range loads {
		gap, err := gapFor(units, load, s.seed)
		if err != nil {
			return nil, err
		}
		points := make([]point, len(structures))
		for k := 0; k < s.repeats && (k < 3 || slices.ContainsFunc(points, point.wide)); k++ {
			for i, st := range structures {
				progress("Figure %s, load %.1f, repeat %d, %s", figure, load, k+1, st.name)
				success, micros, err := measure(st, gap, load, s.seed+uint64(k))
				if err != nil {
					return nil, err
				}
				p := &points[i]
				p.figure, p.structure, p.units, p.gap, p.load = figure, st.name, units, gap, load
				p.success.add(success)
				p.micros.add(micros)
			}
		}
		all = append(all, points...)
	}
	return all, nil
}

// wide reports whether p needs another repeat.
func (p point) wide() bool { return p.success.half > 0.01 || p.micros.half > p.micros.mean/10 }
