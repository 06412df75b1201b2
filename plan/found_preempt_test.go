package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/plan"
)

// crowded returns a queue of 4 units with running jobs of 2 units that give way, until 10.
func crowded(t *testing.T, b plan.Backfill) (*plan.Queue, bookahead.Closable) {
	q, p := newQueue(t, 4, plan.Config{Order: plan.ByPriority(), Backfill: b, Preempt: true})
	for _, id := range []plan.ID{"v", "w"} {
		require.NoError(t, q.Submit(plan.Job{ID: id, Preemptible: true, Shapes: []plan.Shape{on(2, 10)}}))
	}
	ids, _ := pass(t, q, 0)
	run(t, q, ids...)
	return q, p
}

func TestVictimThatOverrunsBeforeItGivesWay(t *testing.T) {
	q, _ := crowded(t, plan.FirstFit())
	require.NoError(t, q.Submit(plan.Job{ID: "a", Class: 1, Shapes: []plan.Shape{on(2, 10)}}))
	ids, _ := pass(t, q, 5)
	require.Equal(t, []plan.ID{"a"}, ids)
	ids, events := pass(t, q, 10)
	require.Equal(t, []plan.ID{"a"}, ids)
	require.Len(t, events, 2)
}

// A job whose victims still run has no place yet: they give way to one whose turn is before, also if it comes later in the same tick.
func TestVictimsThatStillRunAreAnybodys(t *testing.T) {
	q, _ := crowded(t, plan.FirstFit())
	require.NoError(t, q.Submit(plan.Job{ID: "a", Class: 1, Shapes: []plan.Shape{on(2, 10)}}))
	ids, _ := pass(t, q, 5)
	require.Equal(t, []plan.ID{"a"}, ids)
	require.NoError(t, q.Submit(plan.Job{ID: "b", Class: 2, Priority: 1, Shapes: []plan.Shape{on(4, 10)}}))
	r, err := q.Pass(t.Context(), 5)
	require.NoError(t, err)
	require.Len(t, r.Starts, 1)
	require.Equal(t, plan.ID("b"), r.Starts[0].Job)
	require.ElementsMatch(t, []plan.ID{"v", "w"}, r.Starts[0].Victims)
	_, f, err := q.Job("a")
	require.NoError(t, err)
	require.Equal(t, plan.Waiting, f.State)
}

// The victims of a job that is withdrawn go on, and may give way to another.
func TestVictimsOfAJobThatIsWithdrawn(t *testing.T) {
	q, _ := crowded(t, plan.FirstFit())
	require.NoError(t, q.Submit(plan.Job{ID: "a", Class: 1, Shapes: []plan.Shape{on(2, 10)}}))
	ids, _ := pass(t, q, 5)
	require.Equal(t, []plan.ID{"a"}, ids)
	_, err := q.Withdraw("a")
	require.NoError(t, err)
	require.NoError(t, q.Submit(plan.Job{ID: "b", Class: 1, Shapes: []plan.Shape{on(4, 10)}}))
	r, err := q.Pass(t.Context(), 5)
	require.NoError(t, err)
	require.Len(t, r.Starts, 1)
	require.ElementsMatch(t, []plan.ID{"v", "w"}, r.Starts[0].Victims)
}

// A promised job that can move to now does not take the place of others.
func TestNobodyGivesWayToAJobThatFits(t *testing.T) {
	q, p := newQueue(t, 4, plan.Config{Backfill: plan.EASY(1), Preempt: true})
	require.NoError(t, q.Submit(plan.Job{ID: "v", Preemptible: true, Shapes: []plan.Shape{on(2, 10)}}))
	ids, _ := pass(t, q, 0)
	run(t, q, ids...)
	firm, err := p.Reserve(bookahead.At(0, 8, 2))
	require.NoError(t, err)
	q.Changed()
	require.NoError(t, q.Submit(plan.Job{ID: "a", Class: 0, Shapes: []plan.Shape{on(2, 10)}}))
	pass(t, q, 0)
	require.NoError(t, q.Change(plan.Job{ID: "a", Class: 1, Shapes: []plan.Shape{on(2, 10)}}))
	require.NoError(t, p.Release(firm.ID))
	q.Changed()
	r, err := q.Pass(t.Context(), 1)
	require.NoError(t, err)
	require.Len(t, r.Starts, 1)
	require.Empty(t, r.Starts[0].Victims)
}

// Nor does a job whose best shape comes later, if another shape fits now.
func TestNobodyGivesWayToAJobThatFitsInAnotherShape(t *testing.T) {
	q, _ := newQueue(t, 4, plan.Config{Backfill: plan.EASY(1), Preempt: true})
	require.NoError(t, q.Submit(plan.Job{ID: "v", Preemptible: true, Shapes: []plan.Shape{on(2, 10)}}))
	ids, _ := pass(t, q, 0)
	run(t, q, ids...)
	require.NoError(t, q.Submit(plan.Job{ID: "a", Class: 1, Shapes: []plan.Shape{on(4, 5), on(1, 20)}}))
	ids, _ = pass(t, q, 0)
	require.Empty(t, ids)
	_, f, err := q.Job("a")
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(10), f.Promised)
}

// A job that runs on units that will be closed holds the rest of its time in the plan, whoever was tried as a victim.
func TestVictimOnAClosureStaysInThePlan(t *testing.T) {
	q, p := crowded(t, plan.EASY(1))
	_, err := p.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 2, End: 5}, Units: 4})
	require.NoError(t, err)
	q.Changed()
	require.NoError(t, q.Submit(plan.Job{ID: "a", Class: 1, Shapes: []plan.Shape{on(3, 4)}}))
	ids, _ := pass(t, q, 1)
	require.Empty(t, ids)
	_, f, err := q.Job("a")
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(10), f.Promised)
}

// Two give way rather than three, although the three are less important one by one.
func TestFewestGiveWay(t *testing.T) {
	q, _ := newQueue(t, 8, plan.Config{Backfill: plan.FirstFit(), Preempt: true})
	for i, units := range []int64{1, 1, 2, 4} {
		id := plan.ID("v" + string(rune('0'+i)))
		require.NoError(t, q.Submit(plan.Job{ID: id, Priority: int64(i), Preemptible: true, Shapes: []plan.Shape{on(units, 10)}}))
	}
	ids, _ := pass(t, q, 0)
	run(t, q, ids...)
	require.NoError(t, q.Submit(plan.Job{ID: "a", Class: 1, Shapes: []plan.Shape{on(6, 10)}}))
	r, err := q.Pass(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, []plan.ID{"v2", "v3"}, r.Starts[0].Victims)
}

// A promised job that starts on the units of victims gives its promised place to those behind it.
func TestAPromiseIsFreeOnceVictimsGiveWay(t *testing.T) {
	q, _ := newQueue(t, 4, plan.Config{Backfill: plan.Conservative(), Preempt: true})
	require.NoError(t, q.Submit(plan.Job{ID: "v", Preemptible: true, Shapes: []plan.Shape{on(4, 10)}}))
	ids, _ := pass(t, q, 0)
	run(t, q, ids...)
	submit(t, q, "a", on(4, 10))
	submit(t, q, "b", on(4, 12))
	pass(t, q, 0)
	_, f, err := q.Job("b")
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(20), f.Promised)
	require.NoError(t, q.Change(plan.Job{ID: "a", Class: 1, Shapes: []plan.Shape{on(4, 10)}}))
	ids, _ = pass(t, q, 5)
	require.Equal(t, []plan.ID{"a"}, ids)
	require.NoError(t, q.Requeue(5, "v"))
	ids, _ = pass(t, q, 5)
	run(t, q, ids...)
	_, f, err = q.Job("b")
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(15), f.Promised)
}
