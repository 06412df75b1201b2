package bookahead

import (
	"iter"
	"slices"
)

// Tracker is a Keeper that can keep an index of where its reservations lie. To list the
// reservations in the way of a window, use the function ReservationsOn, which sees through
// Locked.
type Tracker interface {
	Keeper

	// Track switches the index on or off. It is a write, and changes no answer. A clone has an
	// index if its original has. A snapshot has none: a schedule that reads a snapshot keeps its
	// index switched on or off as before, and indexes the reservations it has read. Switching on
	// takes O(n log n) for n reservations.
	Track(on bool)

	// Live returns the number of reservations that have not ended, and true, while the index
	// is on; otherwise false. O(1).
	Live() (n int, ok bool)

	// ReservationsOn yields the reservations that overlap w, have not ended, and hold one of the
	// servers, by start, then by ID; nil servers stand for all. Servers that the schedule does
	// not have hold nothing. The slices are the caller's. ReservationsOn is a query, as
	// Reservations is. With the index it takes O(log n + k) for k of n reservations that begin
	// one after another, O(k log n) at worst, and O(log n) besides for each server that is named.
	// Without the index it scans all reservations.
	ReservationsOn(w Interval, servers []int) iter.Seq[Reservation]
}

// ReservationsOn yields the reservations of k that overlap w, have not ended, and hold one of the
// servers, by start, then by ID; nil servers stand for all. A Tracker finds them by its index,
// while the index is on. Otherwise ReservationsOn scans k.Reservations. The reservations of a
// schedule behind Locked are collected under the read lock, when the loop begins.
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
// servers and a reservation that holds n.
func (r Reservation) on(servers []int) bool {
	return servers == nil || slices.ContainsFunc(servers, func(k int) bool {
		_, held := slices.BinarySearch(r.Servers, k)
		return held
	})
}
