package bookahead

// Cloner is a Schedule that can be copied, so that a plan can be tried on the
// copy and dropped. Use the function Clone, which keeps the type and sees through
// Locked.
type Cloner interface {
	Schedule

	// Clone returns an independent copy, of the same concrete type: nothing
	// done to one is seen by the other, and both number their next
	// reservation alike. Each may be used on its own goroutine from then on.
	// Clone may run beside queries and other Clones; only writes must wait. It
	// returns nil if something that the schedule is made of cannot be copied.
	Clone() Schedule
}

// Clone returns an independent copy of s, of the same type, and false if s has none
// to give. The clone of a schedule behind Locked has a lock of
// its own.
func Clone[S Schedule](s S) (S, bool) {
	var copied Schedule
	switch c := Schedule(s).(type) {
	case *locked:
		copied = c.copied()
	case Cloner:
		copied = c.Clone()
	}
	typed, ok := copied.(S)
	return typed, ok
}
