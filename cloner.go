package bookahead

// Cloner is a Schedule that can be copied, so that a plan can be tried on the
// copy and dropped.
type Cloner interface {
	Schedule

	// Clone returns an independent copy, of the same concrete type: nothing
	// done to one is seen by the other, and both number their next
	// reservation alike. Each may be used on its own goroutine from then on.
	// Clone itself counts as a write: nothing else may run on the schedule
	// meanwhile.
	Clone() Schedule
}
