package sim

// Order says which batch task of a local queue is next. Tasks of equal rank go in
// order of their ready times, and then of their place in the list of tasks.
type Order interface {
	// key ranks a task: the smaller goes first.
	key(t *Task, used usage) int64
	// moves reports whether keys change while tasks wait.
	moves() bool
	// preempts reports whether running tasks give way to one that goes before them.
	preempts() bool
}

// usage is what each user has used so far, in units times ticks.
type usage map[int64]int64

// settled is the part of an order whose keys never change and that preempts nobody.
type settled struct{}

func (settled) moves() bool    { return false }
func (settled) preempts() bool { return false }
