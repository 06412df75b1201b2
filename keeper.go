package bookahead

import "iter"

// Keeper is a Schedule that keeps its books open: it tells its limits and its
// reservations, and it can change a reservation in place. Every structure of this
// library is one, and so is each of them behind Locked.
type Keeper interface {
	Schedule

	// Frame returns the limits of the schedule. It is a query.
	Frame() Frame

	// Reservation returns the reservation of an ID. It is a query. The error is
	// ErrNotFound if the ID is not booked, or its reservation has ended.
	Reservation(id ID) (Reservation, error)

	// Reservations yields those that overlap w and have not ended, by start, then
	// by ID; all of them overlap Frame().Window(). The slices are the caller's. It
	// is a query: it can be ranged over again, and by any number of goroutines, but
	// nothing may be booked or released meanwhile.
	Reservations(w Interval) iter.Seq[Reservation]

	// SearchFor returns the offer that Rebook would book, and books nothing.
	SearchFor(id ID, r Request) (Offer, error)

	// Rebook books a reservation anew under the same ID. Its own use counts as
	// free, and is given back. An error leaves it as it was.
	//
	// A reservation that has not begun is placed as Reserve would place r. A fixed
	// request moves it nowhere else.
	//
	// A reservation that is running keeps its Start: r.Ready is not read, and
	// r.Duration counts from the Start. It is invalid if the reservation would end
	// by now. To move it is Release and Reserve.
	//
	// Servers, where they are known, are the set that it may hold afterwards; nil
	// allows every server. It keeps as many of its own as it can: those in the set
	// that are free throughout, and of these the lowest if it needs fewer. Further
	// servers are those that Reserve would choose. A running reservation may gain
	// servers or give some up, but never swaps one for another: where it would have
	// to, the error is ErrUnavailable. It holds added servers from now on, although
	// its Start stays.
	//
	// A Rebook that only gives back always succeeds: a fixed one inside the
	// reservation's own interval, for no more units, with no server ruled out. The
	// reservation may also keep what it has where more is booked than there is.
	// The error is ErrNotFound if the ID is not booked, or its reservation has
	// ended; ErrUnavailable; or wraps ErrInvalid.
	Rebook(id ID, r Request) (Reservation, error)
}

// Frame is the limits of a schedule.
type Frame struct {
	// Now is where the clock stands; nothing starts before.
	Now Time
	// Horizon is where bookings end; MaxTime if there is no other.
	Horizon Time
	// Capacity is the number of units, or servers, that one reservation can hold
	// now, if nothing else is booked.
	Capacity int64
	// Servers is how many servers the schedule knows, by index from 0; 0 if it is
	// a pool. It exceeds Capacity where no reservation can span them all, some are
	// closed, or some are added from a later time on.
	Servers int
}

// Window returns the time that can be booked: [Now, Horizon).
func (f Frame) Window() Interval { return Interval{f.Now, f.Horizon} }

// FrameOf returns the limits of a schedule, and false if it does not tell them. Every
// Keeper does; another Schedule may, by a method Frame.
func FrameOf(s Schedule) (f Frame, ok bool) {
	ok = View(s, func(s interface{ Frame() Frame }) { f = s.Frame() })
	return f, ok
}

// Resize gives a reservation another time and size, on any servers: it is a Rebook
// to exactly that interval, and the costs and errors are those of Rebook. Of a
// reservation that is running, to.Start is not read. A Start in the past counts as
// now. The error also wraps ErrInvalid if to is empty.
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
