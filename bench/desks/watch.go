package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// watch sees what every desk does: it counts the units of each tick itself, and judges each booking when its time is over.
// It knows how the parts of a booking belong together by their labels, and nothing else of desks or agents.
type watch struct {
	settings
	used   [][]int64        // of each desk, by tick: a ring
	done   []bookahead.Time // the ring of each desk is empty before
	fates  map[string]*fate
	stays  map[held]*stay
	wrong  []string
	counts counts
}

// ring is how many ticks ahead of the clock the watch can count.
const ring = 1 << 14

// held is a booking of one desk.
type held struct {
	desk int
	id   desk.BookingID
}

// stay is a part of a booking on a desk. Times are in milliseconds, and 0 if nothing has happened.
type stay struct {
	bookahead.Interval
	on                            *site
	units                         int64
	decides                       bool  // it is the part of the home
	since, committed, sure, ended int64 // ended: before its time
}

// fate is all parts of a booking.
type fate struct {
	parts               []*stay // the home first; nil as long as it has held nothing
	others              int     // besides the home, as it says
	home                int     // the desk that decides
	promised, regretted bool
}

// counts are what a run comes to.
type counts struct {
	finished [3]int  // agents, by their result
	again    [3]int  // tries before the last, by what ended them
	whole    int     // bookings
	unheard  int     // of these, whose agent had stopped before it heard
	lone     int     // bookings whose home is gone, and of which a part ran to its end: it could not hear of it
	vain     float64 // unit-ticks that were taken in vain, times the milliseconds for which they were
	all      float64 // the same of all that was taken
	doubts   []int64 // how long parts were in doubt
}

func newWatch(x settings) *watch {
	w := &watch{settings: x, fates: map[string]*fate{}, stays: map[held]*stay{}, done: make([]bookahead.Time, x.Desks)}
	for range x.Desks {
		w.used = append(w.used, make([]int64, ring))
	}
	return w
}

func (w *watch) fail(format string, args ...any) {
	w.wrong = append(w.wrong, fmt.Sprintf(format, args...))
}

// saw takes note of an event of a desk.
func (w *watch) saw(s *site, e desk.Event) {
	id := held{s.name, e.Booking}
	h := w.stays[id]
	switch e.What {
	case desk.WasBooked:
		w.begins(s, id)
	case desk.WasCommitted:
		h.committed = s.now
		if f := w.fates[s.key(e.Booking)]; f.parts[0] == h && s.clock() > h.Start {
			w.fail("desk %d decided booking %d after its start", s.name, e.Booking)
		}
	case desk.HasExpired, desk.WasCancelled:
		if e.What == desk.HasExpired && h.committed > 0 {
			w.fail("desk %d let booking %d expire after it was committed", s.name, e.Booking)
		}
		h.ended = s.now
		w.doubted(h, s.now)
		w.add(s, bookahead.Interval{Start: max(h.Start, s.desk.Now()), End: h.End}, -h.units)
		delete(w.stays, id)
	case desk.HasEnded:
		w.doubted(h, 1000*int64(h.End)-s.skew)
		delete(w.stays, id)
	}
}

// begins notes a hold, and when its booking will be judged.
func (w *watch) begins(s *site, id held) {
	k, err := s.desk.Booking(id.id)
	if err != nil || k.State != desk.Held {
		w.fail("desk %d booked %v, which is no hold", s.name, k)
	}
	h := &stay{Interval: k.Interval, on: s, units: k.Places[0].Units, since: s.now}
	w.stays[id] = h
	w.add(s, h.Interval, h.units)
	f := w.fates[k.Key]
	if f == nil {
		f = &fate{parts: make([]*stay, 1)}
		w.fates[k.Key] = f
		s.after(1000*int64(k.End+keep)-s.now, func() { w.judge(s.world, k.Key) })
	}
	home := linked(&k, "home")
	if len(home) > 0 {
		f.parts, f.home = append(f.parts, h), home[0]
	} else {
		h.decides = true
		f.parts[0], f.others, f.home = h, len(linked(&k, "also")), s.name
	}
	w.expects(s, h, s.now+w.Expiry)
}

// expects looks whether a hold is gone after its expiry, when its desk is there.
func (w *watch) expects(s *site, h *stay, until int64) {
	const margin = 3000 // ticks are rounded twice, and an agent's clock is not the desk's
	s.after(until-s.now+margin, func() {
		switch {
		case !s.up:
			w.expects(s, h, s.now)
		case h.ended == 0 && h.committed == 0:
			w.fail("desk %d still holds %v, %d ms after its expiry", s.name, h.Interval, s.now-until)
		}
	})
}

// settled notes that a part is no longer in doubt.
func (w *watch) settled(s *site, id desk.BookingID) {
	h := w.stays[held{s.name, id}]
	if h != nil && h.sure == 0 {
		h.sure = s.now
	}
}

// doubted counts how long a part that has ended was in doubt: until it was sure, or all the time.
func (w *watch) doubted(h *stay, end int64) {
	if h.committed > 0 && !h.decides {
		w.counts.doubts = append(w.counts.doubts, cmp.Or(h.sure, max(h.committed, end))-h.committed)
	}
}

// add counts units, tick by tick.
func (w *watch) add(s *site, x bookahead.Interval, units int64) {
	used, now := w.used[s.name], s.desk.Now()
	for ; w.done[s.name] < now; w.done[s.name]++ {
		used[w.done[s.name]%ring] = 0
	}
	if x.End > now+ring {
		w.fail("%v is too far away to be counted", x)
		return
	}
	for t := max(x.Start, now); t < x.End; t++ {
		used[t%ring] += units
		if used[t%ring] > w.Units || used[t%ring] < 0 {
			w.fail("desk %d has %d units at tick %d, and %d are used", s.name, w.Units, t, used[t%ring])
			return
		}
	}
}

func (w *watch) again(why result)    { w.counts.again[why]++ }
func (w *watch) finished(how result) { w.counts.finished[how]++ }

// promised notes that an agent was told that its booking is made, and regretted that the agent has cancelled it since. A booking is
// judged an hour after its end, so each agent has heard by then.
func (w *watch) promised(key string) {
	f := w.fates[key]
	if f == nil {
		w.fail("%s was promised, and no desk holds it", key)
		return
	}
	f.promised = true
}

func (w *watch) regretted(key string) {
	f := w.fates[key]
	if f != nil {
		f.regretted = true
	}
}

// judge looks at a booking whose time is over, as soon as all of its desks are there: all of its parts have run, or none has. A
// part alone may have run in one case only: it could not hear that its home is gone.
func (w *watch) judge(x *world, key string) {
	f := w.fates[key]
	var there []*stay
	for _, h := range f.parts {
		if h == nil {
			continue
		}
		if !h.on.up {
			x.after(60_000, func() { w.judge(x, key) })
			return
		}
		if h.ended == 0 && h.committed == 0 && h.on.desk.Now() >= h.End {
			w.fail("a part of %s was held to its end", key)
		}
		h.on.advance()
		there = append(there, h)
	}
	delete(w.fates, key)
	ran := slices.DeleteFunc(slices.Clone(there), func(h *stay) bool { return h.ended > 0 })
	for _, h := range there {
		if h.Interval != there[0].Interval {
			w.fail("the parts of %s lie at %v and at %v", key, there[0].Interval, h.Interval)
		}
		w.weigh(h, f)
	}
	home := f.parts[0]
	switch {
	case home != nil && home.ended == 0 && len(ran) == 1+f.others:
		w.counts.whole++
		if !f.promised {
			w.counts.unheard++
		}
	case home != nil && home.ended == 0:
		w.fail("%s has run at its home, and %d of its %d other parts", key, len(ran)-1, f.others)
	case f.promised && !f.regretted:
		w.fail("%s was promised, and has not run at its home", key)
	case len(ran) > 0:
		w.counts.lone++
		for _, h := range ran {
			w.excuse(x, key, f, h)
		}
	}
}

// hears is how long two desks that reach each other may take until one has heard of the other.
const hears = 60_000

// excuse fails if a part that has run alone could have heard that its home is gone.
func (w *watch) excuse(x *world, key string, f *fate, h *stay) {
	from, to, home := h.committed, 1000*int64(h.End)-h.on.skew, x.sites[f.home]
	if f.parts[0] != nil {
		from = max(from, f.parts[0].ended)
	}
	together := int64(0)
	for t := from; t < to; t += 1000 {
		together += 1000
		if h.on.wasAway(t) || home.wasAway(t) || x.apart(h.on.name, f.home, t) {
			together = 0
		}
		if together > hears {
			w.fail("a part of %s has run, and its home has been gone since %d", key, from)
			return
		}
	}
}

func (s *site) wasAway(t int64) bool {
	return slices.ContainsFunc(s.away, func(x bookahead.Interval) bool { return x.Contains(bookahead.Time(t)) })
}

// weigh counts what a part has taken from others, and for how long: in vain if its home never committed the booking.
func (w *watch) weigh(h *stay, f *fate) {
	end := h.ended
	if end == 0 {
		end = max(h.since, 1000*int64(h.End)-h.on.skew)
	}
	took := float64(h.units) * float64(h.End-h.Start) * float64(end-h.since)
	w.counts.all += took
	home := f.parts[0]
	if home == nil || home.committed == 0 {
		w.counts.vain += took
	}
}
