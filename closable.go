package bookahead

import (
	"fmt"
	"iter"
)

// ClosureID names a closure, or an extension, of a schedule. They count up from 1, apart from
// the IDs of reservations, and are the same on every machine for the same calls.
type ClosureID uint64

// Closure is capacity that is not there for a time, or, if Added, capacity that is there
// besides.
type Closure struct {
	// ID is given by the schedule.
	ID ClosureID
	// Interval is the time of the closure. A Start before now counts as now. An End of MaxTime
	// means until further notice: no Advance of a schedule with a horizon comes to it, and after
	// one to MaxTime nothing can be booked any more.
	Interval
	// Units is how many units of a pool are closed, or how many units or servers are added.
	// Where servers are named, 0 stands for their number.
	Units int64
	// Servers names those that are closed. A schedule that adds servers gives them the next
	// indices, and names them here.
	Servers []int
	// Added tells an extension from a closure.
	Added bool
}

// String names the closure, its time, and its servers or units.
func (c Closure) String() string {
	kind := "closure"
	if c.Added {
		kind = "extension"
	}
	return fmt.Sprintf("%s %d %v", kind, c.ID, Offer{c.Interval, c.Units, c.Servers})
}

// Overbooking is a stretch of time in which more is booked than there is.
type Overbooking struct {
	Interval
	// Units is how many units are missing, or how many servers.
	Units int64
	// Servers names those that are closed, or gone, while a reservation holds them, in
	// ascending order; nil if the schedule counts units only.
	Servers []int
}

// String names the time, and the servers or units that are missing.
func (o Overbooking) String() string { return Offer(o).String() }

// Closable is a Schedule whose capacity changes. Use View and Update for one behind Locked.
//
// At each tick the capacity is what was given from the start and what is added then, without what
// is closed then, and never less than 0. Closures may overlap, also on one server: it is open
// where none of them closes it. They may lie beyond the horizon.
//
// Nothing is refused because it is booked. A reservation stays where a closure
// meets it, and the stretch is overbooked. There nothing is free, and what a Release gives back
// stays closed. A Rebook may keep what the reservation has there, and gains nothing. If it is to
// give up closed servers, its request must name the others. Overbooked lists such stretches, and
// Displace clears them.
//
// A closure that lasts longer than planned is closed again from its End on, under another ID.
//
// A server that has been added keeps its index for ever. Before its time and after, it is closed.
// So a server that comes and goes is better closed and opened than added each time.
type Closable interface {
	Schedule

	// Close closes units of a pool, or servers by name, and returns the closure as it is
	// listed. The error wraps ErrInvalid.
	Close(c Closure) (Closure, error)

	// Extend adds c.Units units, or as many servers, for the time of c, and returns the
	// extension as it is listed. The error wraps ErrInvalid.
	Extend(c Closure) (Closure, error)

	// End ends a closure, or an extension, at a time that is not behind its End. A time
	// before now counts as now. One that would then be empty has never been. The error is
	// ErrNotFound if there is none of that ID, or it is over; it wraps ErrInvalid if the time
	// is behind its End.
	End(id ClosureID, at Time) error

	// Closures yields the closures and extensions that are not over, by ID. The slices are the
	// caller's. It is a query.
	Closures() iter.Seq[Closure]

	// Overbooked yields the stretches of w in which more is booked than there is, by start.
	// They do not overlap, and two that touch differ. It is a query: it can be ranged over
	// again, and by any number of goroutines, but nothing may change meanwhile.
	Overbooked(w Interval) iter.Seq[Overbooking]
}
