package sim

import (
	"fmt"
	"math"
)

// Run simulates the tasks, which may be in any order, until all have ended or are
// rejected. An error is a fault of the configuration, the tasks or a schedule; it
// wraps bookahead.ErrInvalid in the first two cases.
//
// With n tasks, a decision takes O(log v) schedule calls in practice and looks at
// each of q tasks that wait, so that a run takes O(n q) at worst.
func Run(c Config, tasks []Task) (Result, error) {
	if err := c.validate(); err != nil {
		return Result{}, err
	}
	if len(tasks) > math.MaxInt32 {
		return Result{}, invalid("tasks", len(tasks), "are more than 2^31-1")
	}
	for i := range tasks {
		if err := tasks[i].validate(); err != nil {
			return Result{}, fmt.Errorf("task %d: %w", i, err)
		}
	}
	e := newEngine(c, tasks)
	e.run()
	if e.err != nil {
		return Result{}, fmt.Errorf("at %d: %w", e.now, e.err)
	}
	return e.result(), nil
}
