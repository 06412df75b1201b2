package desk

import (
	"cmp"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
)

// clash is a tick at which occurrences hold more units of a schedule together than an AddSchedule has given it.
type clash struct {
	on    int32
	tick  bookahead.Time // late by the shift
	units int64
}

// clashes returns where all occurrences of a series meet, however little is booked: their windows move together, and leave
// them too little room to get out of each other's way. An occurrence that is as long as its window, or nearly so, holds some
// ticks of it in every place:
//
//	window    ├──────────────┤
//	earliest  ████████████           the ticks that both have are held
//	latest       ████████████
//
// Only requests of one shape are looked at, on pools and servers. O(n p log n) for n occurrences of p parts.
func (x *placing) clashes() (list []clash) {
	if len(x.wish.Shapes) != 1 {
		return nil
	}
	held := map[int32][]shift{}
	for _, w := range x.at {
		r := x.wish.in(w)
		shape := r.Shapes[0]
		spare := w.End - w.Start - bookahead.Time(shape.least())
		for i := range shape {
			p := &shape[i]
			if p.Units > math.MaxInt64/int64(len(x.at)*len(shape)) {
				return nil // the sums may overflow
			}
			latest, end := w.Start+bookahead.Time(p.Offset)+spare, w.Start+bookahead.Time(p.Offset+p.Duration)
			if latest < end {
				on := x.names[p.On]
				held[on] = append(held[on], shift{latest, p.Units}, shift{end, -p.Units})
			}
		}
	}
	for on, at := range x.schedules {
		switch at.kind.(type) {
		case Pool, Servers:
			list = append(list, clashesOn(int32(on), at.given, held[int32(on)])...)
		}
	}
	return list
}

// clashesOn returns the ticks from which on changes of a sum keep it above a number of units.
func clashesOn(on int32, units int64, changes []shift) (list []clash) {
	slices.SortFunc(changes, func(a, b shift) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
	sum := int64(0)
	for _, s := range changes {
		sum += s.by
		if s.by > 0 && sum > units {
			list = append(list, clash{on, s.at, sum})
		}
	}
	return list
}

// spread returns the least shift, from a given one on, at which the schedules have units for all clashes, by extensions; false
// if there is none up to most. The answer is a lower bound: bookings may be in the way there. If the meter stops, so does the
// next search.
func (x *placing) spread(list []clash, shift, most bookahead.Duration) (bookahead.Duration, bool) {
	for i, agreed := 0, 0; agreed < len(list); i = (i + 1) % len(list) {
		if !x.meter.Spend(int64(1 + len(x.outages)*len(x.outages))) {
			break
		}
		c := &list[i]
		t, ok := x.hasUnits(c, c.tick+bookahead.Time(shift))
		if !ok || t-c.tick > bookahead.Time(most) {
			return 0, false
		}
		agreed++
		if bookahead.Duration(t-c.tick) > shift {
			shift, agreed = bookahead.Duration(t-c.tick), 1
		}
	}
	return shift, true
}

// hasUnits returns the first tick from t on at which a schedule has the units of a clash, with its extensions and without
// closures; false if there is none. O(k²) for k extensions.
func (b *books) hasUnits(c *clash, t bookahead.Time) (first bookahead.Time, ok bool) {
	at := b.schedules[c.on]
	extended := func(o *Outage) bool { return o.added && o.On == at.name }
	enough := func(t bookahead.Time) bool {
		lacks := c.units - at.given
		for i := range b.outages {
			o := &b.outages[i]
			if extended(o) && o.Contains(t) {
				lacks -= min(lacks, max(o.Units, int64(len(o.Servers))))
			}
		}
		return lacks <= 0
	}
	if enough(t) {
		return t, true
	}
	for i := range b.outages {
		o := &b.outages[i]
		if extended(o) && o.Start > t && (!ok || o.Start < first) && enough(o.Start) {
			first, ok = o.Start, true
		}
	}
	return first, ok
}
