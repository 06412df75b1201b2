package sim

// Order says which batch task of a local queue is next. Tasks of equal rank go in
// order of their ready times, and then of their place in the list of tasks. An Order
// may come from another package.
type Order interface {
	// Key ranks a task: the smaller goes first. used is the usage of the task's user at the
	// provider so far, in units times ticks; used is 0 if Moves is false.
	Key(t *Task, used int64) int64
	// Moves reports whether keys change while tasks wait, because Key looks at used.
	Moves() bool
	// Preempts reports whether running tasks give way to one that goes before them.
	Preempts() bool
}

// usage has the work of each user so far, in units times ticks.
type usage map[int64]int64

// settled is embedded in an Order whose keys never change and that preempts nobody. An
// Order with one of these two properties overrides the method of the other.
type settled struct{}

// Moves implements Order.
func (settled) Moves() bool { return false }

// Preempts implements Order.
func (settled) Preempts() bool { return false }

// FCFS takes tasks in the order of their ready times: first come, first served.
type FCFS struct{ settled }

// Key implements Order.
func (FCFS) Key(*Task, int64) int64 { return 0 }

// SJF takes the shortest task first, by its estimate: policies do not know how
// long it will run.
type SJF struct{ settled }

// Key implements Order.
func (SJF) Key(t *Task, _ int64) int64 { return int64(t.Estimate) }

// LSF takes the largest task first, by units (Kurowski et al., §2.1 and §4.4.3).
// With a Local.Period of δ ticks it is the paper's LSF-δ.
type LSF struct{ settled }

// Key implements Order.
func (LSF) Key(t *Task, _ int64) int64 { return -t.Units }

// PPP takes the task with the highest priority first (Kurowski et al., §2.1).
type PPP struct{ settled }

// Key implements Order.
func (PPP) Key(t *Task, _ int64) int64 { return -int64(t.Priority) }

// PPPD is PPP with the dispose procedure (Kurowski et al., §2.1): if a task cannot
// start, running batch tasks of lower priority are stopped until it can, the lowest
// priority first, and of equal ones the one that began last. If that would not help, no
// task is stopped. A stopped task goes back into the queue and begins anew. Under None and
// EASY only the first in the queue stops others; under FirstFit any task may.
type PPPD struct{ PPP }

// Preempts implements Order.
func (PPPD) Preempts() bool { return true }

// FSS is fair-share scheduling (Kurowski et al., §2.1): the user is next who has
// used the provider least so far, in units times ticks, whatever the number of
// tasks. A task counts with its estimate while it runs, and with its run from then
// on; AR tasks count as well, from when they are booked. The usage of a user in all must
// fit into an int64.
type FSS struct{ settled }

// Key implements Order.
func (FSS) Key(_ *Task, used int64) int64 { return used }

// Moves implements Order.
func (FSS) Moves() bool { return true }
