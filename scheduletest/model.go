package scheduletest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"

	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest/internal/oracle"
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
		r := bookahead.Request{
			Ready:    w.o.Now() + bookahead.Time(rng.Int64N(length)),
			Duration: bookahead.Duration(1 + rng.Int64N(12)),
			Units:    1 + rng.Int64N(c.Capacity/2),
		}
		offer, err := m.seek(t, w, r)
		m.reserveAs(t, w, r, offer, err)
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
		if err := checkInvariants(w.s); err != nil {
			t.Fatalf("invariant: %v", err)
		}
	}
	m.verify(t)
}

// newMachine makes a schedule and the oracle for it.
func newMachine(t rapid.TB, target Target, c Config, ops *int) *machine {
	s, err := target.New(c)
	if err != nil {
		t.Fatalf("New(%+v): %v", c, err)
	}
	o, err := oracle.New(target.rules(c))
	if err != nil {
		t.Fatalf("oracle(%+v): %v", c, err)
	}
	t.Logf("New(%+v)", c)
	return &machine{target: target, Config: c, worlds: []world{{s, o}}, ops: ops}
}

// machine is the state of a model run: a few worlds, which begin as one, and part where a
// schedule is cloned. Every operation takes place in one of them.
type machine struct {
	target Target
	Config
	worlds []world
	ops    *int
}

// world is a schedule, and the oracle with which it must agree.
type world struct {
	s bookahead.Schedule
	o *oracle.Oracle
}

func (m *machine) pick(t *rapid.T) world { return *m.pickWorld(t) }

func (m *machine) pickWorld(t *rapid.T) *world {
	if len(m.worlds) == 1 {
		return &m.worlds[0]
	}
	return &m.worlds[rapid.IntRange(0, len(m.worlds)-1).Draw(t, "world")]
}

// did logs an operation; rapid shows the log of the shortest failing run.
func (m *machine) did(t rapid.TB, format string, args ...any) {
	*m.ops++
	t.Logf("op "+format, args...)
}

func (m *machine) request(t *rapid.T, w world) bookahead.Request {
	return drawRequest(t, m.target, w.o.Most(), w.o.Now())
}

func (m *machine) search(t *rapid.T) {
	w := m.pick(t)
	m.seek(t, w, m.request(t, w))
}

// seek compares Search with the oracle.
func (m *machine) seek(t rapid.TB, w world, r bookahead.Request) (bookahead.Offer, error) {
	given := lend(r)
	lent, err := w.s.Search(given)
	got := reclaim(t, r, given, lent)
	m.did(t, "Search(%+v) = %v, %v", r, got, err)
	judge(t, w.o, r, got, err)
	if err == nil && r.Servers != nil {
		r.Servers = slices.Clone(r.Servers)
		slices.Reverse(r.Servers)
		if other, err := w.s.Search(r); err != nil || !sameOffer(got, other) {
			t.Fatalf("found %v, but %v, %v if servers are named in the order %v", got, other, err, r.Servers)
		}
	}
	return got, err
}

// judge checks the answer to a request.
func judge(t rapid.TB, o *oracle.Oracle, r bookahead.Request, got bookahead.Offer, err error) {
	start, want := o.Place(r)
	sameError(t, err, want)
	if err != nil {
		return
	}
	problem := o.Allows(r, got)
	if problem != nil {
		t.Fatalf("%v", problem)
	}
	if got.Start != start {
		t.Fatalf("found %v, but %d is the earliest start", got, start)
	}
}

func (m *machine) reserve(t *rapid.T) {
	w := m.pick(t)
	r := m.request(t, w)
	offer, want := m.seek(t, w, r)
	m.reserveAs(t, w, r, offer, want)
}

// reserveAs reserves, after Search has answered with the given offer or error.
func (m *machine) reserveAs(t rapid.TB, w world, r bookahead.Request, offer bookahead.Offer, want error) {
	got, err := m.reserveOnly(t, w, r)
	sameError(t, err, want)
	if err != nil {
		return
	}
	if !sameOffer(got.Offer, offer) {
		t.Fatalf("reserved %v, but Search offered %v", got.Offer, offer)
	}
	enter(t, w.o, got)
}

// reserveOnly calls Reserve, and leaves it to the caller to check the answer.
func (m *machine) reserveOnly(t rapid.TB, w world, r bookahead.Request) (bookahead.Reservation, error) {
	given := lend(r)
	got, err := w.s.Reserve(given)
	got.Offer = reclaim(t, r, given, got.Offer)
	m.did(t, "Reserve(%+v) = %v, %v", r, got, err)
	return got, err
}

// enter writes a reservation into the oracle.
func enter(t rapid.TB, o *oracle.Oracle, got bookahead.Reservation) {
	id := o.Book(got.Offer)
	if got.ID != id {
		t.Fatalf("reserved as #%d, but #%d is next", got.ID, id)
	}
}

// lend returns r with Servers of its own.
func lend(r bookahead.Request) bookahead.Request {
	r.Servers = slices.Clone(r.Servers)
	return r
}

// reclaim returns a copy of the offer that was lent for a given request, and then spoils
// both: the schedule must neither have changed the request, nor keep either slice.
func reclaim(t rapid.TB, r, given bookahead.Request, lent bookahead.Offer) bookahead.Offer {
	if !slices.Equal(r.Servers, given.Servers) {
		t.Fatalf("the servers %v of the request have become %v", r.Servers, given.Servers)
	}
	got := lent
	got.Servers = slices.Clone(lent.Servers)
	for _, kept := range [][]int{given.Servers, lent.Servers} {
		for i := range kept {
			kept[i] = -1
		}
	}
	return got
}

func (m *machine) release(t *rapid.T) {
	w := m.pick(t)
	id := bookahead.ID(rapid.Uint64Range(0, 40).Draw(t, "id")) // known or not
	live := w.o.List()
	if len(live) > 0 && rapid.IntRange(0, 3).Draw(t, "which") < 3 {
		id = live[int(id)%len(live)].ID
	}
	m.releaseID(t, w, id)
}

func (m *machine) releaseID(t rapid.TB, w world, id bookahead.ID) {
	err := w.s.Release(id)
	m.did(t, "Release(%d) = %v", id, err)
	sameError(t, err, w.o.Release(id))
}

func (m *machine) rangeQuery(t *rapid.T) {
	w := m.pick(t)
	m.compareRange(t, w, drawWindow(t, w.o.Now()), true)
}

func (m *machine) compareRange(t rapid.TB, w world, win bookahead.Interval, log bool) {
	got, err := w.s.RangeQuery(win)
	if log {
		m.did(t, "RangeQuery(%v) = %v, %v", win, got, err)
	}
	want, wantErr := w.o.RangeQuery(win)
	sameError(t, err, wantErr)
	if !sameFree(got, want) || (got.Servers == nil) != (want.Servers == nil) {
		t.Fatalf("in %v %#v is free, not %#v", win, want, got)
	}
	for i := range got.Servers {
		got.Servers[i] = -1 // the slice is ours
	}
}

func (m *machine) advance(t *rapid.T) {
	w := m.pick(t)
	now := later(w.o.Now(), drawTime(t, 0, 12, "advance"))
	if rapid.IntRange(0, 9).Draw(t, "far") == 9 {
		now = later(now, drawTime(t, 0, 2*span, "far advance"))
	}
	m.advanceTo(t, w, now)
}

func (m *machine) advanceTo(t rapid.TB, w world, now bookahead.Time) {
	err := w.s.Advance(now)
	m.did(t, "Advance(%d) = %v", now, err)
	sameError(t, err, w.o.Advance(now))
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

// blocks adds up the blocks of a Profiler, tick by tick.
func (m *machine) blocks(t *rapid.T) {
	w := m.pick(t)
	m.blocksIn(t, w, drawWindow(t, w.o.Now()))
}

func (m *machine) blocksIn(t rapid.TB, w world, win bookahead.Interval) {
	blocks, ok := bookahead.Blocks(w.s, win)
	if !ok {
		return // no Profiler
	}
	cut := bookahead.Interval{Start: max(win.Start, w.o.Now()), End: min(win.End, w.o.Until())}
	free := map[bookahead.Time]int64{}
	servers := map[bookahead.Time][]int{}
	last := cut.Start
	for b := range blocks {
		if b.Empty() || b.Units < 1 || b.Start < last || b.End > cut.End {
			t.Fatalf("block %v of %d units in %v, after one that starts at %d", b.Interval, b.Units, cut, last)
		}
		if m.target.Servers && int64(len(b.Servers)) != b.Units {
			t.Fatalf("block %v of %d units names servers %v", b.Interval, b.Units, b.Servers)
		}
		last = b.Start
		for tick := b.Start; tick < b.End; tick++ {
			free[tick] += b.Units
			servers[tick] = append(servers[tick], b.Servers...)
		}
	}
	m.did(t, "Blocks(%v)", win)
	for tick := cut.Start; tick < cut.End; tick++ {
		want, _ := w.o.RangeQuery(bookahead.Interval{Start: tick, End: tick + 1})
		slices.Sort(servers[tick])
		if free[tick] != want.Free || !slices.Equal(servers[tick], want.Servers) {
			t.Fatalf("at %d the blocks add up to %d %v, not %+v", tick, free[tick], servers[tick], want)
		}
	}
	for range blocks {
		break // leaving early must be safe
	}
}

// clone clones the schedule of a world, which gives another world.
func (m *machine) clone(t *rapid.T) {
	w := m.pick(t)
	if len(m.worlds) < 3 {
		m.cloneOf(t, w)
	}
}

func (m *machine) cloneOf(t rapid.TB, w world) {
	copied, ok := bookahead.Clone(w.s)
	if !ok {
		return // no Cloner
	}
	if reflect.TypeOf(copied) != reflect.TypeOf(w.s) {
		t.Fatalf("the clone of a %T is a %T", w.s, copied)
	}
	m.worlds = append(m.worlds, world{copied, w.o.Copy()})
	m.did(t, "Clone()")
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
	got, told := bookahead.FrameOf(w.s)
	want := w.o.Frame()
	if told && got != want {
		t.Fatalf("the frame is %+v, not %+v", got, want)
	}
	compareClosures(t, w)
	compareOverbooked(t, w, always)
	compareLive(t, w)
	if err := checkInvariants(w.s); err != nil {
		t.Fatalf("invariant: %v", err)
	}
}

// verifier is a structure that can look for faults in itself.
type verifier interface{ Verify() error }

// checkInvariants calls the structure's own check, if it has one: CheckInvariants, which its
// tests declare, or else Verify.
func checkInvariants(s bookahead.Schedule) (err error) {
	if bookahead.View(s, func(c interface{ CheckInvariants() error }) { err = c.CheckInvariants() }) {
		return err
	}
	bookahead.View(s, func(v verifier) { err = v.Verify() })
	return err
}

// sameError checks that err is of the same kind as want, and that nothing is wrapped
// around an error that must be bare.
func sameError(t rapid.TB, err, want error) {
	t.Helper()
	e, w := kind(err), kind(want)
	if e != w {
		t.Fatalf("got error %v (%s), want %v (%s)", err, e, want, w)
	}
}

func kind(err error) string {
	switch {
	case err == nil:
		return "none"
	case err == bookahead.ErrUnavailable, err == bookahead.ErrNotFound:
		return err.Error()
	case errors.Is(err, bookahead.ErrInvalid):
		return "invalid"
	default:
		return fmt.Sprintf("stray %T", err)
	}
}

func sameFree(a, b bookahead.Availability) bool {
	return a.Window == b.Window && a.Free == b.Free && slices.Equal(a.Servers, b.Servers)
}

func sameOffer(a, b bookahead.Offer) bool {
	return a.Interval == b.Interval && a.Units == b.Units && slices.Equal(a.Servers, b.Servers)
}
