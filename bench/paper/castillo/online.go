package main

import (
	"fmt"

	"github.com/google/btree"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/sim"
)

// online books each task when it is submitted, and does not move it afterwards
// (§5.1). A task that is done before its reservation ends gives back the rest. It
// also returns the operations of all searches. Tasks are in order of submission.
func online(tasks []sim.Task, units int64, c calendar) (sim.Result, int, error) {
	r := sim.Result{Tasks: tasks, Outcomes: make([]sim.Outcome, len(tasks)), Units: []int64{units}}
	ends := newEnds(c)
	operations := 0
	for i, t := range tasks {
		if err := ends.by(t.Submit); err != nil {
			return r, 0, err
		}
		if err := c.Advance(t.Submit); err != nil {
			return r, 0, err
		}
		booked, cost, err := c.place(bookahead.Request{Ready: t.Ready, Duration: t.Estimate, Units: t.Units})
		operations += cost.operations
		switch {
		case err == bookahead.ErrUnavailable:
			r.Outcomes[i] = sim.Outcome{Rejected: true, Provider: -1, Promised: sim.Never, Attempts: cost.attempts}
			continue
		case err != nil:
			return r, 0, fmt.Errorf("job %d, submitted at %d: %w", i+1, t.Submit, err)
		}
		end := booked.Start + bookahead.Time(t.Run)
		r.Outcomes[i] = sim.Outcome{Start: booked.Start, End: end, Promised: booked.Start, Attempts: cost.attempts}
		if end < booked.End {
			ends.early.ReplaceOrInsert(ending{end, booked.ID})
		}
	}
	return r, operations, nil
}

// ending is when a task is done whose reservation goes on.
type ending struct {
	at bookahead.Time
	id bookahead.ID
}

// ends gives back what is left of reservations.
type ends struct {
	c     calendar
	early *btree.BTreeG[ending] // the next first
}

func newEnds(c calendar) ends {
	return ends{c, btree.NewG(16, func(a, b ending) bool { return a.at < b.at || a.at == b.at && a.id < b.id })}
}

// by gives back what is left of those that are done at now or before.
func (e ends) by(now bookahead.Time) error {
	for {
		next, ok := e.early.Min()
		if !ok || next.at > now {
			return nil
		}
		e.early.DeleteMin()
		if err := e.c.Advance(next.at); err != nil {
			return err
		}
		if err := e.c.Release(next.id); err != nil {
			return fmt.Errorf("release of #%d at %d: %w", next.id, next.at, err)
		}
	}
}
