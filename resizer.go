package bookahead

// Resizer is a Schedule that can change a reservation in place, which keeps its
// ID: make it shorter or longer, add units or give some back, move it, or all at
// once.
type Resizer interface {
	Schedule

	// Resize books the reservation anew, in to and with the given units; what
	// it holds itself counts as free. It returns the reservation as it is then.
	//
	// What lies before now is used up: one that has begun keeps its Start,
	// unless it is moved to begin after now, and a Start in the past counts as
	// now for one that has not. The error wraps ErrInvalid if to is empty or
	// ends by now, or the units are less than 1 or more than the capacity; it is
	// ErrNotFound, or ErrUnavailable if the units are not free throughout or to
	// ends after the horizon.
	//
	// Where servers are known, the reservation keeps as many of its own as it can:
	// those that are free throughout, and of these the lowest if it needs fewer.
	// Further ones are those of the others that Reserve would choose. One that has
	// not begun may leave servers for others that way. One that has begun by now,
	// and goes on, never does: if of the servers that it holds fewer are free than
	// it still needs, or not all and it is to have more, the error is
	// ErrUnavailable. Those that it gets it holds from now on, although it is
	// listed with its Start.
	Resize(id ID, to Interval, units int64) (Reservation, error)
}
