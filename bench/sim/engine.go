package sim

import (
	"fmt"
	"math"

	"github.com/bookahead/bookahead"
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
	return e.Result, nil
}

// engine is the event loop, and the grid level. It fills the Result as it goes.
type engine struct {
	Config
	Result
	calendar
	ids    []bookahead.ID // of the reservation of each task that runs or is booked
	queue  []int32        // the grid's
	locals []*local
	sent   bookahead.ID // how many tasks have been given to a provider or rejected
}

func newEngine(c Config, tasks []Task) *engine {
	e := &engine{
		Config:   c,
		Result:   Result{Tasks: tasks, Outcomes: make([]Outcome, len(tasks))},
		ids:      make([]bookahead.ID, len(tasks)),
		calendar: newCalendar(tasks),
	}
	for i := range tasks {
		e.Outcomes[i] = Outcome{Provider: -1, Promised: Never}
	}
	for i := range c.Providers {
		e.locals = append(e.locals, newLocal(e, i, &c.Providers[i]))
		e.Units = append(e.Units, c.Providers[i].Units)
	}
	return e
}

// run goes from event to event until there is none.
func (e *engine) run() {
	for e.err == nil {
		at := e.next()
		if at == bookahead.MaxTime {
			if !e.giveUp() {
				return
			}
			continue
		}
		e.now = at
		for i := range e.due(e.ends) {
			e.locals[e.Outcomes[i].Provider].finish(i)
		}
		if !e.ARFirst {
			e.decide() // who waits comes before who comes in
		}
		e.takeIn()
		e.decide()
	}
}

// next returns the time of the next event.
func (e *engine) next() bookahead.Time {
	at := e.calendar.next(e.ends)
	if len(e.queue) > 0 {
		at = min(at, multiple(e.now, e.Period))
	}
	for _, l := range e.locals {
		at = min(at, l.wake)
	}
	return at
}

// multiple returns the first tick from now on that the period divides.
func multiple(now bookahead.Time, period bookahead.Duration) bookahead.Time {
	p := bookahead.Time(period)
	if p == 0 || now%p == 0 {
		return now
	}
	return now - now%p + p
}

// takeIn moves tasks that have arrived into the grid's queue. It sends AR tasks on at once
// under AR first, and all tasks at the ticks that the period divides.
func (e *engine) takeIn() {
	from := len(e.queue)
	for len(e.coming) > 0 && e.coming[0].at <= e.now {
		e.queue = append(e.queue, e.coming[0].task)
		e.coming = e.coming[1:]
	}
	if e.ARFirst {
		kept := e.queue[:from] // no AR task has stayed behind
		for _, i := range e.queue[from:] {
			if e.Tasks[i].AR {
				e.send(i)
			} else {
				kept = append(kept, i)
			}
		}
		e.queue = kept
	}
	if multiple(e.now, e.Period) > e.now {
		return
	}
	for _, i := range e.queue {
		if e.Tasks[i].AR {
			e.decide() // batch tasks that came before it
		}
		e.send(i)
	}
	e.queue = e.queue[:0]
}

func (e *engine) decide() {
	for _, l := range e.locals {
		if e.err == nil {
			l.decide()
		}
	}
}

// giveUp rejects a task that waits though nothing will happen any more, which is too long
// for the horizon. It reports whether there was one.
func (e *engine) giveUp() bool {
	for _, l := range e.locals {
		if len(l.queue) > 0 {
			e.Outcomes[l.queue[0].task].Rejected = true
			l.queue = l.queue[1:]
			l.anew = true
			l.decide()
			return true
		}
	}
	return false
}
