package scheduletest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest/internal/oracle"
)

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
	m.book(t, w, m.request(t, w))
}

// book searches, and then reserves.
func (m *machine) book(t rapid.TB, w world, r bookahead.Request) {
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
	spoilAll(given.Servers, lent.Servers)
	return got
}

// spoilAll overwrites servers, which a schedule must not have kept.
func spoilAll(lists ...[]int) {
	for _, servers := range lists {
		for i := range servers {
			servers[i] = -1
		}
	}
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
	spoilAll(got.Servers) // the slice is ours
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

// mustBeSound checks the invariants.
func mustBeSound(t rapid.TB, s bookahead.Schedule) {
	t.Helper()
	if err := checkInvariants(s); err != nil {
		t.Fatalf("invariant: %v", err)
	}
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
