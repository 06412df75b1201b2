package bookahead

// Schedule books capacity over time. Two kinds implement it: a pool counts
// units, a server structure knows which servers are taken.
//
// Every implementation keeps these laws. Now is the time of the last Advance, and the horizon is
// the end of the time that can be booked.
//
//  1. At no tick are more units booked than there are, or one server twice. The one
//     exception is a closure (Closable): bookings that it meets stay, and the excess
//     only shrinks.
//  2. Search returns the earliest start that the representation can express;
//     nothing earlier fits.
//  3. Reserve books the offer that Search would have returned.
//  4. A fixed request for n units over a window w between now and the horizon
//     succeeds if and only if n <= RangeQuery(w).Free. The answer names the
//     window it speaks of; no part of w has less free than w.
//  5. Reserve followed by Release leaves every answer as it was, but for the
//     next ID.
//  6. An error leaves the schedule unchanged.
//  7. Advance changes no answer about the future: about windows and requests
//     that are ready at the new time or later, and must end by the old horizon.
//  8. A query changes no answer, and any number of queries and Clones run at
//     once; only writes must wait. A query may remember a fact that it has found,
//     if it publishes the fact atomically, and the fact saves work and nothing else.
//  9. A request that Validate accepts is never invalid for its size. More units
//     than the capacity, too long a duration and too late a time are ErrUnavailable,
//     so that a caller can go on to the next schedule. Servers are invalid in a
//     request to a pool, and if the schedule does not have them. Frame returns the
//     capacity.
//
// A schedule is not safe for concurrent writes; Locked makes a Keeper so.
// Errors are ErrUnavailable, ErrNotFound, or wrap ErrInvalid.
//
// The package scheduletest checks all laws against an oracle. The interface may not grow. Every
// structure in docs/abilities.md is a Keeper besides. An ability that only some structures have is an
// interface of its own, with a function that sees through Locked, such as Clone, Blocks, Openings
// and SearchLatest.
type Schedule interface {
	// Search returns the earliest place for r, and books nothing.
	// It returns ErrUnavailable if there is none between now and the horizon.
	Search(r Request) (Offer, error)

	// Reserve books the place that Search would have returned.
	Reserve(r Request) (Reservation, error)

	// Release cancels a reservation. If the reservation is running, the rest of it, from now on,
	// is given back. The error is ErrNotFound if the ID is not booked, or its reservation has
	// ended. A reservation has ended at its End.
	Release(id ID) error

	// RangeQuery returns the units that are free throughout w. The part of w before now or beyond
	// the horizon is cut off, and the answer names the window that is left. If no window is left,
	// nothing is free. An empty w is invalid.
	RangeQuery(w Interval) (Availability, error)

	// Advance moves the clock to now: the past is forgotten, reservations that have ended are
	// gone, and the horizon slides along. Moving the clock back is invalid; leaving it where it
	// stands is not.
	Advance(now Time) error
}
