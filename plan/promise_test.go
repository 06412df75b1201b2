package plan_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/depth"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/plan"
)

// TestPromiseAgainstTheOracle gives promises between the other calls of a rig: those that the oracle has room for, and others.
func TestPromiseAgainstTheOracle(t *testing.T) {
	given, refused := 0, 0
	for seed := range uint64(depth.Cases(250)) {
		r := newRig(t, seed)
		rng := rand.New(rand.NewPCG(seed, 1)) // its own, so that a rig draws the same calls with and without promises
		for range 60 {
			r.step()
			switch r.promise(rng) {
			case nil:
				given++
			case bookahead.ErrUnavailable:
				refused++
			}
		}
	}
	require.Greater(t, given, 5)
	require.Greater(t, refused, 5)
}

// promise gives a waiting job a place that is free or not, and returns the class of the error.
func (r *rig) promise(rng *rand.Rand) error {
	o := r.oracle
	line := o.line()
	if len(line) == 0 || r.pending {
		return bookahead.ErrInvalid
	}
	j := line[rng.IntN(len(line))]
	if o.ready(j) > o.now+100 {
		return bookahead.ErrInvalid // it was postponed for ever, and the oracle looks at each tick
	}
	form := rng.IntN(len(j.shapes))
	world := o.plan()
	if rng.IntN(3) == 0 {
		world = o.caller() // promises may be in the way
	}
	at := world.earliest(j.shapes[form], o.ready(j)+bookahead.Time(rng.IntN(9)))
	if at == nil {
		return bookahead.ErrInvalid
	}
	var places []plan.Place
	for _, x := range at {
		places = append(places, x.place(o.cells[x.part.on]))
	}
	var want error
	switch {
	case j.state != plan.Waiting:
		want = bookahead.ErrInvalid
	case !o.plan().take(at):
		want = bookahead.ErrUnavailable
	default:
		first := slices.MinFunc(at, func(a, b spot) int { return int(a.start - b.start) })
		last := slices.MaxFunc(at, func(a, b spot) int { return int(a.end - b.end) })
		j.state, j.form, j.spots, j.start, j.end, j.promised = plan.Promised, form, at, first.start, last.end, first.start
		o.stale, o.quiet, r.pending = true, false, true
	}
	r.note("promise %s form %d at %v", j.ID, form, places)
	r.sameError("Promise", want, r.queue.Promise(j.ID, form, places))
	r.check()
	return want
}

// TestPromiseErrors: a promise that is none of the job is refused, and promises nothing.
func TestPromiseErrors(t *testing.T) {
	machine, err := nodes.New(nodes.Config{Origin: 10, Resources: []string{"gpus"}, Nodes: []nodes.Vector{{2}}})
	require.NoError(t, err)
	q, err := plan.New(plan.Config{Schedules: []plan.Schedule{{Name: "m", Nodes: machine}}, Backfill: plan.EASY(1)})
	require.NoError(t, err)
	part := plan.Part{On: "m", Units: 1, Duration: 5, Tasks: &nodes.Request{Each: nodes.Vector{2}}}
	require.NoError(t, q.Submit(plan.Job{ID: "a", Shapes: []plan.Shape{{part}}}))
	good := plan.Place{On: "m", Interval: bookahead.Interval{Start: 20, End: 25}, Units: 1, Nodes: []nodes.Share{{Node: 0, Tasks: 1}}, Head: -1}
	spoilt := func(spoil func(p *plan.Place)) []plan.Place {
		p := good
		spoil(&p)
		return []plan.Place{p}
	}
	require.ErrorIs(t, q.Promise("b", 0, []plan.Place{good}), bookahead.ErrNotFound)
	require.ErrorIs(t, q.Promise("a", 1, []plan.Place{good}), bookahead.ErrInvalid)
	require.ErrorIs(t, q.Promise("a", 0, nil), bookahead.ErrInvalid)
	for _, at := range [][]plan.Place{
		spoilt(func(p *plan.Place) { p.On = "n" }), spoilt(func(p *plan.Place) { p.Units = 2 }), spoilt(func(p *plan.Place) { p.End++ }),
		spoilt(func(p *plan.Place) { p.Interval = bookahead.Interval{Start: 9, End: 14} }),
		spoilt(func(p *plan.Place) { p.Nodes = []nodes.Share{{Node: 1, Tasks: 1}} }),
	} {
		require.ErrorIs(t, q.Promise("a", 0, at), bookahead.ErrInvalid, "%+v", at)
	}
	require.NoError(t, q.Promise("a", 0, []plan.Place{good}))
	require.ErrorIs(t, q.Promise("a", 0, []plan.Place{good}), bookahead.ErrInvalid)
	require.NoError(t, q.Submit(plan.Job{ID: "c", Shapes: []plan.Shape{{part}}}))
	require.ErrorIs(t, q.Promise("c", 0, []plan.Place{good}), bookahead.ErrUnavailable)
	require.NoError(t, q.Verify())
	result, err := q.Pass(context.Background(), 10)
	require.NoError(t, err)
	require.Equal(t, plan.ID("a"), result.Starts[0].Job, "the next pass moves it to an earlier place")
}
