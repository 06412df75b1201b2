package bookahead

import "math/big"

// Usage returns how many unit-ticks, units times ticks, are booked and how many are free in w,
// cut to [now, horizon). Both are 0 if no part of w is left. The numbers are exact, also beyond
// 64 bits, and the caller's. Usage returns false if k is no Profiler.
//
// The units of a closure are neither booked nor free. On an overbooked stretch all booked units
// count as booked, and nothing is free. Where a reservation takes up whole slots, the rest of its
// slots is neither: the reservation counts for the time that it was booked for.
//
// Usage takes the Blocks of w and ReservationsOn w: O(v + n + k log k) for the pools of package
// carts, with v changes in w and k of n reservations, and without the n while a Tracker has its
// index on. A schedule behind Locked is held under its read lock.
func Usage(k Keeper, w Interval) (used, free *big.Int, ok bool) {
	type profiler interface {
		Keeper
		Profiler
	}
	ok = View(k, func(k profiler) {
		w := w.Intersect(k.Frame().Window())
		var booked, left area
		if !w.Empty() {
			for res := range ReservationsOn(k, w, nil) {
				booked = booked.plus(areaOf(res.Units, res.Intersect(w)))
			}
			for b := range k.Blocks(w) {
				left = left.plus(areaOf(b.Units, b.Interval))
			}
		}
		used, free = booked.big(), left.big()
	})
	return used, free, ok
}
