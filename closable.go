package bookahead

import (
	"fmt"
	"iter"
)

// ClosureID names a closure, or an extension, of a schedule. Closure IDs count up from 1, apart
// from the IDs of reservations. The same calls give the same closure IDs everywhere.
type ClosureID uint64

// Closure is capacity that is missing for a time, or, if Added, capacity that is there besides.
type Closure struct {
	// ID is given by the schedule.
	ID ClosureID
	// Interval is the time of the closure. A Start before now counts as now. An End of MaxTime
	// means until further notice: the clock of a schedule with a horizon never gets there, and
	// after an Advance to MaxTime nothing can be booked any more.
	Interval
	// Units is how many units of a pool are closed, or how many units or servers are added. If
	// servers are named, 0 stands for their number.
	Units int64
	// Servers names the servers that are closed. A schedule that adds servers gives them the next
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
	// Servers names the servers that are closed, or gone, while a reservation holds them, in
	// ascending order; nil if the schedule counts units only.
	Servers []int
}

// String names the time, and the servers or units that are missing.
func (o Overbooking) String() string { return Offer(o).String() }

// Closable is a Schedule whose capacity changes. Use View and Update for one behind Locked.
//
// The capacity at a tick is the initial capacity, plus the extensions of that tick, minus its
// closures, and never less than 0. Closures may overlap, also on one server: the server is open
// where no closure covers it. Closures may lie beyond the horizon.
//
// A closure is never refused because units are booked. A reservation stays where a closure meets
// it, and the stretch is overbooked. Nothing is free there, and units that a Release gives back
// stay closed. A Rebook may keep the units that the reservation has on the stretch, but gains
// none. For a reservation to give up closed servers, its request must name the others. Overbooked
// lists the overbooked stretches, and Displace clears them.
//
// If a closure lasts longer than planned, close again from its End on, under another ID.
//
// An added server keeps its index for ever, and is closed before and after its time. So close and
// open a server that comes and goes, rather than add it each time.
type Closable interface {
	Schedule

	// Close closes units of a pool, or servers by name, and returns the closure as it is
	// listed. The error wraps ErrInvalid.
	Close(c Closure) (Closure, error)

	// Extend adds c.Units units, or as many servers, for the time of c, and returns the
	// extension as it is listed. The error wraps ErrInvalid.
	Extend(c Closure) (Closure, error)

	// End ends a closure, or an extension, at a time that is not after its End. A time before now
	// counts as now. A closure that would be empty then is removed, as if it had never been. The
	// error is ErrNotFound if no closure has the ID, or the closure is over. It wraps ErrInvalid
	// if the time is after its End.
	End(id ClosureID, at Time) error

	// Closures yields the closures and extensions that are not over, by ID. The slices are the
	// caller's. Closures is a query.
	Closures() iter.Seq[Closure]

	// Overbooked yields the stretches of w in which more is booked than there is, by start. The
	// stretches do not overlap, and two that touch differ. Overbooked is a query: the loop may be
	// repeated, by any number of goroutines, but nothing may change meanwhile.
	Overbooked(w Interval) iter.Seq[Overbooking]
}
