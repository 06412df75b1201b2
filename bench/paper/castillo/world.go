package main

import (
	"cmp"
	"fmt"
	"math"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/paper/trial"
	"github.com/bookahead/bookahead/bench/sim"
)

// shares are the ρ of Figures 6 and 7.
var shares = []float64{0, 0.2, 0.4, 0.6, 0.8, 1}

// steps are the Δt that are tried beside the paper's, which is slot.
var steps = []bookahead.Duration{60, 300, slot, hour}

// world is a log in a setting, with the summary of each scheduler.
type world struct {
	log      log
	setting  setting
	tasks    []sim.Task // of the log, without advance reservations
	online   *summary   // as published
	exact    *summary
	easy     *summary
	recorded *summary   // of the log's batch system; nil if it has none
	ahead    []*summary // as published, one for each of shares
	steps    []*summary // as published, one for each of steps; nil but for the first world in the setting that decides
	peer     *world     // CTC in this setting, with which the paper compares KTH; nil if there is none
}

// scheduler picks the summary of one scheduler from a world; nil if it did not run.
type scheduler func(w *world) *summary

var (
	recorded scheduler = func(w *world) *summary { return w.recorded }
	online   scheduler = func(w *world) *summary { return w.online }
	exact    scheduler = func(w *world) *summary { return w.exact }
	easy     scheduler = func(w *world) *summary { return w.easy }
	// batch is the log's batch system, or EASY in its place.
	batch scheduler = func(w *world) *summary { return cmp.Or(w.recorded, w.easy) }
)

// ahead is the online scheduler with the kth of shares booked ahead.
func ahead(k int) scheduler { return func(w *world) *summary { return w.ahead[k] } }

// pick is a number of a world.
type pick func(w *world) float64

// of is a number of the scheduler's run; NaN if the scheduler did not run.
func (s scheduler) of(m metric) pick {
	return func(w *world) float64 {
		sum := s(w)
		if sum == nil {
			return math.NaN()
		}
		return m(sum)
	}
}

// simulate runs a log without advance reservations.
func simulate(l log, s setting) (*world, error) {
	w := &world{log: l, setting: s, tasks: s.tasks(l), recorded: s.recorded(l)}
	var err error
	w.online, err = s.run(l, w.tasks, s.published(slot))
	if err != nil {
		return nil, fmt.Errorf("%s, online: %w", l.name, err)
	}
	w.exact, err = s.run(l, w.tasks, openExact)
	if err != nil {
		return nil, fmt.Errorf("%s, exact: %w", l.name, err)
	}
	w.easy, err = s.run(l, w.tasks, openEASY)
	if err != nil {
		return nil, fmt.Errorf("%s, EASY: %w", l.name, err)
	}
	return w, nil
}

// bookAhead is w with shares of the tasks booked ahead, as the seed chooses them.
// Booked for estimates, waits are so long that the published structure would take
// minutes for each share: then the one tree makes its attempts.
func (w *world) bookAhead(seed uint64) (*world, error) {
	c := *w
	c.ahead = []*summary{w.online}
	open := w.setting.published(slot)
	if w.setting.estimated {
		open = openStepping
	}
	for _, share := range shares[1:] {
		tasks, err := w.setting.ahead(w.log, share, seed)
		if err != nil {
			return nil, err
		}
		sum, err := w.setting.run(w.log, tasks, open)
		if err != nil {
			return nil, fmt.Errorf("%s, ρ = %g: %w", w.log.name, share, err)
		}
		c.ahead = append(c.ahead, sum)
	}
	return &c, nil
}

// sweepSteps runs the log with each of steps.
func (w *world) sweepSteps() error {
	for _, step := range steps {
		sum := w.online
		if step != slot {
			var err error
			sum, err = w.setting.run(w.log, w.tasks, w.setting.published(step))
			if err != nil {
				return err
			}
		}
		w.steps = append(w.steps, sum)
	}
	return nil
}

// booked is the sum of a number of all tasks.
func (w *world) booked(of func(t sim.Task) float64) float64 {
	sum := 0.0
	for _, t := range w.tasks {
		sum += of(t)
	}
	return sum
}

// bookedHours is the mean time that is booked.
func bookedHours(w *world) float64 {
	return w.booked(func(t sim.Task) float64 { return hours(float64(t.Estimate)) }) / float64(len(w.tasks))
}

// bookedShort is the share of the tasks that are booked for less than two hours.
func bookedShort(w *world) float64 {
	n := w.booked(func(t sim.Task) float64 {
		if t.Estimate < 2*hour {
			return 1
		}
		return 0
	})
	return n / float64(len(w.tasks))
}

// load is the booked work of all tasks, as a share of the work that the processors could
// do from the first submission to the last.
func load(w *world) float64 {
	work := w.booked(func(t sim.Task) float64 { return float64(t.Units) * float64(t.Estimate) })
	span := w.tasks[len(w.tasks)-1].Submit - w.tasks[0].Submit
	return work / float64(w.setting.units(w.log)) / max(1, float64(span))
}

// scene is a log in a setting, over the repeats. If the log is not synthetic, they
// differ only in the tasks that are booked ahead.
type scene []*world

// sample is a number of each world. It is exact if the number depends neither on the jobs
// that are booked ahead nor on a log that is drawn.
func (s scene) sample(chance bool, of pick) trial.Sample {
	if !chance && !s[0].log.synthetic {
		s = s[:1]
	}
	all := trial.Each(s, of)
	if len(s) == 1 {
		all.Half = 0
	}
	return all
}
