package idletree

import (
	"iter"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/servers"
)

var _ interface {
	bookahead.Displacer
	bookahead.Tracker
} = (*Tree)(nil)

// Close implements bookahead.Closable. The idle periods of closed servers end where the closure
// begins. O(n (c + k log p)) for n servers with c closures each, and k of p idle periods each in the
// time of the closure.
func (x *Tree) Close(c bookahead.Closure) (bookahead.Closure, error) { return x.s.Close(c) }

// Extend implements bookahead.Closable. There are never more than 1<<24 servers.
// O(n log p) for n servers, and p idle periods.
func (x *Tree) Extend(c bookahead.Closure) (bookahead.Closure, error) { return x.s.Extend(c) }

// End implements bookahead.Closable. Costs are those of Close, for the time that opens or closes.
func (x *Tree) End(id bookahead.ClosureID, at bookahead.Time) error { return x.s.End(id, at) }

// Closures implements bookahead.Closable. O(n) for n servers of all closures.
func (x *Tree) Closures() iter.Seq[bookahead.Closure] { return x.s.Closures() }

// Overbooked implements bookahead.Closable. O(l + k log k) for l servers with closures, and k
// overbooked stretches of these servers in w.
func (x *Tree) Overbooked(w bookahead.Interval) iter.Seq[bookahead.Overbooking] {
	return x.s.Overbooked(w)
}

// Overbooks implements bookahead.Displacer. O(n log k) for n servers of the reservation, each with k
// overbooked stretches.
func (x *Tree) Overbooks(id bookahead.ID) bool { return x.s.Overbooks(id) }

// Lift implements bookahead.Displacer. It costs as much as Release, and so does back.
func (x *Tree) Lift(id bookahead.ID) (back func() error, err error) { return x.s.Lift(id) }

// ReserveAs implements bookahead.Displacer.
func (x *Tree) ReserveAs(id bookahead.ID, r bookahead.Request) (bookahead.Reservation, error) {
	return x.s.ReserveAs(id, r)
}

// Adopt implements bookahead.Displacer. The clone must be a Tree. O(1), and the counts of views that
// are tracked are made anew.
func (x *Tree) Adopt(clone bookahead.Schedule) {
	counted := x.counted()
	*x = *clone.(*Tree)
	x.tree().recount(counted)
}

// Track implements bookahead.Tracker. O(n log n) for n reservations, once for each server.
func (x *Tree) Track(on bool) { x.s.Track(on) }

// Live implements bookahead.Tracker. O(1).
func (x *Tree) Live() (n int, ok bool) { return x.s.Live() }

// ReservationsOn implements bookahead.Tracker. With the index it takes O(log n) for each server named,
// and O(k log k) for k reservations.
func (x *Tree) ReservationsOn(w bookahead.Interval, servers []int) iter.Seq[bookahead.Reservation] {
	return x.s.ReservationsOn(w, servers)
}

// Free yields the parts of the idle periods of a server that lie in w.
func (x *tree) Free(server int, w bookahead.Interval) iter.Seq[bookahead.Interval] {
	return func(yield func(bookahead.Interval) bool) {
		for p := range x.idle[server].from(w.Start) {
			if p.Start >= w.End || !yield(p.Intersect(w)) {
				return
			}
		}
	}
}

// Grow adds calendars without idle periods.
func (x *tree) Grow(n int) { x.idle = append(x.idle, make([]calendar, n)...) }

var _ servers.Closer = (*tree)(nil)
