package scheduletest

import (
	"cmp"
	"math"
	"slices"

	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest/internal/oracle"
)

// closable returns a history and its schedule, if that is Closable and a Keeper.
func closable(t *rapid.T, target Target, draw func(*rapid.T, Target) history) (h history, s varying, ok bool) {
	h = draw(t, target)
	s, ok = h.Schedule.(varying)
	return h, s, ok
}

// varying is a Keeper whose capacity changes.
type varying interface {
	bookahead.Keeper
	bookahead.Closable
}

// mustClose closes or extends, and fails if that returns an error.
func mustClose(t rapid.TB, s bookahead.Closable, c bookahead.Closure) bookahead.Closure {
	t.Helper()
	name, call := "Close", s.Close
	if c.Added {
		name, call = "Extend", s.Extend
	}
	got, err := call(ownServers(c))
	if err != nil {
		t.Fatalf("%s(%s): %v", name, inWords(c), err)
	}
	t.Logf("%s(%s)", name, inWords(got))
	return got
}

// everything returns the closure of all units or servers of a schedule.
func everything(h history, w bookahead.Interval) bookahead.Closure {
	c := bookahead.Closure{Interval: w}
	f := h.Schedule.(bookahead.Keeper).Frame()
	if f.Servers > 0 {
		for k := range f.Servers {
			c.Servers = append(c.Servers, k)
		}
	} else {
		c.Units = h.Capacity
	}
	return c
}

// drawGood draws a closure that is valid.
func drawGood(t *rapid.T, target Target, h history) bookahead.Closure {
	f := h.Schedule.(bookahead.Keeper).Frame()
	c := drawRoom(t, target, f, min(h.Capacity, oracle.MostUnits))
	if c.Empty() || c.End <= f.Now { // at the end of the axis
		c.Interval = bookahead.Interval{Start: f.Now, End: bookahead.MaxTime}
	}
	return c
}

// closuresCommute closes in two orders: all answers must be equal, except for the IDs of the
// closures.
func closuresCommute(t *rapid.T, target Target) {
	c := drawConfig(t, target)
	c.Capacity = min(c.Capacity, 100)
	s, err := target.New(c)
	sameError(t, err, nil)
	k, ok := s.(varying)
	if !ok {
		return
	}
	calls := drawScript(t, target, history{Schedule: s, Config: c, now: c.Origin})
	other, err := target.New(c)
	sameError(t, err, nil)
	calls.run(s, c.Origin)
	calls.run(other, c.Origin)
	h := history{Schedule: s, Config: c, now: k.Frame().Now, live: first(k.Reservations(always), 100)}
	f := k.Frame()
	if f.Servers > 0 {
		h.Capacity = int64(f.Servers)
	}
	var list []bookahead.Closure
	for range rapid.IntRange(1, 5).Draw(t, "closures") {
		list = append(list, drawGood(t, target, h))
	}
	for _, c := range list {
		mustClose(t, k, c)
	}
	for _, c := range rapid.Permutation(list).Draw(t, "order") {
		mustClose(t, other.(varying), c)
	}
	questions := drawQuestions(t, target, h)
	compareAnswers(t, questions, withoutIDs(ask(s, questions)), withoutIDs(ask(other, questions)))
}

// withoutIDs removes the IDs of closures from answers.
func withoutIDs(answers []answer) []answer {
	for i := range answers {
		list := answers[i].closures
		for k := range list {
			list[k].ID = 0
			slices.Sort(list[k].Servers)
		}
		slices.SortFunc(list, func(a, b bookahead.Closure) int { return cmp.Compare(inWords(a), inWords(b)) })
	}
	return answers
}

// endRestores closes and extends, and ends every closure before it has begun: every answer must
// be as before.
func endRestores(t *rapid.T, target Target) {
	h, s, ok := closable(t, target, drawHistory)
	if !ok || h.Capacity > oracle.MostUnits {
		return
	}
	questions := drawQuestions(t, target, h)
	before := ask(s, questions)
	var made []bookahead.Closure
	for range rapid.IntRange(1, 4).Draw(t, "closures") {
		c := drawGood(t, target, h)
		if rapid.IntRange(0, 2).Draw(t, "added") == 2 {
			c.Added, c.Servers, c.Units = true, nil, 1
		}
		made = append(made, mustClose(t, s, c))
	}
	for _, c := range rapid.Permutation(made).Draw(t, "order") {
		at := rapid.SampledFrom([]bookahead.Time{c.Start, c.Start, h.now, math.MinInt64}).Draw(t, "at")
		sameError(t, s.End(c.ID, at), nil)
		sameError(t, s.End(c.ID, at), bookahead.ErrNotFound)
	}
	for i := range before { // a server that was added keeps its index
		before[i].frame.Servers = s.Frame().Servers
	}
	compareAnswers(t, questions, before, ask(s, questions))
}

// freeAt returns the free units at each of the next ticks.
func freeAt(s bookahead.Schedule, now bookahead.Time) map[bookahead.Time]int64 {
	free := map[bookahead.Time]int64{}
	for t := now; t < later(now, 3*span); t++ {
		a, _ := s.RangeQuery(bookahead.Interval{Start: t, End: t + 1})
		free[t] = a.Free
	}
	return free
}

// noResurrection closes everything for a time, and releases reservations: no tick of that time
// may be free. Once the closure has been ended, all ticks of the reservations must be free.
func noResurrection(t *rapid.T, target Target) {
	h, s, ok := closable(t, target, drawQuiet)
	if !ok || h.Capacity > oracle.MostUnits || target.Slot > 1 {
		return // a slot gives back more than the reservation
	}
	want := freeAt(s, h.now)
	c := mustClose(t, s, everything(h, drawGood(t, target, h).Interval))
	for _, res := range h.live {
		if rapid.Bool().Draw(t, "released") {
			sameError(t, s.Release(res.ID), nil)
			for tick := max(res.Start, h.now); tick < res.End; tick++ {
				want[tick] += res.Units
			}
		}
	}
	for tick, n := range freeAt(s, h.now) {
		if c.Contains(tick) && n != 0 || !c.Contains(tick) && n != want[tick] {
			t.Fatalf("while %v is closed %d are free at %d, not %d outside of it", c.Interval, n, tick, want[tick])
		}
	}
	sameError(t, s.End(c.ID, c.Start), nil)
	for tick, n := range freeAt(s, h.now) {
		if n != want[tick] {
			t.Fatalf("after the end of %s %d are free at %d, not %d", inWords(c), n, tick, want[tick])
		}
	}
}

// overbookedIsExact adds up the reservations and the closures that a schedule lists, per tick and
// per server: exactly the missing units and servers must be overbooked.
func overbookedIsExact(t *rapid.T, target Target) {
	h, s, ok := closable(t, target, drawHistory)
	if !ok || target.Slot > 1 {
		return // a slot takes more than the reservation
	}
	booked := slices.Collect(s.Reservations(always))
	list := closuresOf(s)
	w := drawSpan(t, s.Frame())
	over := overbookedIn(s, w)
	for i, o := range over {
		touch := i > 0 && over[i-1].End == o.Start
		if o.Empty() || o.Units < 1 || o.Start < max(w.Start, h.now) || o.End > w.End || i > 0 && o.Start < over[i-1].End ||
			touch && o.Units == over[i-1].Units && slices.Equal(o.Servers, over[i-1].Servers) {
			t.Fatalf("the overbooked stretches in %v, from %d on, are %s", w, h.now, inWords(over))
		}
	}
	for tick := max(w.Start, h.now); tick < min(w.End, later(h.now, 5*span)); tick++ {
		var got bookahead.Overbooking
		for _, o := range over {
			if o.Contains(tick) {
				got = o
			}
		}
		n, servers := missing(target, h, booked, list, tick)
		if got.Units != n || !slices.Equal(got.Servers, servers) {
			t.Fatalf("at %d the overbooked units and servers are %d %v, not %d %v: closures %s, reservations %v", tick, got.Units, got.Servers, n, servers, inWords(list), booked)
		}
	}
}

// missing returns the units, and the servers, that are booked at a tick but not there.
func missing(target Target, h history, booked []bookahead.Reservation, list []bookahead.Closure, tick bookahead.Time) (n int64, servers []int) {
	closed, held := map[int]bool{}, map[int]bool{}
	for k := int(h.given); target.Servers && k < int(h.Capacity); k++ {
		closed[k] = true
	}
	given := h.given
	for _, added := range []bool{true, false} {
		for _, c := range list {
			if c.Added != added || !c.Contains(tick) {
				continue
			}
			for _, k := range c.Servers {
				closed[k] = !added
			}
			if added {
				given += c.Units
			} else {
				given = max(given-c.Units, 0)
			}
		}
	}
	for _, res := range booked {
		if res.Contains(tick) {
			n += res.Units
			for _, k := range res.Servers {
				held[k] = true
			}
		}
	}
	if !target.Servers {
		return max(0, n-given), nil
	}
	for k := range int(h.Capacity) {
		if held[k] && closed[k] {
			servers = append(servers, k)
		}
	}
	return int64(len(servers)), servers
}

// givingBackWhileClosed makes a reservation shorter and smaller where everything is closed.
func givingBackWhileClosed(t *rapid.T, target Target) {
	h, s, ok := closable(t, target, drawHistory)
	if !ok || len(h.live) == 0 || h.Capacity > oracle.MostUnits {
		return
	}
	mustClose(t, s, everything(h, drawGood(t, target, h).Interval))
	givesBack(t, target, h)
}

// openEndedStays closes everything until further notice, and lets the time go by.
func openEndedStays(t *rapid.T, target Target) {
	h, s, ok := closable(t, target, drawHistory)
	if !ok || h.Capacity > oracle.MostUnits {
		return
	}
	start := later(h.now, drawTime(t, 0, span, "start"))
	if start == bookahead.MaxTime {
		return
	}
	c := mustClose(t, s, everything(h, bookahead.Interval{Start: start, End: bookahead.MaxTime}))
	for range rapid.IntRange(1, 5).Draw(t, "advances") {
		h.advance(t, h.now+drawTime(t, 0, 2*span, "advance"))
		w := bookahead.Interval{Start: max(start, h.now), End: h.end()}
		if w.Empty() {
			continue
		}
		for _, w := range []bookahead.Interval{w, {Start: w.Start, End: w.Start + 1}, {Start: w.End - 1, End: w.End}} {
			if a, err := s.RangeQuery(w); err != nil || a.Free != 0 {
				t.Fatalf("at %d all is closed from %d on, but in %v %+v is free, %v", h.now, start, w, a, err)
			}
		}
		if !slices.ContainsFunc(closuresOf(s), func(x bookahead.Closure) bool { return sameClosure(x, c) }) {
			t.Fatalf("at %d %s is lost: %s", h.now, inWords(c), inWords(closuresOf(s)))
		}
	}
}

// trackingChangesNothing makes the same calls with an index and without.
func trackingChangesNothing(t *rapid.T, target Target) {
	c := drawConfig(t, target)
	one, err := target.New(c)
	sameError(t, err, nil)
	other, err := target.New(c)
	sameError(t, err, nil)
	tracker, ok := one.(bookahead.Tracker)
	if !ok {
		return
	}
	calls := drawScript(t, target, history{Schedule: one, Config: c, now: c.Origin})
	for i := range calls {
		calls[i].change.tracks = ""
	}
	late := rapid.IntRange(0, len(calls)).Draw(t, "switched on after")
	compareScripts(t, calls[:late], calls[:late].run(one, c.Origin), calls[:late].run(other, c.Origin))
	tracker.Track(true)
	now := tracker.Frame().Now
	compareScripts(t, calls[late:], calls[late:].run(one, now), calls[late:].run(other, now))
	h := history{Schedule: one, Config: c, now: tracker.Frame().Now, live: first(tracker.Reservations(always), 100)}
	questions := drawQuestions(t, target, h)
	want := ask(other, questions)
	compareAnswers(t, questions, want, ask(one, questions))
	if n, ok := tracker.Live(); !ok || n != len(slices.Collect(tracker.Reservations(always))) {
		t.Fatalf("Live returns %d, %t, not %v", n, ok, h.live)
	}
	tracker.Track(false)
	compareAnswers(t, questions, want, ask(one, questions))
	if _, ok := tracker.Live(); ok {
		t.Fatalf("Live returns true without an index")
	}
}

// displaceClears books by force. Afterwards nothing may be overbooked, and each reservation must
// be where the outcome says, or else where it was. An error must change nothing.
func displaceClears(t *rapid.T, target Target) {
	h := drawHistory(t, target)
	s, ok := h.Schedule.(bookahead.Displacer)
	if !ok {
		return
	}
	r := drawRequest(t, target, h.Capacity, h.now)
	f := force{Request: &r, Order: rapid.IntRange(0, 2).Draw(t, "order")}
	f.Spare = rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "spare")
	f.Again = rapid.SampledFrom([]int{0, 1, 2, 3}).Draw(t, "again")
	questions := drawQuestions(t, target, h)
	before := ask(s, questions)
	was := slices.Collect(s.Reservations(always))
	d, err := bookahead.Displace(s, f.full())
	if err != nil {
		compareAnswers(t, questions, before, ask(s, questions))
		return
	}
	over := overbookedIn(s, always)
	if len(over) > 0 {
		t.Fatalf("after Displace(%+v) = %+v these stretches are overbooked: %s", r, d, inWords(over))
	}
	want := map[bookahead.ID]bookahead.Reservation{d.Booked.ID: d.Booked}
	for _, res := range was {
		want[res.ID] = res
	}
	for _, m := range d.Moved {
		if !sameReservation(want[m.From.ID], m.From) {
			t.Fatalf("%v is moved, and was %v", m.From, want[m.From.ID])
		}
		want[m.To.ID] = m.To
	}
	for _, res := range d.Dropped {
		delete(want, res.ID)
	}
	is := slices.Collect(s.Reservations(always))
	for _, res := range is {
		if !sameReservation(res, want[res.ID]) {
			t.Fatalf("after Displace = %+v, %v is booked, not %v", d, res, want[res.ID])
		}
	}
	if len(is) != len(want) {
		t.Fatalf("after Displace = %+v, %v are booked, not %v", d, is, want)
	}
}
