package plan_test

import (
	"context"
	"encoding"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/plan"
)

// bytes returns the state of the queue and of the schedules.
func (r *rig) bytes() []byte {
	all, err := r.queue.Snapshot()
	r.sameError("Snapshot", nil, err)
	for _, s := range r.yard.real {
		var of encoding.BinaryMarshaler = s.Nodes
		if s.Nodes == nil {
			of = s.Pool.(encoding.BinaryMarshaler)
		}
		b, err := of.MarshalBinary()
		r.sameError("MarshalBinary", nil, err)
		all = append(all, b...)
	}
	return all
}

// laws checks what holds after each pass, whatever the oracle says.
func (r *rig) laws(got plan.Result) {
	told := map[plan.ID]plan.Event{}
	for _, e := range got.Events {
		if e.Kind == plan.Delayed {
			if e.Cause == 0 || e.To != plan.Never && e.To <= e.From {
				r.fail("an event without a cause, or a delay that is none: %+v", e)
			}
			told[e.Job] = e
		}
	}
	proposed := map[plan.ID]bool{}
	for _, s := range got.Starts {
		proposed[s.Job] = true
	}
	kept := map[plan.ID]bookahead.Time{}
	for _, j := range r.oracle.jobs {
		_, f, err := r.queue.Job(j.ID)
		r.sameError("Job", nil, err)
		if was, ok := r.kept[j.ID]; ok && (f.Promised > was || f.Promised == plan.Never) {
			e, ok := told[j.ID]
			if !ok || e.From != was {
				r.fail("job %s was promised %d, now %d, and the events are %+v", j.ID, was, f.Promised, got.Events)
			}
		}
		if f.Promised != plan.Never && f.State != plan.Running {
			kept[j.ID] = f.Promised
		}
		if proposed[j.ID] != (f.State == plan.Starting) {
			r.fail("job %s is %v, but proposed: %v", j.ID, f.State, proposed[j.ID])
		}
		if f.State == plan.Promised && f.Start <= r.oracle.now {
			r.fail("job %s is promised %d at %d", j.ID, f.Start, r.oracle.now)
		}
	}
	r.kept = kept
	o := r.oracle
	if !o.rules.overtake || o.rules.promises > 0 || o.config.Limits.Depth > 0 {
		return
	}
	for _, j := range o.line() { // FirstFit leaves no job that fits
		if _, at := o.fits(o.plan(), j); j.state == plan.Waiting && j.from <= o.now && at != nil {
			r.fail("job %s fits now", j.ID)
		}
	}
}

// TestDeterministic draws histories twice: queues with the same calls give the same answers and bytes.
func TestDeterministic(t *testing.T) {
	for seed := range uint64(operations() / 2000) {
		var twins [2]*rig
		for i := range twins {
			twins[i] = newRig(t, 7*seed+1_000_000)
			for twins[i].events < 100 && twins[i].oracle.now < 250 {
				twins[i].step()
				twins[i].note("then %d", twins[i].queue.Next())
			}
		}
		require.Equal(t, twins[0].log, twins[1].log)
		require.Equal(t, twins[0].bytes(), twins[1].bytes())
	}
}

// TestStoppedPassGoesOn gives passes few steps, but enough for a job: after a few, one comes to the end.
func TestStoppedPassGoesOn(t *testing.T) {
	for seed := range uint64(min(200, operations()/100)) {
		rng := rand.New(rand.NewPCG(seed, 1))
		y := newYard(t, rng, layouts[rng.IntN(len(layouts))])
		b := backfills[rng.IntN(len(backfills))]
		q, err := plan.New(plan.Config{Schedules: y.real, Backfill: b.backfill, Limits: plan.Limits{Steps: 1500}})
		require.NoError(t, err)
		for round := range 4 {
			now := bookahead.Time(5 * round)
			for k := range 12 {
				require.NoError(t, q.Submit(y.job(rng, plan.ID(fmt.Sprint(round, k)), now)))
			}
			result, err := q.Pass(context.Background(), now)
			for tries := 0; err != nil; tries++ {
				require.ErrorIs(t, err, bookahead.ErrStopped)
				require.Less(t, tries, 100, "seed %d does not come to the end", seed)
				result, err = q.Pass(context.Background(), now)
			}
			require.NoError(t, q.Verify())
			for i, s := range result.Starts {
				if i%2 == 0 {
					require.NoError(t, q.Started(s.Job))
				}
			}
		}
	}
}

// TestCancelledPass does nothing, and says so.
func TestCancelledPass(t *testing.T) {
	q, _ := newQueue(t, 2, plan.Config{})
	submit(t, q, "a", on(1, 10))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := q.Pass(ctx, 0)
	require.ErrorIs(t, err, bookahead.ErrStopped)
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, r.Starts)
	ids, _ := pass(t, q, 0)
	require.Equal(t, []plan.ID{"a"}, ids)
}
