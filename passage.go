package bookahead

import (
	"cmp"
	"slices"
)

// Passage lists the reservations that start or end during an Advance. A reservation may be in
// both lists. The slices are the caller's.
type Passage struct {
	// Started are the reservations that start after the old time and by the new one, by Start,
	// then by ID.
	Started []Reservation
	// Ended are the reservations that end after the old time and by the new one, by End, then by
	// ID.
	Ended []Reservation
}

// Advance moves the clock of k, and returns the reservations that start and end meanwhile, as
// they were before. A reservation that is booked to start at once is never listed as started, as
// it has started when it is booked.
//
// Errors are those of k.Advance; the Passage is empty then. Advance takes k.Advance, and
// ReservationsOn for the time that passes: O(log n + m log m) for m of n reservations while a
// Tracker has its index on, and O(n + m log m) otherwise. Both run under one write lock if k is
// Locked.
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
	// Reservations that start at the end of w are passed too. Nothing starts at MaxTime.
	reach := Interval{w.Start, min(w.End, MaxTime-1) + 1}
	for res := range ReservationsOn(k, reach, nil) {
		if inside(res.Start) {
			p.Started = append(p.Started, res)
		}
		if inside(res.End) {
			p.Ended = append(p.Ended, res)
		}
	}
	// A reservation in both lists has one slice of servers. The caller may write to either list.
	for i := range p.Ended {
		p.Ended[i].Servers = slices.Clone(p.Ended[i].Servers)
	}
	slices.SortFunc(p.Ended, func(a, b Reservation) int {
		return cmp.Or(cmp.Compare(a.End, b.End), cmp.Compare(a.ID, b.ID))
	})
	return p
}
