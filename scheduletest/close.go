package scheduletest

import (
	"fmt"
	"math"
	"slices"

	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// changing adds the operations that change capacity and index, if a schedule has the abilities.
// In half of the runs it adds none: a schedule that is closed has few reservations, and some
// faults show only among many. Over all runs these operations are about a quarter.
func (m *machine) changing(t *rapid.T, into map[string]func(*rapid.T)) {
	s := m.worlds[0].s
	if !has[bookahead.Closable](s) && !has[bookahead.Tracker](s) || rapid.Bool().Draw(t, "quiet") {
		return
	}
	if has[bookahead.Closable](s) {
		into["close"] = m.close
		into["close 2"] = m.close
		into["close 3"] = m.close
		into["extend"] = m.extend
		into["extend 2"] = m.extend
		into["end"] = m.endOne
		into["end 2"] = m.endOne
		into["overbooked"] = m.overbooked
		into["closures"] = m.closures
	}
	if has[bookahead.Tracker](s) {
		into["track"] = m.track
		into["track 2"] = m.track
		into["reservationsOn"] = m.reservationsOn
		into["reservationsOn 2"] = m.reservationsOn
	}
	if has[bookahead.Displacer](s) {
		into["displace"] = m.displace
		into["displace 2"] = m.displace
		into["displace 3"] = m.displace
	}
}

// drawSpan draws the time of a closure: near now, across the horizon, beyond it, or until
// further notice.
func drawSpan(t *rapid.T, f bookahead.Frame) bookahead.Interval {
	edge := f.Horizon
	if edge == bookahead.MaxTime {
		edge = later(f.Now, span)
	}
	switch rapid.IntRange(0, 9).Draw(t, "where") {
	default:
		return drawWindow(t, f.Now)
	case 5, 6:
		return bookahead.Interval{Start: later(f.Now, drawTime(t, -4, span, "from")), End: bookahead.MaxTime}
	case 7:
		return bookahead.Interval{Start: edge - drawTime(t, 1, 12, "before the horizon"), End: later(edge, drawTime(t, 1, 12, "beyond it"))}
	case 8:
		start := later(edge, drawTime(t, 0, 6, "beyond the horizon"))
		return bookahead.Interval{Start: start, End: later(start, drawTime(t, 1, 12, "for"))}
	case 9:
		return bookahead.Interval{Start: math.MinInt64, End: later(f.Now, drawTime(t, 1, span, "until"))}
	}
}

// drawClosure draws a closure that is seldom invalid.
func drawClosure(t *rapid.T, target Target, f bookahead.Frame, capacity int64) bookahead.Closure {
	c := drawRoom(t, target, f, capacity)
	if rapid.IntRange(0, 9).Draw(t, "hostile") == 9 {
		c = spoilClosure(t, c, f)
	}
	return c
}

// drawRoom draws a closure of a few units, of all units, or of more; or of a few neighbouring
// servers, so that closures of one server overlap.
func drawRoom(t *rapid.T, target Target, f bookahead.Frame, capacity int64) bookahead.Closure {
	c := bookahead.Closure{Interval: drawSpan(t, f)}
	if target.Servers {
		first := rapid.IntRange(0, f.Servers-1).Draw(t, "first server")
		for k := range rapid.IntRange(1, min(f.Servers, 4)).Draw(t, "servers") {
			c.Servers = append(c.Servers, (first+k)%f.Servers)
		}
		if rapid.Bool().Draw(t, "counted") {
			c.Units = int64(len(c.Servers))
		}
	} else {
		c.Units = capacity
		if rapid.IntRange(0, 3).Draw(t, "all") < 3 {
			c.Units = rapid.Int64Range(1, capacity+min(3, math.MaxInt64-capacity)).Draw(t, "units")
		}
	}
	return c
}

// spoilClosure puts an extreme value into a closure. Some values change nothing.
func spoilClosure(t *rapid.T, c bookahead.Closure, f bookahead.Frame) bookahead.Closure {
	switch rapid.IntRange(0, 5).Draw(t, "misuse") {
	case 0:
		c.Units = rapid.SampledFrom([]int64{math.MinInt64, -1, 0, 1 << 61, 1 << 62, 1<<62 + 1, math.MaxInt64}).Draw(t, "extreme units")
	case 1:
		c.Servers = rapid.SampledFrom([][]int{nil, {-1}, {f.Servers}, {0, 0}, {0, math.MaxInt}}).Draw(t, "extreme servers")
	case 2:
		c.Start, c.End = c.End, c.Start
	case 3:
		c.Interval = bookahead.Interval{Start: math.MinInt64, End: f.Now}
	case 4:
		c.Interval = always
	case 5:
		c.ID, c.Added = 7, true // neither is read
	}
	return c
}

// drawExtension draws an extension by a few units or servers.
func drawExtension(t *rapid.T, f bookahead.Frame) bookahead.Closure {
	c := bookahead.Closure{Interval: drawSpan(t, f), Units: rapid.Int64Range(1, 3).Draw(t, "added")}
	if rapid.IntRange(0, 9).Draw(t, "hostile") == 9 {
		c = spoilClosure(t, c, f)
	}
	return c
}

func (m *machine) close(t *rapid.T) {
	w := m.pick(t)
	m.vary(t, w, drawClosure(t, m.target, w.o.Frame(), m.Capacity), false)
}

func (m *machine) extend(t *rapid.T) {
	w := m.pick(t)
	f := w.o.Frame()
	if f.Servers > int(m.Capacity)+12 && m.target.Servers {
		return // the oracle has a cell for each server
	}
	m.vary(t, w, drawExtension(t, f), true)
}

// ownServers returns a closure with Servers of its own.
func ownServers(c bookahead.Closure) bookahead.Closure {
	c.Servers = slices.Clone(c.Servers)
	return c
}

// vary closes, or extends, and compares the answer with the oracle's.
func (m *machine) vary(t rapid.TB, w world, c bookahead.Closure, added bool) {
	given := ownServers(c)
	var got bookahead.Closure
	var err error
	name, want, wantErr := "Close", bookahead.Closure{}, error(nil)
	if added {
		name = "Extend"
		bookahead.Update(w.s, func(s bookahead.Closable) { got, err = s.Extend(given) })
		want, wantErr = w.o.Extend(c)
	} else {
		bookahead.Update(w.s, func(s bookahead.Closable) { got, err = s.Close(given) })
		want, wantErr = w.o.Close(c)
	}
	m.did(t, "%s(%s) = %s, %v", name, inWords(c), inWords(got), err)
	sameError(t, err, wantErr)
	if !slices.Equal(given.Servers, c.Servers) {
		t.Fatalf("the servers %v of the closure have become %v", c.Servers, given.Servers)
	}
	if err == nil && !sameClosure(got, want) {
		t.Fatalf("the closure is %s, not %s", inWords(got), inWords(want))
	}
	for _, kept := range [][]int{given.Servers, got.Servers} {
		for i := range kept {
			kept[i] = -1
		}
	}
}

// sameClosure compares closures, whatever the order of their servers.
func sameClosure(a, b bookahead.Closure) bool {
	return a.ID == b.ID && a.Interval == b.Interval && a.Units == b.Units && a.Added == b.Added &&
		slices.Equal(slices.Sorted(slices.Values(a.Servers)), slices.Sorted(slices.Values(b.Servers)))
}

// endOne ends a closure, mostly one that exists.
func (m *machine) endOne(t *rapid.T) {
	w := m.pick(t)
	id, at := drawEnd(t, slices.Collect(w.o.Closures()), w.o.Now())
	m.endAt(t, w, id, at)
}

func drawEnd(t *rapid.T, live []bookahead.Closure, now bookahead.Time) (bookahead.ClosureID, bookahead.Time) {
	id := bookahead.ClosureID(rapid.Uint64Range(0, 20).Draw(t, "closure")) // known or not
	at := later(now, drawTime(t, -4, span, "at"))
	if len(live) == 0 || rapid.IntRange(0, 9).Draw(t, "which") == 9 {
		return id, at
	}
	c := live[int(id)%len(live)]
	edges := []bookahead.Time{at, at, now, math.MinInt64, c.Start, later(c.Start, 1), c.End, later(c.End, 1), c.End - 1}
	if c.End-now > 10*span { // the oracle goes from tick to tick
		edges = edges[:len(edges)-1]
	}
	return c.ID, rapid.SampledFrom(edges).Draw(t, "end")
}

func (m *machine) endAt(t rapid.TB, w world, id bookahead.ClosureID, at bookahead.Time) {
	var err error
	bookahead.Update(w.s, func(s bookahead.Closable) { err = s.End(id, at) })
	m.did(t, "End(%d, %d) = %v", id, at, err)
	sameError(t, err, w.o.End(id, at))
}

// closures compares the closures.
func (m *machine) closures(t *rapid.T) {
	w := m.pick(t)
	m.did(t, "Closures() = %s", inWords(closuresOf(w.s)))
	compareClosures(t, w)
}

func compareClosures(t rapid.TB, w world) {
	bookahead.View(w.s, func(s bookahead.Closable) {
		want := closuresOf(w.o)
		for range 2 { // the slices are ours, and it can be ranged over again
			got := slices.Collect(s.Closures())
			if !slices.EqualFunc(got, want, sameClosure) {
				t.Fatalf("the closures are %s, not %s", inWords(got), inWords(want))
			}
			for _, c := range got {
				for i := range c.Servers {
					c.Servers[i] = -1
				}
			}
		}
		for range s.Closures() {
			break // leaving early must be safe
		}
	})
}

// closuresOf returns the closures of a schedule; none if it lacks the ability.
func closuresOf(s bookahead.Schedule) (list []bookahead.Closure) {
	bookahead.View(s, func(s bookahead.Closable) { list = slices.Collect(s.Closures()) })
	return list
}

// overbookedIn returns the stretches of w that are overbooked.
func overbookedIn(s bookahead.Schedule, w bookahead.Interval) (list []bookahead.Overbooking) {
	bookahead.View(s, func(s bookahead.Closable) { list = slices.Collect(s.Overbooked(w)) })
	return list
}

// inWords formats closures and similar values with all their fields. Without it, each would be
// formatted as its Interval.
func inWords(v any) string {
	switch v := v.(type) {
	case bookahead.Closure:
		return fmt.Sprintf("{#%d %v %d %v added=%t}", v.ID, v.Interval, v.Units, v.Servers, v.Added)
	case bookahead.Overbooking:
		return fmt.Sprintf("{%v %d %v}", v.Interval, v.Units, v.Servers)
	case []bookahead.Closure:
		return listInWords(v)
	case []bookahead.Overbooking:
		return listInWords(v)
	}
	return fmt.Sprintf("%+v", v)
}

func listInWords[E any](list []E) string {
	words := make([]string, len(list))
	for i, e := range list {
		words[i] = inWords(e)
	}
	return fmt.Sprint(words)
}

// overbooked compares the overbooked stretches of a window.
func (m *machine) overbooked(t *rapid.T) {
	w := m.pick(t)
	win := drawSpan(t, w.o.Frame())
	if rapid.IntRange(0, 9).Draw(t, "empty") == 9 {
		win.End = win.Start - drawTime(t, 0, 3, "backwards")
	}
	m.did(t, "Overbooked(%v) = %s", win, inWords(overbookedIn(w.s, win)))
	compareOverbooked(t, w, win)
}

func compareOverbooked(t rapid.TB, w world, win bookahead.Interval) {
	bookahead.View(w.s, func(s bookahead.Closable) {
		want := overbookedIn(w.o, win)
		seq := s.Overbooked(win)
		for range 2 { // it can be ranged over again
			got := slices.Collect(seq)
			if !slices.EqualFunc(got, want, sameOverbooking) {
				t.Fatalf("the overbooked stretches in %v are %s, not %s", win, inWords(got), inWords(want))
			}
		}
		for range seq {
			break // leaving early must be safe
		}
	})
}

func sameOverbooking(a, b bookahead.Overbooking) bool {
	return a.Interval == b.Interval && a.Units == b.Units && slices.Equal(a.Servers, b.Servers) && (a.Servers == nil) == (b.Servers == nil)
}

// track switches the index on or off.
func (m *machine) track(t *rapid.T) {
	m.trackWorld(t, m.pick(t), rapid.Bool().Draw(t, "on"))
}

func (m *machine) trackWorld(t rapid.TB, w world, on bool) {
	bookahead.Update(w.s, func(s bookahead.Tracker) { s.Track(on) })
	w.o.Track(on)
	m.did(t, "Track(%t)", on)
}

// reservationsOn compares the reservations that are in the way in a window, on some servers.
func (m *machine) reservationsOn(t *rapid.T) {
	w := m.pick(t)
	win := drawSpan(t, w.o.Frame())
	var servers []int
	if rapid.IntRange(0, 3).Draw(t, "on servers") > 0 && (m.target.Servers || rapid.IntRange(0, 3).Draw(t, "on a pool") == 3) {
		servers = []int{}
		for range rapid.IntRange(0, 3).Draw(t, "servers") {
			servers = append(servers, rapid.IntRange(-1, w.o.Frame().Servers).Draw(t, "server"))
		}
	}
	m.onServers(t, w, win, servers)
}

func (m *machine) onServers(t rapid.TB, w world, win bookahead.Interval, servers []int) {
	k, ok := w.s.(bookahead.Keeper)
	if !ok {
		return
	}
	given := slices.Clone(servers)
	seq := bookahead.ReservationsOn(k, win, given)
	got := slices.Collect(seq)
	m.did(t, "ReservationsOn(%v, %v) = %v", win, servers, got)
	want := slices.Collect(w.o.ReservationsOn(win, servers))
	if !slices.Equal(given, servers) {
		t.Fatalf("the servers %v have become %v", servers, given)
	}
	if !slices.EqualFunc(got, want, sameReservation) {
		t.Fatalf("the reservations on %v in %v are %v, not %v", servers, win, got, want)
	}
	overwrite(got) // the slices are ours
	again := slices.Collect(seq)
	if !slices.EqualFunc(again, want, sameReservation) {
		t.Fatalf("the reservations on %v in %v are %v, and the second time %v", servers, win, want, again)
	}
	for range seq {
		break // leaving early must be safe
	}
}

// compareLive compares the number of reservations, while it is known.
func compareLive(t rapid.TB, w world) {
	bookahead.View(w.s, func(s bookahead.Tracker) {
		n, ok := s.Live()
		want, on := w.o.Live()
		if ok != on || on && n != want {
			t.Fatalf("Live returns %d, %t, not %d, %t", n, ok, want, on)
		}
	})
}
