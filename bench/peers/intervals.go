package main

import (
	"cmp"
	"math"
	"slices"

	"github.com/rdleal/intervalst/interval"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/trace"
)

// intervals keeps the bookings themselves in an interval tree of rdleal/intervalst, which finds
// all that overlap a window. The units that are in use are added up for each window anew.
type intervals struct {
	booked   *interval.SearchTree[booking, edge]
	capacity int64
	now      bookahead.Time
	changes  []change // room for those of a window
}

// edge is an end of an interval of the tree. Its ID keeps equal intervals apart. The intervals of
// the tree hold both their ends, and the ID makes them half-open.
type edge struct {
	at bookahead.Time
	id bookahead.ID
}

// before and behind stand before and behind all bookings that have an edge at the same time.
const (
	before bookahead.ID = 0
	beyond bookahead.ID = math.MaxInt64
)

type booking struct {
	bookahead.Offer
	id bookahead.ID
}

// change is a change of the units in use at a time.
type change struct {
	at    bookahead.Time
	units int64
}

func newIntervals(h trace.Header, booked []bookahead.Offer) (room, error) {
	v := &intervals{capacity: h.Capacity, now: h.Origin}
	v.booked = interval.NewSearchTree[booking](func(a, b edge) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id)) })
	for k, o := range booked {
		v.Take(bookahead.ID(k+1), o)
	}
	return v, nil
}

// overlapping returns the bookings that hold a tick from start on and before end.
func (v *intervals) overlapping(start, end bookahead.Time) []booking {
	all, _ := v.booked.AllIntersections(edge{start, beyond}, edge{end, before})
	return all
}

// Search tries one window after the other. O(k log k) for the k bookings that overlap each.
func (v *intervals) Search(first, last, d bookahead.Time, n int64) (bookahead.Time, bool) {
	for t := first; t <= last; {
		next := v.later(t, t+d, n)
		if next == t {
			return t, true
		}
		t = next
	}
	return 0, false
}

// later returns start if n units are free in the window. Otherwise it returns the next start that
// is worth a try: the end of the last stretch of the window with too few units.
//
//	capacity 4, n = 2      window [0, 10): 3 units are in use from 2 to 5
//	                       later = 5, as each window that begins before holds tick 4
//
// If that stretch reaches the end of the window, units come back at the end of one of the bookings there:
// bookings that begin behind the window can only take more.
func (v *intervals) later(start, end bookahead.Time, n int64) bookahead.Time {
	v.changes = v.changes[:0]
	for _, b := range v.overlapping(start, end) {
		v.changes = append(v.changes, change{max(b.Start, start), b.Units}, change{b.End, -b.Units})
	}
	slices.SortFunc(v.changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	used, next, blocked := int64(0), start, false
	for i := 0; i < len(v.changes); {
		at := v.changes[i].at
		if blocked {
			next, blocked = at, false
		}
		if at >= end {
			break
		}
		for ; i < len(v.changes) && v.changes[i].at == at; i++ {
			used += v.changes[i].units
		}
		blocked = used > v.capacity-n
	}
	return next
}

// Take implements room. O(log n).
func (v *intervals) Take(id bookahead.ID, o bookahead.Offer) {
	err := v.booked.Insert(edge{o.Start, id}, edge{o.End, id}, booking{o, id})
	if err != nil {
		panic(err) // an interval that is empty
	}
}

// Give implements room. O(log n).
func (v *intervals) Give(id bookahead.ID, o bookahead.Offer, _ bookahead.Time) {
	v.remove(booking{o, id})
}

func (v *intervals) remove(b booking) {
	if err := v.booked.Delete(edge{b.Start, b.id}, edge{b.End, b.id}); err != nil {
		panic(err) // an interval that is empty
	}
}

// Forget removes the bookings that are over: they were running at some time since the last call.
func (v *intervals) Forget(now bookahead.Time) {
	for _, b := range v.overlapping(v.now, now) {
		if b.End <= now {
			v.remove(b)
		}
	}
	v.now = now
}
