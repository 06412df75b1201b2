package bookahead

import (
	"iter"
	"slices"
)

// Tracker is a Keeper that can keep an index of where its reservations lie. Use the function
// ReservationsOn for those in the way of something, which sees through Locked.
type Tracker interface {
	Keeper

	// Track switches the index on or off. It is a write, and changes no answer. A clone has
	// an index if its original has. A snapshot has none: whoever reads it keeps the index
	// that it has, of what is read. O(n log n) for n reservations to switch it on.
	Track(on bool)

	// Live returns the number of reservations that have not ended, and true, while the index
	// is on; otherwise false. O(1).
	Live() (n int, ok bool)

	// ReservationsOn yields the reservations that overlap w, have not ended, and hold one of
	// the servers, by start, then by ID; nil servers stand for all. Servers that the schedule
	// has not hold nothing. The slices are the caller's. It is a query, as Reservations is.
	// While the index is on, it takes O(log n + k) for k of n reservations that begin one after
	// another, O(k log n) at worst, and O(log n) besides for each server that is named. Otherwise
	// it scans all.
	ReservationsOn(w Interval, servers []int) iter.Seq[Reservation]
}

// ReservationsOn yields the reservations of k that overlap w, have not ended, and hold one of
// the servers, by start, then by ID; nil servers stand for all. A Tracker finds them by its
// index, while that is on; otherwise it takes k.Reservations. Those of a schedule behind Locked
// it collects under the read lock, when they are ranged over.
func ReservationsOn(k Keeper, w Interval, servers []int) iter.Seq[Reservation] {
	if t, ok := k.(Tracker); ok {
		return t.ReservationsOn(w, servers)
	}
	return func(yield func(Reservation) bool) {
		var list []Reservation
		if !View(k, func(t Tracker) { list = slices.Collect(t.ReservationsOn(w, servers)) }) {
			for res := range k.Reservations(w) {
				if res.on(servers) {
					list = append(list, res)
				}
			}
		}
		slices.Values(list)(yield)
	}
}

// on reports whether a reservation holds one of the servers; nil stands for all. O(s log n) for s
// servers, of a reservation that holds n.
func (r Reservation) on(servers []int) bool {
	return servers == nil || slices.ContainsFunc(servers, func(k int) bool {
		_, held := slices.BinarySearch(r.Servers, k)
		return held
	})
}
