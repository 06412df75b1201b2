package carts

import (
	"iter"

	"github.com/bookahead/bookahead"
)

// Close implements bookahead.Closable. It takes as long as a Release, and O(c) for c closures.
// Where closures together close more units than there are, it takes a Release for each such
// stretch.
func (x *exact) Close(c bookahead.Closure) (bookahead.Closure, error) { return x.s.Close(c) }

// Extend implements bookahead.Closable. Costs are those of Close. For Indexed it takes O(v) once,
// when the pool grows beyond 1<<29 units. A pool can have 1<<61 units together with all its extensions
// that are not over, also if they do not overlap.
func (x *exact) Extend(c bookahead.Closure) (bookahead.Closure, error) { return x.s.Extend(c) }

// End implements bookahead.Closable. Costs are those of Close.
func (x *exact) End(id bookahead.ClosureID, at bookahead.Time) error { return x.s.EndClosure(id, at) }

// Closures implements bookahead.Closable.
func (x *exact) Closures() iter.Seq[bookahead.Closure] { return x.s.Closures() }

// Overbooked implements bookahead.Closable. For Indexed it takes O(log v) for each stretch; Flat
// and BTree go through the slots in w.
func (x *exact) Overbooked(w bookahead.Interval) iter.Seq[bookahead.Overbooking] {
	return x.s.Overbooked(w)
}

// Track implements bookahead.Tracker. O(n log n).
func (x *exact) Track(on bool) { x.s.Track(on) }

// Live implements bookahead.Tracker. O(1).
func (x *exact) Live() (n int, ok bool) { return x.s.Live() }

// ReservationsOn implements bookahead.Tracker. No reservation of a pool holds a server.
func (x *exact) ReservationsOn(w bookahead.Interval, servers []int) iter.Seq[bookahead.Reservation] {
	return x.s.ReservationsOn(w, servers)
}

// Overbooks implements bookahead.Displacer. For Indexed it takes O(log v); Flat and BTree go
// through the slots of the reservation.
func (x *exact) Overbooks(id bookahead.ID) bool { return x.s.Overbooks(id) }

// Lift implements bookahead.Displacer. It takes a Release. The function that it returns takes a
// RangeQuery and a Release.
func (x *exact) Lift(id bookahead.ID) (back func() error, err error) { return x.s.Lift(id) }

// ReserveAs implements bookahead.Displacer. It takes a Search and a Release.
func (x *exact) ReserveAs(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	return x.s.ReserveAs(id, r)
}
