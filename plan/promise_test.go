package plan_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/depth"
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
	require.Greater(t, given, 50)
	require.Greater(t, refused, 50)
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
