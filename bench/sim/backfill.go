package sim

// Backfill says which batch tasks may overtake one that cannot start yet.
type Backfill interface {
	// promises reports whether waiting tasks are told a start that is kept.
	promises() bool
	// open returns the policy for one local queue.
	open(l *local) filler
}

// filler decides for one queue.
type filler interface {
	// join is told of a task that is put into the queue, not at its head, while
	// nothing has been freed since the last decision. It reports whether the task
	// has started, and is not to be queued.
	join(e *entry) bool
	// pass looks at the whole queue, which is in order.
	pass()
}
