package sim

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/google/btree"

	"github.com/bookahead/bookahead"
)

// Run simulates the tasks, which may be in any order, until all have ended or are
// rejected. An error is a fault of the configuration, the tasks or a schedule; it
// wraps bookahead.ErrInvalid in the first two cases.
//
// With n tasks, a decision is a Pass of a plan.Queue. It looks at each of q tasks that wait, so that
// a run takes O(n q) at worst.
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
	e, err := newEngine(c, tasks)
	if err != nil {
		return Result{}, err
	}
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
	ids []bookahead.ID // of the reservation of each task that runs or is booked
	now bookahead.Time
	err error // the first fault

	coming []event              // the next one first
	ends   *btree.BTreeG[event] // of tasks that run or are booked
	queue  []int32              // the grid's
	locals []*local
	sent   bookahead.ID // how many tasks have been given to a provider or rejected
}

// event is when a task comes in, or will be done.
type event struct {
	at   bookahead.Time
	task int32
}

func newEngine(c Config, tasks []Task) (*engine, error) {
	e := &engine{
		Config: c,
		Result: Result{Tasks: tasks, Outcomes: make([]Outcome, len(tasks))},
		ids:    make([]bookahead.ID, len(tasks)),
		ends: btree.NewG(32, func(a, b event) bool {
			return a.at < b.at || a.at == b.at && a.task < b.task
		}),
	}
	for i, t := range tasks {
		at := t.Ready
		if t.AR {
			at = t.Submit
		}
		e.coming = append(e.coming, event{at, int32(i)})
		e.Outcomes[i] = Outcome{Provider: -1, Promised: Never}
	}
	slices.SortStableFunc(e.coming, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	batch := slices.ContainsFunc(tasks, func(t Task) bool { return !t.AR })
	for i, p := range c.Providers {
		l, err := newLocal(e, i, p, batch && c.Batch.Partition.Admits(i))
		if err != nil {
			return nil, fmt.Errorf("Config.Providers[%d]: %w", i, err)
		}
		e.locals = append(e.locals, l)
		e.Units = append(e.Units, p.Units)
	}
	return e, nil
}

// fail notes the first fault, which ends the run; nil is none.
func (e *engine) fail(err error) {
	if e.err == nil {
		e.err = err
	}
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
		e.endTasks()
		if !e.ARFirst {
			e.decide() // who waits comes before who comes in
		}
		e.takeIn()
		e.decide()
	}
}

// next returns the time of the next event.
func (e *engine) next() bookahead.Time {
	at := bookahead.MaxTime
	if len(e.coming) > 0 {
		at = e.coming[0].at
	}
	if first, ok := e.ends.Min(); ok {
		at = min(at, first.at)
	}
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

// endTasks ends the tasks that are done by now.
func (e *engine) endTasks() {
	for {
		first, ok := e.ends.Min()
		if !ok || first.at > e.now {
			return
		}
		e.ends.DeleteMin()
		e.locals[e.Outcomes[first.task].Provider].finish(first.task)
	}
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
		i := l.giveUp()
		if i >= 0 {
			e.Outcomes[i].Rejected = true
			l.decide()
			return true
		}
	}
	return false
}
