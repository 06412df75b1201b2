package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bookahead/bookahead"
)

// outcome has the numbers of a run, over the tasks behind the warm-up.
type outcome struct {
	blocked float64 // share of the tasks
	delay   float64 // mean, in seconds, from submission to completion, of those that ran
	labels  float64 // mean, for each task
	words   float64
	micros  []float64 // for each task: the time of the query, not of Commit
}

// operations are counted as in the paper: a label takes an addition and a comparison
// for each cost that is a number, and a word of a vector one boolean operation.
func (o outcome) operations() float64 { return 2*o.labels + o.words }

// median returns the time that half of the queries took less than.
func (o outcome) median() float64 { return quantile(o.micros, 0.5) }

// quantile returns the number that a share of all is less than.
func quantile(all []float64, share float64) float64 {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[min(int(share*float64(len(all))), len(all)-1)]
}

// run submits a stream to a fresh network, whose clusters have slots of some ticks.
// The first tasks, as many as warm says, do not count.
func run(g graph, s stream, a algorithm, warm int, slot bookahead.Duration) (outcome, error) {
	n, err := build(g, s.at, slot)
	if err != nil {
		return outcome{}, err
	}
	var o outcome
	ran := 0.0
	for i, task := range s.tasks {
		if err := n.Advance(task.Ready); err != nil {
			return o, err
		}
		started := time.Now()
		p, err := a.plan(n, task)
		took := time.Since(started)
		if err == nil {
			_, err = n.Commit(p)
		}
		if err != nil && !errors.Is(err, bookahead.ErrUnavailable) {
			return o, fmt.Errorf("%s, task %d: %w", a.name, i, err)
		}
		if i < warm {
			continue
		}
		o.labels += float64(p.Spent.Labels)
		o.words += float64(p.Spent.Words)
		o.micros = append(o.micros, float64(took.Nanoseconds())/1000)
		if err != nil {
			o.blocked++
			continue
		}
		ran++
		o.delay += float64(p.Run.End-task.Ready) / ticksPerSecond
	}
	tasks := float64(len(s.tasks) - warm)
	o.blocked /= tasks
	o.labels /= tasks
	o.words /= tasks
	if ran > 0 {
		o.delay /= ran
	}
	return o, nil
}
