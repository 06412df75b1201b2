package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/plan"
)

// Each test of this file shows a seeded fault that random histories are unlikely to show: see TestFaults.

// A reservation that went around a promise delays nobody, although it lies beside the promise.
func TestReservationAroundAPromiseIsNoCause(t *testing.T) {
	q, _ := newQueue(t, 3, plan.Config{Backfill: plan.Conservative()})
	submit(t, q, "a", on(2, 10))
	ids, _ := pass(t, q, 0)
	run(t, q, ids...)
	submit(t, q, "b", on(2, 10))
	submit(t, q, "c", on(2, 10))
	pass(t, q, 0)
	_, _, err := q.Reserve(plan.Part{On: "p", Units: 1, Duration: 40}, 0, 0)
	require.NoError(t, err)
	require.NoError(t, q.Ended(10, "a"))
	_, events := pass(t, q, 12)
	require.Equal(t, plan.Event{Kind: plan.Delayed, Job: "c", From: 20, To: 22, Cause: plan.Late}, events[1])
}

// A job is lost with the node of its head, and Next is when the closure of a node begins.
func TestLostHead(t *testing.T) {
	m, err := nodes.New(nodes.Config{Resources: []string{"gpus", "cores"}, Nodes: []nodes.Vector{{0, 4}, {1, 1}}})
	require.NoError(t, err)
	q, err := plan.New(plan.Config{Schedules: []plan.Schedule{{Name: "n", Nodes: m}}})
	require.NoError(t, err)
	part := plan.Part{On: "n", Units: 2, Duration: 20, Tasks: &nodes.Request{Each: nodes.Vector{0, 2}, Head: nodes.Vector{1, 1}}}
	require.NoError(t, q.Submit(plan.Job{ID: "a", Shapes: []plan.Shape{{part}}}))
	ids, _ := pass(t, q, 0)
	run(t, q, ids...)
	_, err = m.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 5, End: 8}, Servers: []int{1}})
	require.NoError(t, err)
	q.Changed()
	pass(t, q, 0)
	require.Equal(t, bookahead.Time(5), q.Next())
	_, events := pass(t, q, 5)
	require.Equal(t, []plan.Event{{Kind: plan.Lost, Job: "a", From: 20, To: 5, Cause: plan.Outage, On: "n"}}, events)
}

// A job changes its shape where something was given back after its start.
func TestMoveToAnotherShape(t *testing.T) {
	q, p := newQueue(t, 2, plan.Config{Backfill: plan.EASY(1)})
	_, err := p.Reserve(bookahead.At(0, 10, 2))
	require.NoError(t, err)
	x, err := p.Reserve(bookahead.At(12, 28, 1))
	require.NoError(t, err)
	q.Changed()
	submit(t, q, "a", on(1, 20), on(2, 5))
	pass(t, q, 0)
	require.NoError(t, q.Release("p", x.ID))
	pass(t, q, 0)
	_, f, err := q.Job("a")
	require.NoError(t, err)
	require.Equal(t, 1, f.Shape)
	require.Equal(t, bookahead.Time(10), f.Start)
	require.Equal(t, bookahead.Time(15), f.End)
}

// A job moves into the first part of the time that is given back, where more is free than in the last.
func TestMoveWhereMostIsFree(t *testing.T) {
	q, p := newQueue(t, 2, plan.Config{Backfill: plan.EASY(1)})
	_, err := p.Reserve(bookahead.At(0, 5, 2))
	require.NoError(t, err)
	x, err := p.Reserve(bookahead.At(5, 10, 1))
	require.NoError(t, err)
	_, err = p.Reserve(bookahead.At(12, 8, 1))
	require.NoError(t, err)
	q.Changed()
	submit(t, q, "a", on(2, 5))
	pass(t, q, 0)
	require.NoError(t, q.Release("p", x.ID))
	pass(t, q, 0)
	_, f, err := q.Job("a")
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(5), f.Promised)
}

// The third job of a line gets a promise when it comes, if three have promises.
func TestThirdIsPromised(t *testing.T) {
	q, _ := newQueue(t, 1, plan.Config{Backfill: plan.EASY(3)})
	submit(t, q, "a", on(1, 10))
	ids, _ := pass(t, q, 0)
	run(t, q, ids...)
	submit(t, q, "b", on(1, 10))
	submit(t, q, "c", on(1, 10))
	pass(t, q, 0)
	submit(t, q, "d", on(1, 10))
	pass(t, q, 0)
	_, f, err := q.Job("d")
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(30), f.Promised)
}

// Next is when a closure begins, also if nobody is there.
func TestNextSeesAClosure(t *testing.T) {
	m, err := nodes.New(nodes.Config{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{1}}})
	require.NoError(t, err)
	_, err = m.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 5, End: 8}, Servers: []int{0}})
	require.NoError(t, err)
	q, err := plan.New(plan.Config{Schedules: []plan.Schedule{{Name: "n", Nodes: m}}})
	require.NoError(t, err)
	pass(t, q, 0)
	require.Equal(t, bookahead.Time(5), q.Next())
}

// A queue that has slept for three half lives halves all use three times.
func TestThreeHalfLivesAtOnce(t *testing.T) {
	q, _ := newQueue(t, 1, plan.Config{Order: plan.FairShare(plan.Share{HalfLife: 10})})
	require.NoError(t, q.Charge("ann", "", 1, 8))
	require.NoError(t, q.Advance(30)) // 1 is left
	require.NoError(t, q.Charge("bob", "", 1, 2))
	require.NoError(t, q.Submit(plan.Job{ID: "b", Owner: "bob", Shapes: []plan.Shape{on(1, 1)}}))
	require.NoError(t, q.Submit(plan.Job{ID: "a", Owner: "ann", Shapes: []plan.Shape{on(1, 1)}}))
	ids, _ := pass(t, q, 30)
	require.Equal(t, []plan.ID{"a"}, ids)
}
