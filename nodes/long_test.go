package nodes

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest"
)

// long is a long run on one machine and its clones, each beside an oracle. It draws evenly, and repeats
// its requests, because a machine must not remember a search after a change.
type long struct {
	shape
	t     require.TestingT
	rng   *rand.Rand
	unit  Vector
	twins []*world // of the machine and its clones
	x     *world   // one of them, on which all goes on
	past  []Request
	ids   []bookahead.ID // that were booked, the latest last
	ops   int
	// sequence is the operations of a short run.
	sequence []string
	most     int // reservations at once
	late     int // starts behind the first that was asked for
	found    int
}

func newLong(t require.TestingT, s shape, seed uint64, make maker) *long {
	l := &long{shape: s, t: t, rng: rand.New(rand.NewPCG(seed, 1))}
	l.unit = s.units(l.rng)
	c, deal := s.config(l.rng, l.unit)
	m, err := make(c, deal)
	require.NoError(t, err)
	l.x = &world{m: m, o: newOracle(c, deal)}
	l.twins = []*world{l.x}
	return l
}

// one reports whether something happens that happens once in n.
func (l *long) one(n int) bool { return l.rng.IntN(n) == 0 }

// vector draws up to so many units of some resources, and of one at least.
func (l *long) vector(most int) Vector {
	v := make(Vector, len(l.unit))
	sure := l.rng.IntN(len(v))
	for r, u := range l.unit {
		n := 0
		if r == sure {
			n = 1 + l.rng.IntN(most)
		} else if !l.one(3) {
			n = l.rng.IntN(most + 1)
		}
		v[r] = amount(l.rng, u, n)
	}
	return v
}

// some draws a few nodes.
func (l *long) some(n int) []int {
	all := len(l.x.o.c.Nodes)
	return l.rng.Perm(all)[:min(all, n)]
}

// request draws a request: an old one, one like it, or a new one.
func (l *long) request() Request {
	if len(l.past) > 0 && !l.one(3) {
		r := l.past[l.rng.IntN(len(l.past))]
		l.vary(&r)
		return r
	}
	now := l.x.o.now
	r := Request{
		Ready:    now + bookahead.Time(l.rng.IntN(int(l.x.o.c.Horizon)))*bookahead.Time(l.rng.IntN(2)),
		Duration: bookahead.Duration(within(l.rng, l.duration)),
		Tasks:    int64(within(l.rng, l.tasks)),
		Each:     l.vector(4),
	}
	if l.one(2) {
		r.Tasks = min(r.Tasks, int64(1+l.rng.IntN(4)))
	}
	if l.one(3) {
		r.PerNode = int64(1 + l.rng.IntN(3))
	}
	if l.one(4) {
		r.Head = l.vector(6)
	}
	all := len(l.x.o.c.Nodes)
	switch l.rng.IntN(10) {
	case 0:
		r.Nodes = l.some(1 + l.rng.IntN(all))
	case 1:
		r.Except = l.some(1 + l.rng.IntN(max(1, all/3)))
	}
	if l.one(8) {
		r.Set = []string{"few", "some"}[l.rng.IntN(2)]
	}
	groups := l.rng.IntN(7)
	if groups == 0 || groups == 2 {
		r.Within = []string{"rack", "row"}[l.rng.IntN(2)]
	}
	if groups == 1 || groups == 2 {
		r.Together = []string{"rack", "row"}[l.rng.IntN(2)]
		r.Patience = bookahead.Duration(l.rng.IntN(2) * l.rng.IntN(8))
	}
	r.Exclusive = l.one(8)
	if l.one(5) {
		r.Bundle, r.Bundled = 1+l.rng.Int64N(4), []string{"rack", "row"}[l.rng.IntN(2)]
		r.wrap()
	}
	l.past = append(l.past, r)
	if len(l.past) > 12 {
		l.past = slices.Delete(l.past, 0, 1)
	}
	if l.one(4) {
		l.hurry(&r)
	}
	return r
}

// vary changes a request by a little, or not at all.
func (l *long) vary(r *Request) {
	defer r.wrap()
	switch l.rng.IntN(13) {
	case 0:
		r.Tasks++
	case 1:
		r.Tasks = max(1, r.Tasks-1)
	case 2:
		r.Duration++
	case 3:
		r.Duration = max(1, r.Duration-1)
	case 4:
		r.Ready += bookahead.Time(l.rng.IntN(7) - 3)
	case 5:
		r.PerNode = int64(l.rng.IntN(4))
	case 6:
		r.Except = l.some(1)
	case 7:
		r.Head = nil
	case 8:
		l.hurry(r)
	case 9:
		r.Within, r.Together, r.Patience = "", "", 0
	case 10:
		r.Exclusive = !r.Exclusive
	case 11:
		r.Bundle, r.Bundled = 0, ""
	}
}

func (l *long) hurry(r *Request) {
	r.Deadline = max(0, r.Ready) + bookahead.Time(r.Duration) + bookahead.Time(l.rng.IntN(1+int(l.x.o.c.Horizon)))
}

// id draws an ID that is live, as a rule.
func (l *long) id() bookahead.ID {
	l.ids = slices.DeleteFunc(l.ids, func(id bookahead.ID) bool {
		return !slices.ContainsFunc(l.twins, func(x *world) bool { _, ok := x.o.live[id]; return ok })
	})
	if len(l.ids) == 0 || l.one(20) {
		return l.x.o.last + 1
	}
	return l.ids[l.rng.IntN(len(l.ids))]
}

func (l *long) step() {
	x, m := l.x, l.mix
	if len(x.o.live) > l.live {
		m.release += m.reserve
	}
	l.ops++
	n := l.rng.IntN(m.reserve + m.search + m.release + m.rebook + m.offer + m.advance + m.clone + m.change + m.displace + m.reread + m.list)
	for _, op := range []struct {
		often int
		run   func()
	}{
		{m.reserve, l.reserve}, {m.search, l.search}, {m.release, l.release}, {m.rebook, l.rebook}, {m.offer, l.offer}, {m.advance, l.advance},
		{m.clone, l.clone}, {m.change, l.change}, {m.displace, l.displace}, {m.reread, l.reread}, {m.list, l.list},
	} {
		if n < op.often {
			op.run()
			break
		}
		n -= op.often
	}
	if l.one(200) {
		require.NoError(l.t, x.m.Verify())
	}
}

// same checks that the machine gives the same answers as the oracle.
func (l *long) same(want, got any, wantErr, err error, about ...any) {
	if kindOf(wantErr) != kindOf(err) || !assertEqual(want, got) {
		require.Equal(l.t, kindOf(wantErr), kindOf(err), about...)
		require.Equal(l.t, want, got, about...)
	}
}

func (l *long) reserve() {
	r := l.request()
	want, wantErr := l.x.o.reserve(r)
	got, err := l.x.m.Reserve(r)
	l.same(want, got, wantErr, err, "%+v", r)
	if err == nil {
		l.ids = append(l.ids, got.ID)
		l.most = max(l.most, len(l.x.o.live))
		l.found++
		if got.Start > max(r.Ready, l.x.o.now) {
			l.late++
		}
	}
}

func (l *long) search() { l.find(l.request()) }

func (l *long) find(r Request) {
	want, wantErr := l.x.o.search(r, 0)
	got, err := l.x.m.Search(r)
	l.same(want, got, wantErr, err, "%+v", r)
}

func (l *long) release() {
	id := l.id()
	require.Equal(l.t, l.x.o.drop(id), l.x.m.Release(id) == nil)
}

func (l *long) rebook() {
	id, r := l.id(), l.request()
	old, ok := l.x.o.live[id]
	if l.one(4) {
		l.swap(id, old)
		return
	}
	if ok && !l.one(3) { // like it is, or nearly
		was := anew(old, 0)
		was.PerNode = int64(l.rng.IntN(4))
		was.Tasks = max(1, was.Tasks+int64(l.rng.IntN(5)-2))
		was.Duration = max(1, was.Duration+bookahead.Duration(l.rng.IntN(7)-3))
		was.Within, was.Together, was.Patience, was.Except = r.Within, r.Together, r.Patience, r.Except
		if l.one(3) {
			was.Bundle, was.Bundled = r.Bundle, r.Bundled
		}
		was.wrap()
		if old.Start <= l.x.o.now { // not read
			was.Ready = []bookahead.Time{0, was.Ready, old.End, bookahead.MaxTime}[l.rng.IntN(4)]
			was.Deadline = []bookahead.Time{0, old.End, old.End + 2}[l.rng.IntN(3)]
		}
		r = was
	}
	wantOffer, wantErr := l.x.o.searchFor(id, r)
	offer, err := l.x.m.SearchFor(id, r)
	l.same(wantOffer, offer, wantErr, err, "%+v of %+v", r, old)
	if l.one(4) {
		return // nothing is booked
	}
	want, wantErr := l.x.o.rebook(id, r)
	got, err := l.x.m.Rebook(id, r)
	l.same(want, got, wantErr, err, "%+v of %+v", r, old)
}

// swap moves the tasks of a node, as a rule one of those that the reservation has.
func (l *long) swap(id bookahead.ID, old Reservation) {
	node := l.rng.IntN(len(l.x.o.c.Nodes))
	if len(old.Tasks) > 0 && !l.one(4) {
		node = old.Tasks[l.rng.IntN(len(old.Tasks))].Node
	}
	if old.Head > 0 && l.one(4) {
		node = old.Head
	}
	want, wantErr := l.x.o.swap(id, node)
	got, err := l.x.m.Swap(id, node)
	l.same(want, got, wantErr, err, "%d of %+v", node, old)
}

func (l *long) advance() {
	now := l.x.o.now + bookahead.Time(l.rng.IntN(4))
	require.Equal(l.t, kindOf(l.x.o.advance(now)), kindOf(l.x.m.Advance(now)))
}

// clone makes another twin, and goes on with any of them.
func (l *long) clone() {
	if len(l.twins) == 3 {
		l.twins = slices.DeleteFunc(l.twins, func(x *world) bool { return x != l.x })
	}
	l.twins = append(l.twins, &world{m: l.x.m.copied(), o: l.x.o.clone()})
	l.x = l.twins[l.rng.IntN(len(l.twins))]
}

func (l *long) reread() { l.x.m = l.x.m.reread(l.t, l.rng.Uint64()) }

func (l *long) change() {
	o := l.x.o
	c := bookahead.Closure{Interval: l.window()}
	if l.one(6) {
		c.End = bookahead.MaxTime
	}
	switch l.rng.IntN(5) {
	case 0, 1:
		c.Servers = l.some(1 + l.rng.IntN(1+len(o.c.Nodes)/4))
		if len(o.closures) > 0 && l.one(3) { // the same nodes again
			c.Servers = o.closures[l.rng.IntN(len(o.closures))].Servers
		}
		want, wantErr := o.close(c)
		got, err := l.x.m.Close(c)
		l.same(want, got, wantErr, err, "%v", c)
	case 2, 3:
		id := bookahead.ClosureID(l.rng.Uint64N(uint64(o.lastClosure) + 2))
		if len(o.closures) > 0 {
			id = o.closures[l.rng.IntN(len(o.closures))].ID
		}
		require.Equal(l.t, kindOf(o.endClosure(id, c.Start)), kindOf(l.x.m.EndClosure(id, c.Start)))
	case 4:
		if len(o.c.Nodes) >= l.nodes[1]+4 {
			return
		}
		more := []Added{{Has: l.vector(12), Groups: map[string]int{}, Sets: []string{"some"}}}
		if l.one(2) {
			more = append(more, Added{Has: l.vector(3), Groups: map[string]int{"rack": len(o.c.Levels[0].Groups)}})
		}
		want, wantErr := o.extend(c, more)
		got, err := l.x.m.Extend(c, more)
		l.same(want, got, wantErr, err, "%v %v", c, more)
	}
}

func (l *long) displace() {
	f := Force{Order: func(a, b Reservation) int { return cmp.Compare(b.Start, a.Start) }, Swap: l.one(2)}
	if l.one(2) {
		r := l.request()
		f.Request = &r
	}
	if l.one(2) {
		f.Spare = func(res Reservation) bool { return res.ID%4 == 0 }
	}
	want, wantErr := l.x.o.displace(f.filled(l.x.o))
	got, err := l.x.m.Displace(f)
	l.same(want, got, wantErr, err)
	if err == nil && f.Request != nil {
		l.ids = append(l.ids, got.Booked.ID)
	}
	if err == nil && len(got.Moved)+len(got.Dropped) > 0 {
		for _, r := range l.past {
			l.find(r)
		}
	}
}

// window draws a time ahead, or nearly.
func (l *long) window() bookahead.Interval {
	start := l.x.o.now + bookahead.Time(l.rng.IntN(int(l.x.o.c.Horizon))-3)
	return bookahead.Interval{Start: start, End: start + bookahead.Time(1+l.rng.IntN(l.duration[1]*2))}
}

func (l *long) list() {
	w, nodes := l.window(), l.some(2)
	l.same(l.x.o.on(w, nodes), slices.Collect(l.x.m.ReservationsOn(w, nodes)), nil, nil)
	l.same(l.x.o.overbooked(w), slices.Collect(l.x.m.Overbooked(w)), nil, nil)
	l.same(l.x.o.frame(), l.x.m.Frame(), nil, nil)
	l.same(l.x.o.closuresNow(), slices.Collect(l.x.m.Closures()), nil, nil)
	each, perNode := l.vector(4), int64(l.rng.IntN(3))
	want, wantErr := l.x.o.free(each, perNode, w)
	got, err := l.x.m.room(each, perNode, w)
	l.same(want, got, wantErr, err, "%v %v", each, w)
	wantFrame, wantErr := l.x.o.frameOfTasks(each, perNode)
	frame, err := l.x.m.limits(each, perNode)
	l.same(wantFrame, frame, wantErr, err, "%v", each)
	l.same(l.x.o.idle(nodes[0], each, w), slices.Collect(l.x.m.Idle(nodes[0], each, w)), nil, nil, "%d %v %v", nodes[0], each, w)
	l.same(l.x.o.freeOn(nodes[0], w), stretches(l.x.m, nodes[0], w), nil, nil, "%d %v", nodes[0], w)
	l.same(l.x.o.starting(w), slices.Collect(l.x.m.Starting(w)), nil, nil, "%v", w)
	l.same(l.x.o.ending(w), slices.Collect(l.x.m.Ending(w)), nil, nil, "%v", w)
	l.ask(l.request())
	id := l.id()
	res, err := l.x.m.Reservation(id)
	_, ok := l.x.o.live[id]
	require.Equal(l.t, ok, err == nil)
	l.same(l.x.o.live[id], res, nil, nil)
}

// ask compares the answers about one request. Those that the oracle finds tick by tick are for a short time.
func (l *long) ask(r Request) {
	wantWhy, wantErr := l.x.o.explain(r)
	why, err := l.x.m.Explain(r)
	l.same(wantWhy, why, wantErr, err, "%+v", r)
	if wantErr != nil {
		return
	}
	from := max(r.Ready, l.x.o.now)
	r.Ready, r.Deadline = from, from+bookahead.Time(r.Duration)+bookahead.Time(l.rng.IntN(24))
	l.same(l.x.o.openings(r), slices.Collect(l.x.m.Openings(r)), nil, nil, "%+v", r)
	wantLatest, wantErr := l.x.o.searchLatest(r)
	latest, err := l.x.m.SearchLatest(r)
	l.same(wantLatest, latest, wantErr, err, "%+v", r)
}

// TestLongRuns runs operations on machines of all shapes, in turn: as many as BOOKAHEAD_OPS says.
func TestLongRuns(t *testing.T) {
	want, ops := scheduletest.Operations(), 0
	share := map[string]*tally{}
	began := time.Now()
	for seed := uint64(0); ops < want && !t.Failed(); seed++ {
		s := shapes[seed%uint64(len(shapes))]
		at := time.Now()
		l := newLong(t, s, seed, newReal)
		for l.ops < min(l.length, want-ops) {
			l.step()
		}
		require.NoError(t, l.x.m.Verify())
		ops += l.ops
		if share[s.name] == nil {
			share[s.name] = &tally{}
		}
		share[s.name].add(l, time.Since(at))
	}
	for _, s := range shapes {
		if share[s.name] != nil {
			t.Logf("%-8s %v", s.name, *share[s.name])
		}
	}
	t.Logf("%d operations agree with the oracle, %.0f a second", ops, float64(ops)/time.Since(began).Seconds())
}
