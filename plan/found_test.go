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

// A refund is of what is left of the charge: half of it, if all use was halved since.
func TestRefundIsHalvedWithTheCharge(t *testing.T) {
	q, _ := newQueue(t, 2, plan.Config{Order: plan.FairShare(plan.Share{HalfLife: 10})})
	job := func(id plan.ID, owner string, d bookahead.Duration) {
		require.NoError(t, q.Submit(plan.Job{ID: id, Owner: owner, Shapes: []plan.Shape{on(1, d)}}))
	}
	job("a", "ann", 9)
	job("b", "ann", 30)
	ids, _ := pass(t, q, 0)
	run(t, q, ids...) // ann is charged for 9 and 30
	require.NoError(t, q.Ended(9, "a"))
	require.NoError(t, q.Ended(10, "b")) // 19 of 39 are left, and b's 20 unused ticks are 10 of them
	job("c", "bob", 2)
	ids, _ = pass(t, q, 10)
	run(t, q, ids...)
	require.NoError(t, q.Ended(12, "c")) // bob has used 2, and ann 9
	require.NoError(t, q.Submit(plan.Job{ID: "d", Owner: "ann", Shapes: []plan.Shape{on(2, 2)}}))
	require.NoError(t, q.Submit(plan.Job{ID: "e", Owner: "bob", Shapes: []plan.Shape{on(2, 2)}}))
	ids, _ = pass(t, q, 12)
	require.Equal(t, []plan.ID{"e"}, ids)
}

// Turns that move with use are those of now in Forecasts, also before the next Pass.
func TestForecastsAreInTheTurnOfNow(t *testing.T) {
	q, _ := newQueue(t, 1, plan.Config{Order: plan.FairShare(plan.Share{})})
	job := func(id plan.ID, owner string, d bookahead.Duration) {
		require.NoError(t, q.Submit(plan.Job{ID: id, Owner: owner, Shapes: []plan.Shape{on(1, d)}}))
	}
	job("a", "ann", 10)
	job("b", "bob", 3)
	ids, _ := pass(t, q, 0)
	run(t, q, ids...)
	require.NoError(t, q.Ended(4, "a"))
	ids, _ = pass(t, q, 4)
	require.Equal(t, []plan.ID{"b"}, ids)
	run(t, q, ids...)
	job("c", "ann", 1) // ann has used 4, and bob is charged for 3
	job("e", "bob", 1)
	job("d", "cy", 1)
	require.NoError(t, q.Ended(4, "b"))
	list, err := q.Forecasts(context.Background())
	require.NoError(t, err)
	var turns []plan.ID
	for _, f := range list {
		turns = append(turns, f.Job)
	}
	require.Equal(t, []plan.ID{"e", "d", "c"}, turns) // and bob is charged for nothing any more
}

// A job that comes after an ID which the queue does not have is not held by a later job of that ID.
func TestAfterAJobOfLater(t *testing.T) {
	q, _ := newQueue(t, 1, plan.Config{})
	require.NoError(t, q.Submit(plan.Job{ID: "a", NotBefore: 5, After: []plan.ID{"b"}, Shapes: []plan.Shape{on(1, 10)}}))
	require.NoError(t, q.Submit(plan.Job{ID: "b", NotBefore: 20, Shapes: []plan.Shape{on(1, 10)}}))
	list, err := q.Forecasts(context.Background())
	require.NoError(t, err)
	require.Len(t, list, 2) // a was not among them
	require.Equal(t, plan.ID("a"), list[0].Job)
	require.Equal(t, bookahead.Time(5), list[0].Start)
	require.NoError(t, q.Verify())
	ids, _ := pass(t, q, 5)
	require.Equal(t, []plan.ID{"a"}, ids)
}

// A charge for nothing leaves no trace, and the queue can be read again.
func TestChargeForNothing(t *testing.T) {
	q, _ := newQueue(t, 1, plan.Config{})
	require.NoError(t, q.Charge("ann", "g", 1, 0))
	_, err := q.Clone()
	require.NoError(t, err)
}

// A proposal that was not taken in time can be read, and the bytes are the same.
func TestReadLateProposal(t *testing.T) {
	q, _ := newQueue(t, 2, plan.Config{Backfill: plan.FirstFit()})
	submit(t, q, "a", on(1, 10))
	submit(t, q, "b", on(1, 10))
	pass(t, q, 0)
	run(t, q, "a")
	require.NoError(t, q.Ended(3, "a"))
	data, err := q.Snapshot()
	require.NoError(t, err)
	c, err := q.Clone()
	require.NoError(t, err)
	again, err := c.Snapshot()
	require.NoError(t, err)
	require.Equal(t, data, again)
}

// A job that had its second shape, and has one now, can be asked why it waits.
func TestWhyAfterAChange(t *testing.T) {
	q, _ := newQueue(t, 2, plan.Config{Backfill: plan.EASY(1)})
	submit(t, q, "a", on(3, 1), on(1, 10))
	pass(t, q, 0)
	require.NoError(t, q.Change(plan.Job{ID: "a", Shapes: []plan.Shape{on(3, 10)}}))
	_, err := q.Why("a")
	require.NoError(t, err)
}

// A start whose place others have taken, who said nothing, has the next Pass look at the schedules.
func TestTakenStart(t *testing.T) {
	q, p := newQueue(t, 1, plan.Config{})
	submit(t, q, "a", on(1, 10))
	pass(t, q, 0)
	_, err := p.Reserve(bookahead.At(5, 5, 1))
	require.NoError(t, err)
	require.ErrorIs(t, q.Started("a"), bookahead.ErrUnavailable)
	ids, _ := pass(t, q, 0)
	require.Empty(t, ids)
	ids, _ = pass(t, q, 10)
	require.Equal(t, []plan.ID{"a"}, ids)
}
