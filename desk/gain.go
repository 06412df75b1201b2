package desk

import (
	"math"
	"slices"

	"github.com/bookahead/bookahead"
)

// No waiting booking has a place before a Cancel, so a place that it has afterwards uses some of what is given back:
//
//	given back        ▒▒▒▒▒               2 units, and 5 are free then at most
//	wants 3     ├──────────────┤          may gain
//	wants 9     ├──────────────┤          more units than are free there: may not
//	wants 3                     ├────┤    another time: may not
//
// So most waiting bookings are passed over without a search, and if all are, the command needs no trial.
//
// A waiting booking may have a place if its search has used up its steps. Its next turn comes after any other command that may
// make room, such as the next Advance.

// given is a bound of what a booking gives back on the schedules for which a name stands. The zero value gives nothing.
type given struct {
	in    bookahead.Interval // a part lies here in part, or gains nothing
	units int64              // no more are free here at any tick afterwards
}

// join makes a bound that holds for two.
func (g given) join(o given) given {
	switch {
	case g.units == 0:
		return o
	case o.units == 0:
		return g
	}
	in := bookahead.Interval{Start: min(g.in.Start, o.in.Start), End: max(g.in.End, o.in.End)}
	return given{in, max(g.units, o.units)}
}

// gainers returns the waiting bookings that may gain a place by a command, in the order of their turns. It is false if any
// may: after other commands than a Cancel, or if a quota counts what is given back, or may let a booking in when others take
// units (jointWaits). O(p) for the p parts of all waiting bookings, if none is passed over by its turn alone.
func (b *books) gainers(c Command) (list []turn, known bool) {
	x, ok := actOf(c).(Cancel)
	if !ok || b.jointWaits() {
		return nil, false
	}
	k, err := b.live(x.ID)
	if err != nil || slices.ContainsFunc(b.rules, func(q *quotaRule) bool { return q.Counts(k.Owner, k.Labels) }) {
		return nil, false
	}
	back := b.givenBack(k)
	any := given{}
	for _, g := range back {
		any = g.join(any)
	}
	names := map[string]given{}
	for _, x := range b.waiting {
		if x.mayUse(any) && b.mayGain(x.id, back, names) {
			list = append(list, x)
		}
	}
	return list, true
}

// givenBack returns what a booking gives back when it is cancelled now, by schedule.
func (b *books) givenBack(k *Booking) map[int32]given {
	back := map[int32]given{}
	for i := range k.Places {
		in := k.Places[i].reserved()
		in.Start = max(in.Start, b.now)
		if in.Empty() {
			continue
		}
		units := int64(0) // of all parts there, which may lie side by side
		for j := range k.Places {
			if k.on[j] == k.on[i] {
				units += k.Places[j].Units
			}
		}
		at := b.schedules[k.on[i]]
		g := given{in, at.mostFree(in, units)}
		if at.terms != nil { // a part needs no time given back itself, if its buffer does
			g.in.Start -= bookahead.Time(min(at.terms.After, bookahead.Duration(g.in.Start)))
			g.in.End += bookahead.Time(min(at.terms.Before, bookahead.Duration(bookahead.MaxTime-g.in.End)))
		}
		back[k.on[i]] = g.join(back[k.on[i]])
	}
	return back
}

// mostFree returns how many units are free at most at a tick of w, and so many more; no bound if that is not known after a
// few steps.
func (s *schedule) mostFree(w bookahead.Interval, more int64) int64 {
	const few = 64
	if _, pool := s.kind.(Pool); !pool {
		return math.MaxInt64
	}
	steps, ok := bookahead.Steps(s.Keeper(), w)
	if !ok {
		return math.MaxInt64
	}
	most, n := int64(0), 0
	for x := range steps {
		most = max(most, x.Free)
		n++
		if n == few {
			return math.MaxInt64
		}
	}
	return most + min(more, math.MaxInt64-most)
}

// mayUse reports whether a turn may use what is given back, as far as the turn itself says.
func (x turn) mayUse(g given) bool {
	return x.units <= g.units && x.ready < g.in.End && x.deadline > g.in.Start
}

// mayGain reports whether a part of a waiting booking may use what is given back. It keeps the bound of each name.
func (b *books) mayGain(id BookingID, back map[int32]given, names map[string]given) bool {
	k, _ := b.booking(id)
	x := turnOf(k)
	for _, shape := range k.Shapes {
		for i := range shape {
			p := &shape[i]
			g, known := names[p.On]
			if !known {
				for _, on := range b.behind(p.On) {
					g = g.join(back[on])
				}
				names[p.On] = g
			}
			x.units = k.fewest(p)
			if x.mayUse(g) {
				return true
			}
		}
	}
	return false
}

// likeness is what a request of one part asks for. Of two that are alike, the second has no place if the first has none, unless
// there are quotas or terms, which may tell them apart by more.
type likeness struct {
	on              string
	units           int64
	duration        bookahead.Duration
	ready, deadline bookahead.Time
}

// likenessOf returns what a request asks for; false if more of it counts.
func (b *books) likenessOf(r *Request) (likeness, bool) {
	if len(b.rules) > 0 || r.bent() || len(r.Shapes) != 1 || len(r.Shapes[0]) != 1 {
		return likeness{}, false
	}
	p := &r.Shapes[0][0]
	at := b.schedules[b.names[p.On]]
	if at.terms != nil || at.of != nil || p.Offset != 0 || p.Servers != nil || p.Tasks != nil {
		return likeness{}, false
	}
	return likeness{p.On, p.Units, p.Duration, max(r.Ready, b.now), r.Deadline}, true
}
