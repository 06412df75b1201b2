package bookahead

// Schedule books capacity over time. Two kinds implement it: a pool counts
// units, a server structure knows which servers are taken.
//
// Every implementation keeps these laws, with now the time of the last
// Advance, and the horizon the end of what can be booked:
//
//  1. At no tick are more units booked than there are, or one server twice.
//  2. Search returns the earliest start that the representation can express;
//     nothing earlier fits.
//  3. Reserve books what Search would have offered.
//  4. A fixed request for n units over a window w between now and the horizon
//     succeeds if and only if n <= RangeQuery(w).Free.
//  5. Reserve followed by Release leaves every answer as it was, but for the
//     next ID.
//  6. An error leaves the schedule unchanged.
//  7. Advance changes no answer about the future: about windows and requests
//     that are ready at the new time or later, and must end by the old horizon.
//  8. Search and RangeQuery change nothing: any number of them may run at
//     once, as long as no Reserve, Release or Advance does.
//
// A schedule is not safe for concurrent writes; Locked makes it so.
// Errors are ErrUnavailable, ErrNotFound, or wrap ErrInvalid.
//
// The package scheduletest checks all of this against an oracle. The interface
// may not grow; further abilities are interfaces of their own, such as
// Profiler, Cloner and Snapshotter, found by type assertion.
type Schedule interface {
	// Search returns the earliest place for r, and books nothing.
	// It returns ErrUnavailable if there is none between now and the horizon.
	Search(r Request) (Offer, error)

	// Reserve books the place that Search would have returned.
	Reserve(r Request) (Reservation, error)

	// Release cancels a reservation. If it is running, what is left of it,
	// from now on, is given back. It returns ErrNotFound if the ID is not
	// booked, or its reservation has ended, which it has at its End.
	Release(id ID) error

	// RangeQuery returns what is free throughout w. The part of w before now
	// or beyond the horizon is cut off, so that what is free may be less time
	// than was asked about; if nothing is left, nothing is free. An empty w is
	// invalid.
	RangeQuery(w Interval) (Availability, error)

	// Advance moves the clock to now: the past is forgotten, reservations that
	// have ended are gone, and the horizon slides along. Moving the clock back
	// is invalid; staying is not.
	Advance(now Time) error
}
