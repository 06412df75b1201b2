package scheduletest

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

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
	spoilAll(given.Servers, got.Servers)
}

// endOne ends a closure, mostly one that exists.
func (m *machine) endOne(t *rapid.T) {
	w := m.pick(t)
	id, at := drawEnd(t, slices.Collect(w.o.Closures()), w.o.Now())
	m.endAt(t, w, id, at)
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
				spoilAll(c.Servers)
			}
		}
		for range s.Closures() {
			break // leaving early must be safe
		}
	})
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
