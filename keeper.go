package bookahead

import "iter"

// Keeper is a Schedule that lists its limits and its reservations, and can change a reservation
// in place. Every structure in docs/abilities.md is a Keeper, also behind Locked.
type Keeper interface {
	Schedule

	// Frame returns the limits of the schedule. It is a query.
	Frame() Frame

	// Reservation returns the reservation of an ID. It is a query. The error is
	// ErrNotFound if the ID is not booked, or its reservation has ended.
	Reservation(id ID) (Reservation, error)

	// Reservations yields the reservations that overlap w and have not ended, by start, then by
	// ID. Every reservation that has not ended overlaps Frame().Window(). The slices are the
	// caller's. Reservations is a query: the loop may be repeated, by any number of goroutines,
	// but nothing may be booked or released meanwhile.
	Reservations(w Interval) iter.Seq[Reservation]

	// SearchFor returns the offer that Rebook would book, and books nothing.
	SearchFor(id ID, r Request) (Offer, error)

	// Rebook books a reservation anew under the same ID. The units that it holds count as free,
	// and are given back. An error leaves the reservation unchanged.
	//
	// If the reservation has not begun, Rebook places it as Reserve would place r. A fixed
	// request therefore names the only place that the reservation can get.
	//
	// A running reservation keeps its Start: r.Ready is not read, and r.Duration counts from the
	// Start. The request is invalid if the reservation would end by now. To move a running
	// reservation, release it and reserve again.
	//
	// If servers are known, r.Servers are the servers that the reservation may hold afterwards;
	// nil allows every server. The reservation keeps as many of its own servers as it can: those
	// that are allowed and free throughout, and the lowest of these if it needs fewer. Any
	// further servers are those that Reserve would choose. A running reservation may gain servers
	// or give some up, but never swaps one for another: the error is ErrUnavailable where it
	// would have to. Added servers are held from now on, but the Start stays as it was.
	//
	// A Rebook that only gives back always succeeds: a fixed request inside the reservation's own
	// interval, for no more units, that rules out no server it holds. The reservation may also
	// keep its units and servers on an overbooked stretch.
	//
	// The error is ErrNotFound if the ID is not booked, or its reservation has ended;
	// ErrUnavailable if there is no place; otherwise it wraps ErrInvalid.
	Rebook(id ID, r Request) (Reservation, error)
}

// Frame is the limits of a schedule.
type Frame struct {
	// Now is the time of the clock; nothing starts before it.
	Now Time
	// Horizon is the end of the time that can be booked; MaxTime if the schedule has no horizon.
	Horizon Time
	// Capacity is the number of units, or servers, that one reservation can hold
	// now, if nothing else is booked.
	Capacity int64
	// Servers is how many servers the schedule knows, by index from 0; 0 for a pool. Servers
	// exceeds Capacity if no reservation can span all servers, if some are closed, or if some are
	// added from a later time on.
	Servers int
}

// Window returns the time that can be booked: [Now, Horizon).
func (f Frame) Window() Interval { return Interval{f.Now, f.Horizon} }

// Between returns the time between a ready time and a deadline that can be booked; a deadline of 0 stands for none. It is
// empty if there is none.
func (f Frame) Between(ready, deadline Time) Interval {
	w := f.Window()
	w.Start = max(w.Start, ready)
	if deadline != 0 {
		w.End = min(w.End, deadline)
	}
	return w
}

// FrameOf returns the limits of a schedule, and false if it has no method Frame. Every Keeper has
// one; another Schedule may have one too.
func FrameOf(s Schedule) (f Frame, ok bool) {
	ok = View(s, func(s interface{ Frame() Frame }) { f = s.Frame() })
	return f, ok
}

// Resize gives a reservation another time and size, on any servers. It is a Rebook to exactly
// that interval, with the costs and errors of Rebook. If the reservation is running, to.Start is
// not read. A Start in the past counts as now. The error also wraps ErrInvalid if to is empty.
func Resize(k Keeper, id ID, to Interval, units int64) (res Reservation, err error) {
	Update(k, func(k Keeper) {
		old, e := k.Reservation(id)
		if e != nil {
			err = e
			return
		}
		if to.Empty() {
			err = invalid("to", to, "is empty")
			return
		}
		now := k.Frame().Now
		start := max(to.Start, now)
		if old.Start <= now {
			start = old.Start
		}
		if to.End <= max(start, now) {
			err = invalid("to", to, "ends by now, or by the Start that stays")
			return
		}
		res, err = k.Rebook(id, At(start, Duration(to.End-start), units))
	})
	return res, err
}
