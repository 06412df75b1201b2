package bookahead

import "iter"

// Lister is a Schedule that can tell what is booked.
type Lister interface {
	Schedule

	// Reservations yields what is booked and has not ended, in the order of IDs,
	// as it was reserved, or resized last. The slices are the caller's. It is a
	// query: it can be ranged over again, and by any number of goroutines, but
	// nothing may be booked or released meanwhile.
	Reservations() iter.Seq[Reservation]

	// Reservation returns what is booked under an ID, as Reservations yields it. The
	// error is ErrNotFound if that is nothing, or has ended.
	Reservation(id ID) (Reservation, error)
}
