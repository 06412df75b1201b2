package nodes

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest"
)

var policies = map[string]Policy{"lowest": {}, "best": BestFit(), "fewest": FewestNodes(), "spread": Spread(), "own": Own(highest)}

// world is a machine and the oracle beside it.
type world struct {
	m booker
	o *oracle
}

// maker makes a machine for a test: New does, or a fault.
type maker func(c Config, deal string) (booker, error)

func newReal(c Config, _ string) (booker, error) {
	m, err := New(c)
	return newRealOf(m, (len(c.Nodes)+int(c.Horizon))%5*(1+len(c.Nodes)/8)), err
}

// kindOf makes errors of one kind equal.
func kindOf(err error) string {
	for _, k := range []error{bookahead.ErrInvalid, bookahead.ErrNotFound, ErrNever, ErrClosed, bookahead.ErrUnavailable} {
		if errors.Is(err, k) {
			return k.Error()
		}
	}
	return fmt.Sprint(err)
}

func drawVector(t *rapid.T, wide, most int, label string) Vector {
	v := make(Vector, wide)
	for r := range v {
		v[r] = int64(rapid.IntRange(0, most).Draw(t, label))
	}
	return v
}

// drawWorld draws a machine of a few nodes, in racks and rows.
func drawWorld(t *rapid.T, make maker) *world {
	wide := rapid.IntRange(1, 5).Draw(t, "resources")
	n := rapid.IntRange(1, 12).Draw(t, "nodes")
	c := Config{Resources: []string{"gpus", "cores", "bytes", "ports", "disks"}[:wide]}
	same := drawVector(t, wide, 9, "given")
	for r := range same {
		same[r] = max(same[r], 3)
	}
	for range n {
		v := same
		if rapid.IntRange(0, 3).Draw(t, "differs") == 0 {
			v = drawVector(t, wide, 8, "given")
		}
		c.Nodes = append(c.Nodes, v)
	}
	rack := rapid.IntRange(1, 4).Draw(t, "rack")
	racks, rows := Level{Name: "rack"}, Level{Name: "row"}
	left := rapid.IntRange(0, 2).Draw(t, "in no rack")
	order := rapid.Permutation(seq(n)).Draw(t, "order")
	for k := 0; k+left < n; k += rack {
		racks.Groups = append(racks.Groups, order[k:min(k+rack, n-left)])
	}
	for g := 0; g < len(racks.Groups); g += 2 {
		rows.Groups = append(rows.Groups, slices.Concat(racks.Groups[g:min(g+2, len(racks.Groups))]...))
	}
	c.Levels = []Level{racks, rows}
	c.Sets = map[string][]int{"few": order[:n/2], "some": order[n/4:]}
	c.Horizon = bookahead.Duration(rapid.IntRange(8, 30).Draw(t, "horizon"))
	switch rapid.IntRange(0, 3).Draw(t, "origin") {
	case 0:
		c.Origin, c.Horizon = bookahead.MaxTime-40, 0
	case 1:
		c.Origin = bookahead.MaxTime - 45
	case 2:
		c.Origin = 7
	}
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range policies {
			if !yield(name) {
				return
			}
		}
	})
	deal := rapid.SampledFrom(names).Draw(t, "policy")
	c.Policy = policies[deal]
	m, err := make(c, deal)
	require.NoError(t, err)
	o := newOracle(c, deal)
	o.naive = true
	return &world{m: m, o: o}
}

func seq(n int) []int {
	list := make([]int, n)
	for k := range list {
		list[k] = k
	}
	return list
}

// drawRequest draws a request that makes sense, as a rule.
func (x *world) drawRequest(t *rapid.T) Request {
	wide := len(x.o.c.Resources)
	rare := func(label string, one int) bool { return rapid.IntRange(1, one).Draw(t, label) == 1 }
	now := int64(x.o.now)
	r := Request{
		Ready:    bookahead.Time(now + int64(rapid.IntRange(-3, 20).Draw(t, "ready"))),
		Duration: bookahead.Duration(rapid.IntRange(1, 12).Draw(t, "duration")),
		Tasks:    int64(rapid.IntRange(1, 6).Draw(t, "tasks")),
		Each:     drawVector(t, wide, 3, "each"),
		PerNode:  int64(max(0, rapid.IntRange(-1, 3).Draw(t, "per node"))),
	}
	for i := range r.Each { // few resources matter to most
		if rare("no matter", 3) {
			r.Each[i] = 0
		}
	}
	if !slices.ContainsFunc(r.Each, func(n int64) bool { return n > 0 }) && !rare("nothing", 20) {
		r.Each[0] = 1
	}
	if r.Ready <= bookahead.MaxTime-20 && rare("deadline", 2) {
		r.Deadline = r.Ready + bookahead.Time(r.Duration) + bookahead.Time(rapid.IntRange(0, 8).Draw(t, "slack"))
	}
	if rare("head", 3) {
		r.Head = drawVector(t, wide, 4, "head")
	}
	if rare("named", 4) {
		r.Nodes = rapid.SliceOfNDistinct(rapid.IntRange(0, len(x.o.c.Nodes)-1), 0, len(x.o.c.Nodes), rapid.ID[int]).Draw(t, "nodes")
	}
	if rare("set", 5) {
		r.Set = rapid.SampledFrom([]string{"few", "some"}).Draw(t, "set")
	}
	if rare("except", 5) {
		r.Except = []int{rapid.IntRange(0, len(x.o.c.Nodes)-1).Draw(t, "except")}
	}
	groups := rapid.IntRange(0, 6).Draw(t, "groups")
	if groups == 0 || groups == 2 {
		r.Within = rapid.SampledFrom([]string{"rack", "row"}).Draw(t, "within")
	}
	if groups == 1 || groups == 2 {
		r.Together = rapid.SampledFrom([]string{"rack", "row"}).Draw(t, "together")
		r.Patience = bookahead.Duration(max(0, rapid.IntRange(-8, 8).Draw(t, "patience")))
	}
	r.Exclusive = rare("exclusive", 6)
	if rare("bundled", 4) {
		r.Bundle, r.Bundled = int64(rapid.IntRange(1, 3).Draw(t, "bundle")), rapid.SampledFrom([]string{"rack", "rack", "row"}).Draw(t, "bundled")
		r.wrap()
	}
	if rare("wrong", 15) {
		x.spoil(t, &r)
	}
	return r
}

// wrap makes the tasks whole bundles.
func (r *Request) wrap() {
	if r.Bundle > 0 {
		r.Tasks += (r.Bundle - r.Tasks%r.Bundle) % r.Bundle
	}
}

// spoil makes a request that no machine makes sense of, or this one does not.
func (x *world) spoil(t *rapid.T, r *Request) {
	switch rapid.IntRange(0, 16).Draw(t, "wrong") {
	case 0:
		r.Tasks = 0
	case 1:
		r.Each = append(slices.Clone(r.Each), 1)
	case 2:
		r.Each = slices.Clone(r.Each)
		r.Each[0] = -1
	case 3:
		r.Nodes = []int{len(x.o.c.Nodes)}
	case 4:
		r.Set = "none"
	case 5:
		r.Within = "none"
	case 6:
		r.Together = "none"
	case 7:
		r.PerNode = -1
	case 8:
		r.Duration = 1 << 62
	case 10:
		r.Patience = -1
	case 11:
		r.Patience, r.Together = 1, ""
	case 12:
		r.Bundle, r.Bundled = -1, "rack"
	case 13:
		r.Bundle, r.Bundled = 1, ""
	case 14:
		r.Bundle, r.Bundled = 0, "rack"
	case 15:
		r.Bundle, r.Bundled = r.Tasks+1, "rack"
	case 16:
		r.Bundle, r.Bundled = 1, "none"
	case 9:
		r.Tasks, r.Each = 1<<62, append(Vector{1 << 60}, r.Each[1:]...)
	}
}

// id draws an ID that is live, or may be.
func (x *world) id(t *rapid.T) bookahead.ID {
	return bookahead.ID(rapid.IntRange(max(0, int(x.o.last)-12), int(x.o.last)+1).Draw(t, "id"))
}

func (x *world) step(t *rapid.T) {
	switch rapid.SampledFrom([]string{"reserve", "reserve", "reserve", "reserve", "reserve", "reserve", "search", "release", "rebook", "rebook", "swap", "offer", "offer", "advance", "clone", "list", "change", "change", "displace", "reread"}).Draw(t, "op") {
	case "reserve":
		r := x.drawRequest(t)
		want, wantErr := x.o.reserve(r)
		got, err := x.m.Reserve(r)
		require.Equal(t, kindOf(wantErr), kindOf(err), "%+v", r)
		require.Equal(t, want, got, "%+v", r)
	case "search":
		r := x.drawRequest(t)
		want, wantErr := x.o.search(r, 0)
		got, err := x.m.Search(r)
		require.Equal(t, kindOf(wantErr), kindOf(err), "%+v", r)
		require.Equal(t, want, got, "%+v", r)
	case "release":
		id := x.id(t)
		ok := x.o.drop(id)
		require.Equal(t, ok, x.m.Release(id) == nil)
	case "rebook":
		x.rebook(t)
	case "swap":
		id := x.id(t)
		node := rapid.IntRange(-1, len(x.o.c.Nodes)).Draw(t, "node")
		old, ok := x.o.live[id]
		if ok && rapid.IntRange(0, 3).Draw(t, "its own") > 0 {
			node = rapid.SampledFrom(old.Tasks).Draw(t, "share").Node
		}
		want, wantErr := x.o.swap(id, node)
		got, err := x.m.Swap(id, node)
		require.Equal(t, kindOf(wantErr), kindOf(err), "%d of %+v", node, old)
		require.Equal(t, want, got, "%d of %+v", node, old)
	case "offer":
		x.offer(t)
	case "advance":
		now := x.o.now + bookahead.Time(rapid.IntRange(-1, 6).Draw(t, "ticks"))
		require.Equal(t, kindOf(x.o.advance(now)), kindOf(x.m.Advance(now)))
	case "clone":
		old := x.m
		x.m = old.copied()
		_, _ = old.Reserve(x.drawRequest(t))
		_ = old.Release(x.id(t))
		require.NoError(t, old.Verify())
	case "list":
		x.list(t)
	case "change":
		x.change(t)
	case "displace":
		x.displace(t)
	case "reread":
		x.m = x.m.reread(t, rapid.Uint64().Draw(t, "spoil"))
	}
	require.NoError(t, x.m.Verify())
}

func (x *world) rebook(t *rapid.T) {
	id, r := x.id(t), x.drawRequest(t)
	old, ok := x.o.live[id]
	gives := ok && rapid.Bool().Draw(t, "gives back")
	switch {
	case gives:
		r = x.less(t, old)
	case ok && rapid.Bool().Draw(t, "like it"):
		r.Each, r.Head, r.Deadline, r.Nodes, r.Set = old.Each, old.HeadTakes, 0, nil, ""
		r.Duration += bookahead.Duration(max(0, x.o.now-old.Start))
	}
	offer, offerErr := x.m.SearchFor(id, r)
	if rapid.IntRange(0, 3).Draw(t, "only searched for") == 0 {
		want, wantErr := x.o.searchFor(id, r)
		require.Equal(t, kindOf(wantErr), kindOf(offerErr), "%+v of %+v", r, old)
		require.Equal(t, want, offer, "%+v of %+v", r, old)
		return
	}
	want, wantErr := x.o.rebook(id, r)
	got, err := x.m.Rebook(id, r)
	require.Equal(t, kindOf(wantErr), kindOf(err), "%+v of %+v", r, old)
	require.Equal(t, want, got, "%+v of %+v", r, old)
	require.Equal(t, kindOf(err), kindOf(offerErr))
	require.Equal(t, got.Tasks, offer.Tasks)
	if gives {
		require.NoError(t, err, "it only gives back: %+v of %+v", r, old)
	}
}

// less draws a request that only gives back.
func (x *world) less(t *rapid.T, old Reservation) Request {
	start := max(old.Start, x.o.now)
	end := start + 1 + bookahead.Time(rapid.Int64Range(0, int64(old.End-start-1)).Draw(t, "end"))
	if old.Start > x.o.now {
		start += bookahead.Time(rapid.Int64Range(0, int64(end-start-1)).Draw(t, "start"))
	} else {
		start = old.Start
	}
	tasks := int64(0)
	for _, s := range old.Tasks {
		tasks += s.Tasks
	}
	return Request{
		Ready: start, Deadline: end, Duration: bookahead.Duration(end - start),
		Tasks: rapid.Int64Range(1, tasks).Draw(t, "tasks"), Each: old.Each, Head: old.HeadTakes,
	}
}

func (x *world) list(t *rapid.T) {
	start := x.o.now + bookahead.Time(rapid.IntRange(-3, 20).Draw(t, "from"))
	w := bookahead.Interval{Start: start, End: start + bookahead.Time(rapid.IntRange(0, 10).Draw(t, "ticks"))}
	var nodes []int
	if rapid.Bool().Draw(t, "on") {
		nodes = rapid.SliceOfN(rapid.IntRange(-1, len(x.o.c.Nodes)), 0, 3).Draw(t, "nodes")
	}
	if nodes == nil {
		require.Equal(t, x.o.on(w, nil), slices.Collect(x.m.ReservationsOn(w, nil)))
	}
	require.Equal(t, x.o.on(w, nodes), slices.Collect(x.m.ReservationsOn(w, nodes)))
	id := x.id(t)
	want, ok := x.o.live[id]
	got, err := x.m.Reservation(id)
	require.Equal(t, ok, err == nil)
	require.Equal(t, want, got)
	each, perNode := drawVector(t, len(x.o.c.Resources), 3, "each"), int64(rapid.IntRange(0, 3).Draw(t, "per node"))
	wantFree, wantErr := x.o.free(each, perNode, w)
	free, err := x.m.room(each, perNode, w)
	require.Equal(t, kindOf(wantErr), kindOf(err))
	require.Equal(t, wantFree, free)
	wantFrame, wantErr := x.o.frameOfTasks(each, perNode)
	frame, err := x.m.limits(each, perNode)
	require.Equal(t, kindOf(wantErr), kindOf(err))
	require.Equal(t, wantFrame, frame)
	r := x.drawRequest(t)
	require.Equal(t, x.o.openings(r), slices.Collect(x.m.Openings(r)), "%+v", r)
	wantLatest, wantErr := x.o.searchLatest(r)
	latest, err := x.m.SearchLatest(r)
	require.Equal(t, kindOf(wantErr), kindOf(err), "%+v", r)
	require.Equal(t, wantLatest, latest, "%+v", r)
	wantWhy, wantErr := x.o.explain(r)
	why, err := x.m.Explain(r)
	require.Equal(t, kindOf(wantErr), kindOf(err), "%+v", r)
	require.Equal(t, wantWhy, why, "%+v", r)
	require.Equal(t, x.o.starting(w), slices.Collect(x.m.Starting(w)))
	require.Equal(t, x.o.ending(w), slices.Collect(x.m.Ending(w)))
	for k := -1; k <= len(x.o.c.Nodes); k++ {
		require.Equal(t, x.o.freeOn(k, w), stretches(x.m, k, w))
		require.Equal(t, x.o.idle(k, each, w), slices.Collect(x.m.Idle(k, each, w)))
	}
}

// model runs operations on a machine and the oracle, and counts them.
func model(t *rapid.T, make maker, ops *int) {
	x := drawWorld(t, make)
	for range rapid.IntRange(1, 40).Draw(t, "ops") {
		*ops++
		x.step(t)
	}
}

func TestMachineAgainstOracle(t *testing.T) {
	ops := 0
	for want := scheduletest.Operations(); ops < want && !t.Failed(); {
		rapid.Check(t, func(t *rapid.T) { model(t, newReal, &ops) })
	}
	t.Logf("%d operations agree with the oracle", ops)
}
