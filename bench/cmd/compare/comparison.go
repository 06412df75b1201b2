package main

import (
	"fmt"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/paper/trial"
	"github.com/bookahead/bookahead/bench/replay"
	"github.com/bookahead/bookahead/internal/structures"
)

// comparison runs structures on one workload, one after the other. The first that
// can be made is the measure of the others.
type comparison struct {
	in       input
	now      func() time.Time
	progress trial.Progress
	told     time.Time // when the progress was told last
	k        int       // the structure that runs is the k-th

	promises promises
	measure  measure
}

// measure is the first structure that ran.
type measure struct {
	name string // empty if none ran yet
	took time.Duration
	replay.Result
}

func newComparison(in input, now func() time.Time, p trial.Progress) *comparison {
	return &comparison{in: in, now: now, progress: p, told: now(), promises: promises{}}
}

// run replays the workload on a structure. The first may take as long as it needs.
func (c *comparison) run(st structures.Structure) (row, error) {
	limit := limit{began: c.now()}
	if c.measure.name != "" {
		limit.most = max(c.in.most, slower*c.measure.took)
	}
	c.k++
	var notBuilt error
	result, err := replay.Run(func() (s bookahead.Schedule, _ error) {
		s, notBuilt = st.New(c.in.capacity, structures.Config{Origin: c.in.bookings[0].Submit, Horizon: c.in.horizon})
		return s, notBuilt
	}, c.in.capacity, c.in.bookings, func(s replay.Step) bool {
		now := c.now()
		c.tell(now, st.Name, s)
		return !limit.over(now, s)
	})
	if notBuilt != nil {
		return row{Structure: st, notBuilt: notBuilt.Error()}, nil
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
	return newRow(st, len(c.in.bookings), result, c.measure), nil
}

// often is how often the progress is told.
const often = 5 * time.Second

// tell reports from time to time how far a structure is.
func (c *comparison) tell(now time.Time, name string, s replay.Step) {
	if now.Sub(c.told) < often {
		return
	}
	c.told = now
	doing := ""
	if s.Pass > 0 {
		doing = fmt.Sprintf("is weighed (%d of at most %d times): ", s.Pass, replay.Weighings)
	}
	c.progress.Done("%s (%d of %d): %s%d of %d jobs", name, c.k, len(c.in.structures), doing, s.Done, s.Of)
}
