package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/replay"
	"github.com/bookahead/bookahead/internal/structures"
)

// comparison runs structures on one workload, one after the other. The first that
// can be made is the measure of the others.
type comparison struct {
	in       input
	most     time.Duration // what a structure may take in any case
	now      func() time.Time
	progress *progress

	promises promises
	measure  measure
}

// measure is the first structure that ran.
type measure struct {
	name string // empty if none ran yet
	took time.Duration
	replay.Result
}

func newComparison(in input, most time.Duration, now func() time.Time, p *progress) *comparison {
	return &comparison{in: in, most: most, now: now, progress: p, promises: promises{}}
}

// run replays the workload on a structure. The first may take as long as it needs.
func (c *comparison) run(st structures.Structure) (row, error) {
	limit := limit{now: c.now, began: c.now()}
	if c.measure.name != "" {
		limit.most = max(c.most, slower*c.measure.took)
	}
	c.progress.begin(st.Name)
	defer c.progress.clear()
	result, err := replay.Run(func() (bookahead.Schedule, error) {
		return st.New(c.in.Capacity, structures.Config{Origin: c.in.bookings[0].Submit, Horizon: c.in.Horizon})
	}, c.in.Capacity, c.in.bookings, func(s replay.Step) bool {
		c.progress.update(s)
		return !limit.over(s)
	})
	var build *replay.BuildError
	if errors.As(err, &build) {
		return row{Structure: st.Name, Choice: st.Choice, NotBuilt: build.Error()}, nil
	}
	if err != nil {
		return row{}, fmt.Errorf("%s: %w", st.Name, err)
	}
	if err := c.promises.check(st, c.in.bookings, result.Outcomes); err != nil {
		return row{}, err
	}
	if c.measure.name == "" {
		c.measure = measure{st.Name, c.now().Sub(limit.began), result}
	}
	return newRow(st, c.in, result, c.measure), nil
}
