package idletree

import (
	"iter"

	"github.com/bookahead/bookahead"
)

// closable is what a Tree embeds: a schedule whose servers can be closed, and moved away from.
type closable struct{ schedule }

// Close implements bookahead.Closable. The idle periods of closed servers end where the closure
// begins. O(n (c + k log p)) for n servers with c closures each, and k of p idle periods each in the
// time of the closure.
func (x *closable) Close(c bookahead.Closure) (bookahead.Closure, error) { return x.s.Close(c) }

// Extend implements bookahead.Closable. There are never more than 1<<24 servers.
// O(n log p) for n servers, and p idle periods.
func (x *closable) Extend(c bookahead.Closure) (bookahead.Closure, error) { return x.s.Extend(c) }

// End implements bookahead.Closable. Costs are those of Close, for the time that opens or closes.
func (x *closable) End(id bookahead.ClosureID, at bookahead.Time) error { return x.s.End(id, at) }

// Closures implements bookahead.Closable. O(n) for n servers of all closures.
func (x *closable) Closures() iter.Seq[bookahead.Closure] { return x.s.Closures() }

// Overbooked implements bookahead.Closable. O(l + k log k) for l servers with closures, and k
// overbooked stretches of these servers in w.
func (x *closable) Overbooked(w bookahead.Interval) iter.Seq[bookahead.Overbooking] {
	return x.s.Overbooked(w)
}

// Overbooks implements bookahead.Displacer. O(n log k) for n servers of the reservation, each with k
// overbooked stretches.
func (x *closable) Overbooks(id bookahead.ID) bool { return x.s.Overbooks(id) }

// Lift implements bookahead.Displacer. It costs as much as Release, and so does back.
func (x *closable) Lift(id bookahead.ID) (back func() error, err error) { return x.s.Lift(id) }

// ReserveAs implements bookahead.Displacer.
func (x *closable) ReserveAs(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	return x.s.ReserveAs(id, r)
}

// Track implements bookahead.Tracker. O(n log n) for n reservations, once for each server.
func (x *closable) Track(on bool) { x.s.Track(on) }

// Live implements bookahead.Tracker. O(1).
func (x *closable) Live() (n int, ok bool) { return x.s.Live() }

// ReservationsOn implements bookahead.Tracker. With the index it takes O(log n) for each server named,
// and O(k log k) for k reservations.
func (x *closable) ReservationsOn(w bookahead.Interval, servers []int) iter.Seq[bookahead.Reservation] {
	return x.s.ReservationsOn(w, servers)
}
