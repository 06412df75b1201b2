package bookahead

// Cloner is a Schedule that can be copied, so that a plan can be tried on the
// copy and dropped. Use the function Clone, which keeps the type and sees through
// Locked.
type Cloner interface {
	Schedule

	// Clone returns an independent copy, of the same concrete type: a change of the one never
	// shows in the other, and both give their next reservation the same ID. From then on each may
	// be used on its own goroutine. Clone may run beside queries and other Clones; only writes
	// must wait. It returns nil if something that the schedule is made of cannot be copied.
	Clone() Schedule
}

// Clone returns an independent copy of s, of the same type. It returns false if s is no Cloner,
// or cannot be copied. The clone of a schedule behind Locked has a lock of its own.
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
