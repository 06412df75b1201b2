package plan_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/plan"
)

// Each test of this file shows a fault that the oracle has found.

// newQueue returns a queue on a pool of units by the name of "p".
func newQueue(t *testing.T, units int64, c plan.Config) (*plan.Queue, bookahead.Closable) {
	t.Helper()
	p, err := carts.NewIndexed(units, carts.Config{})
	require.NoError(t, err)
	c.Schedules = []plan.Schedule{{Name: "p", Pool: p}}
	q, err := plan.New(c)
	require.NoError(t, err)
	return q, p
}

// on returns a shape of one part on the pool.
func on(units int64, d bookahead.Duration) plan.Shape {
	return plan.Shape{{On: "p", Units: units, Duration: d}}
}

func submit(t *testing.T, q *plan.Queue, id plan.ID, shapes ...plan.Shape) {
	t.Helper()
	require.NoError(t, q.Submit(plan.Job{ID: id, Shapes: shapes}))
}

// pass returns the jobs that are proposed.
func pass(t *testing.T, q *plan.Queue, now bookahead.Time) (ids []plan.ID, events []plan.Event) {
	t.Helper()
	r, err := q.Pass(context.Background(), now)
	require.NoError(t, err)
	for _, s := range r.Starts {
		ids = append(ids, s.Job)
	}
	return ids, r.Events
}

// run has jobs start that are proposed.
func run(t *testing.T, q *plan.Queue, ids ...plan.ID) {
	t.Helper()
	for _, id := range ids {
		require.NoError(t, q.Started(id))
	}
}

// A job that starts in the room that victims leave comes after the job to which they give way: they run until then.
func TestStartsComeInTheOrderInWhichTheyWereFound(t *testing.T) {
	q, _ := newQueue(t, 4, plan.Config{Backfill: plan.FirstFit(), Preempt: true})
	require.NoError(t, q.Submit(plan.Job{ID: "victim", Preemptible: true, Shapes: []plan.Shape{on(4, 10)}}))
	ids, _ := pass(t, q, 0)
	run(t, q, ids...)
	submit(t, q, "low", on(1, 10))
	require.NoError(t, q.Submit(plan.Job{ID: "high", Class: 1, Shapes: []plan.Shape{on(2, 10)}}))
	ids, _ = pass(t, q, 1)
	require.Equal(t, []plan.ID{"high", "low"}, ids)
	require.NoError(t, q.Requeue(1, "victim"))
	run(t, q, ids...)
}
