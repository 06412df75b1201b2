package sim

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/plan"
)

// Config describes the machines and the policies. With one provider there is
// one level only; Batch, AR and Period are for several, but apply all the same.
type Config struct {
	Providers []Provider
	// Batch says to which provider the grid sends a batch task: grid.ShortestQueue is the
	// paper's load balancing, by the number of batch tasks in the queue. If the Policy
	// chooses none, the first provider that may have the task gets it.
	Batch Placement
	// AR says to which provider the grid sends an AR task. grid.Priority is the paper's AR
	// resource priority. The offers are those that end by the due date. If there is none
	// and the task may be late, it is booked at the provider that the Policy chooses
	// nevertheless, or else where it can be completed first.
	AR Placement
	// Search says which starts of an AR task are tried.
	Search Steps
	// Period is the grid's off-line scheduling period δ: tasks are kept in the
	// grid's queue and sent on, in order, at the ticks that Period divides
	// (Kurowski et al., §4.4.4). 0 sends them on at once.
	Period bookahead.Duration
	// ARFirst is the paper's "AR first": AR tasks do not wait for the period, and
	// go before batch tasks that are sent on at the same tick. Without it ("AR
	// FCFS") they wait in the same queue as batch tasks. Where Period is 0, the two
	// differ only among tasks of the same tick.
	ARFirst bool
	// Strict rejects an AR task that cannot end by its due date. Otherwise it is
	// booked at the earliest start, and is late: the paper does so "to have a
	// fair comparison" of the other criteria (§4.1).
	Strict bool
}

// Provider is a machine with its local scheduler.
type Provider struct {
	// Schedule holds the reservations: of tasks that run, and of AR tasks. It must be empty,
	// with its clock at the first submission or before, and is used up by a run. Where batch
	// tasks may come, it must be a bookahead.Keeper and a bookahead.Cloner, since they wait in
	// a plan.Queue. A pool binds servers dynamically; grid.Binder shows to which.
	Schedule bookahead.Schedule
	Units    int64 // the schedule's capacity
	Local    Local
}

// Local is the policy of a local scheduler for batch tasks: who is next, and who
// may overtake a task that cannot start yet. The zero value is strict FCFS.
type Local struct {
	Order    plan.Order
	Backfill plan.Backfill
	// Preempt stops running tasks of lower priority for one that cannot start: the fewest
	// that make room, as plan.Config.Preempt says. They go back into the queue and begin anew.
	// With plan.ByPriority it is the PPPD of Kurowski et al., §2.1.
	Preempt bool
	// Period is the local off-line scheduling period δ: decisions are made only
	// at the ticks that it divides, as for the paper's LSF-δ. 0 makes one
	// whenever a task arrives or ends. EASY and Conservative keep their promises
	// to the tick, and allow none.
	Period bookahead.Duration
}

// validate returns an error that wraps bookahead.ErrInvalid.
func (c *Config) validate() error {
	if len(c.Providers) == 0 {
		return invalid("Config.Providers", c.Providers, "are none")
	}
	if c.Period < 0 {
		return invalid("Config.Period", c.Period, "is negative")
	}
	for i, p := range c.Providers {
		field := fmt.Sprintf("Config.Providers[%d].", i)
		frame, known := bookahead.FrameOf(p.Schedule)
		switch {
		case p.Schedule == nil:
			return invalid(field+"Schedule", p.Schedule, "is missing")
		case p.Units < 1:
			return invalid(field+"Units", p.Units, "is less than 1")
		case p.Local.Period < 0:
			return invalid(field+"Local.Period", p.Local.Period, "is negative")
		case known && frame.Capacity != p.Units:
			return invalid(field+"Units", p.Units, fmt.Sprintf("are not the %d of the schedule", frame.Capacity))
		case p.Local.Period > 0 && p.Local.promises():
			return invalid(field+"Local.Period", p.Local.Period, "is not for a Backfill that promises starts")
		}
	}
	return c.Search.validate()
}

// promises reports whether waiting tasks are told a start that is kept.
func (l *Local) promises() bool { return l.Backfill != plan.None() && l.Backfill != plan.FirstFit() }
