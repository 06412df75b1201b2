package bookahead

import (
	"cmp"
	"slices"
)

// Passage is what an Advance has passed. A reservation may be in both lists. The slices are the
// caller's.
type Passage struct {
	// Started are the reservations that start after the old time and by the new one, by Start,
	// then by ID.
	Started []Reservation
	// Ended are those that end after the old time and by the new one, by End, then by ID.
	Ended []Reservation
}

// Advance moves the clock of k, and returns the reservations that start and end meanwhile, as
// they were before. A reservation that is booked to start at once has started then, and no
// Advance tells of it.
//
// Errors are those of k.Advance, and the Passage is empty then. It takes k.Advance, and the
// ReservationsOn the time that passes: O(log n + m log m) for m of n reservations while a
// Tracker has its index on, and O(n + m log m) otherwise. Both are done under one write lock
// if k is Locked.
func Advance(k Keeper, now Time) (p Passage, err error) {
	Update(k, func(k Keeper) {
		passed := passing(k, Interval{k.Frame().Now, now})
		err = k.Advance(now)
		if err == nil {
			p = passed
		}
	})
	return p, err
}

// passing returns the reservations that start and end after the start of w and by its end.
func passing(k Keeper, w Interval) (p Passage) {
	if w.Empty() {
		return p
	}
	inside := func(t Time) bool { return w.Start < t && t <= w.End }
	// Those that start at the end of w are passed too, but for MaxTime, where nothing starts.
	reach := Interval{w.Start, min(w.End, MaxTime-1) + 1}
	for res := range ReservationsOn(k, reach, nil) {
		if inside(res.Start) {
			p.Started = append(p.Started, res)
		}
		if inside(res.End) {
			p.Ended = append(p.Ended, res)
		}
	}
	// A reservation in both lists has one slice of servers. The caller may write to it.
	for i := range p.Ended {
		p.Ended[i].Servers = slices.Clone(p.Ended[i].Servers)
	}
	slices.SortFunc(p.Ended, func(a, b Reservation) int {
		return cmp.Or(cmp.Compare(a.End, b.End), cmp.Compare(a.ID, b.ID))
	})
	return p
}
