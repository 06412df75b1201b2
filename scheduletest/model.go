package scheduletest

import (
	"math/rand/v2"

	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// model runs random operations on a fresh schedule and on the oracle side by
// side. It adds their number to *ops.
func model(t *rapid.T, target Target, ops *int) {
	c := drawConfig(t, target)
	switch rapid.IntRange(0, 9).Draw(t, "late") { // near the end of the axis, where times may wrap around
	case 8: // here all times are in the last 64 ticks
		c.Origin = bookahead.MaxTime - 40
		c.Horizon = min(c.Horizon, 40)
	case 9:
		c.Origin = bookahead.MaxTime - 400
	}
	newMachine(t, target, c, ops).repeat(t)
}

// repeat runs random operations.
func (m *machine) repeat(t *rapid.T) {
	actions := map[string]func(*rapid.T){
		"":          m.verify,
		"search":    m.search,
		"reserve":   m.reserve,
		"reserve 2": m.reserve, // an action is drawn by its name: more names, more reservations
		"reserve 3": m.reserve,
		"release":   m.release,
		"range":     m.rangeQuery,
		"advance":   m.advance,
		"misuse":    m.misuse,
		"openings":  m.openings,
		"offers":    m.offers,
		"latest":    m.latest,
		"blocks":    m.blocks,
		"clone":     m.clone,
		"rebook":    m.rebook,
		"rebook 2":  m.rebook,
		"searchFor": m.searchFor,
		"explain":   m.explain,
		"list":      m.list,
		"snapshot":  m.snapshot,
	}
	m.changing(t, actions)
	t.Repeat(actions)
}

// crowded books a few hundred reservations before it runs a few more operations: structures
// change their shape as they grow. A seed draws the operations, since rapid would find little to
// shorten.
func crowded(t *rapid.T, target Target, ops *int) {
	n := rapid.IntRange(50, 600).Draw(t, "reservations")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	length := int64(4 * n)
	c := Config{Capacity: rapid.SampledFrom([]int64{9, 70}).Draw(t, "capacity"), Horizon: bookahead.Duration(2 * length)}
	m := newMachine(t, target, c, ops)
	w := m.worlds[0]
	reserve := func() {
		m.book(t, w, bookahead.Request{
			Ready:    w.o.Now() + bookahead.Time(rng.Int64N(length)),
			Duration: bookahead.Duration(1 + rng.Int64N(12)),
			Units:    1 + rng.Int64N(c.Capacity/2),
		})
	}
	for range n {
		reserve()
	}
	for range 60 {
		live := w.o.List()
		switch rng.IntN(8) {
		case 0, 1, 2:
			if len(live) > 0 {
				m.releaseID(t, w, live[rng.IntN(len(live))].ID)
			}
		case 3, 4:
			reserve()
		case 5:
			m.advanceTo(t, w, w.o.Now()+bookahead.Time(rng.Int64N(length/50)))
		case 6, 7:
			if len(live) > 0 {
				old := live[rng.IntN(len(live))]
				if rng.IntN(2) == 0 {
					old = begunFirst(live)
				}
				r := bookahead.Request{
					Ready:    old.Start + bookahead.Time(rng.Int64N(7)-3),
					Duration: old.Len() + bookahead.Duration(rng.Int64N(13)-3),
					Units:    old.Units + rng.Int64N(3) - 1,
				}
				if rng.IntN(4) > 0 {
					r.Deadline = r.Ready + bookahead.Time(r.Duration)
				}
				m.searchAnew(t, w, old.ID, r)
				m.bookAnew(t, w, old.ID, r)
			}
		}
		mustBeSound(t, w.s)
	}
	m.verify(t)
}

// misuse puts an extreme value into a request, or makes a call that must fail. A request
// that turns out to be valid is searched for, but not booked: the oracle has a cell for
// each tick.
func (m *machine) misuse(t *rapid.T) {
	w := m.pick(t)
	r := m.request(t, w)
	extreme := rapid.SampledFrom([]int64{-1 << 63, -1, 0, m.Capacity + 1, 1 << 62, 1<<63 - 1}).Draw(t, "extreme")
	switch rapid.IntRange(0, 6).Draw(t, "misuse") {
	case 0:
		r.Ready = bookahead.Time(extreme)
	case 1:
		r.Deadline = bookahead.Time(extreme)
	case 2:
		r.Duration = bookahead.Duration(extreme)
	case 3:
		r.Units = extreme
	case 4:
		r.Servers = []int{int(int32(extreme))}
	case 5:
		now := w.o.Now() - 1
		err := w.s.Advance(now)
		m.did(t, "Advance(%d) = %v", now, err)
		sameError(t, err, bookahead.ErrInvalid)
		return
	case 6:
		win := drawWindow(t, w.o.Now())
		win.End = win.Start - drawTime(t, 0, 3, "backwards")
		m.compareRange(t, w, win, true)
		return
	}
	live := w.o.List()
	if len(live) > 0 && rapid.Bool().Draw(t, "anew") {
		id := live[rapid.IntRange(0, len(live)-1).Draw(t, "which")].ID
		if m.searchAnew(t, w, id, r) != nil {
			m.bookAnew(t, w, id, r)
		}
		return
	}
	if _, err := m.seek(t, w, r); err != nil {
		m.reserveAs(t, w, r, bookahead.Offer{}, err)
	}
}

// verify compares every tick of every world.
func (m *machine) verify(t *rapid.T) {
	for _, w := range m.worlds {
		m.verifyUntil(t, w, later(max(w.o.Busy(), later(w.o.Now(), span)), 2))
	}
}

// verifyUntil compares every tick before end.
func (m *machine) verifyUntil(t rapid.TB, w world, end bookahead.Time) {
	for tick := w.o.Now() - 1; tick < end; tick++ {
		m.compareRange(t, w, bookahead.Interval{Start: tick, End: tick + 1}, false)
	}
	compareState(t, w)
}

// compareState compares all that is not asked tick by tick, and checks the invariants.
func compareState(t rapid.TB, w world) {
	got, told := bookahead.FrameOf(w.s)
	want := w.o.Frame()
	if told && got != want {
		t.Fatalf("the frame is %+v, not %+v", got, want)
	}
	compareClosures(t, w)
	compareOverbooked(t, w, always)
	compareLive(t, w)
	mustBeSound(t, w.s)
}

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
