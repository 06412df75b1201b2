package main

import (
	"slices"

	"github.com/bookahead/bookahead/bench/sim"
)

// online books each task when it is submitted, and does not move it afterwards
// (§5.1): to bench/sim, all are AR tasks. A task that is done before its reservation
// ends gives back the rest. Tasks are in order of submission, so that each search of
// the calendar is that of the next task.
func online(tasks []sim.Task, units int64, c *calendar) (sim.Result, error) {
	booked := slices.Clone(tasks)
	for i := range booked {
		booked[i].AR = true
	}
	r, err := sim.Run(sim.Config{Providers: []sim.Provider{{Schedule: c, Units: units}}}, booked)
	if err != nil {
		return r, err
	}
	r.Tasks = tasks
	for i, attempts := range c.attempts {
		r.Outcomes[i].Attempts = attempts
	}
	return r, nil
}
