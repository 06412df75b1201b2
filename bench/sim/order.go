package sim

// Order says which batch task of a local queue is next. Tasks of equal rank go in
// order of their ready times, and then of their place in the list of tasks.
type Order int

const (
	// FCFS takes tasks in the order of their ready times: first come, first served.
	FCFS Order = iota
	// SJF takes the shortest task first, by its estimate: policies do not know how
	// long it will run.
	SJF
	// LSF takes the largest task first, by units (Kurowski et al., §2.1 and §4.4.3).
	// With a Local.Period of δ ticks it is the paper's LSF-δ.
	LSF
)

// key ranks a task: the smaller goes first.
func (o Order) key(t *Task) int64 {
	switch o {
	case SJF:
		return int64(t.Estimate)
	case LSF:
		return -t.Units
	}
	return 0
}
