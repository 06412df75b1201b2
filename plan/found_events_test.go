package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/plan"
)

// A closure of other nodes does not delay a job, and an Event does not say so.
func TestOutageOfOtherNodesIsNoCause(t *testing.T) {
	m, err := nodes.New(nodes.Config{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{1}, {1}}})
	require.NoError(t, err)
	q, err := plan.New(plan.Config{Schedules: []plan.Schedule{{Name: "n", Nodes: m}}, Backfill: plan.EASY(1)})
	require.NoError(t, err)
	req := func(node int) *nodes.Request { return &nodes.Request{Each: nodes.Vector{1}, Nodes: []int{node}} }
	job := func(id plan.ID, d bookahead.Duration) {
		require.NoError(t, q.Submit(plan.Job{ID: id, Shapes: []plan.Shape{{{On: "n", Units: 1, Duration: d, Tasks: req(0)}}}}))
	}
	job("a", 10)
	ids, _ := pass(t, q, 0)
	run(t, q, ids...)
	job("b", 10)
	pass(t, q, 0)
	_, err = m.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 12, End: 15}, Servers: []int{1}})
	require.NoError(t, err)
	r, err := m.ReserveOffer(nodes.Offer{Interval: bookahead.Interval{Start: 12, End: 14}, Tasks: []nodes.Share{{Node: 0, Tasks: 1}}, Head: -1}, *req(0))
	require.NoError(t, err)
	q.Changed()
	_, events := pass(t, q, 1)
	require.Equal(t, []plan.Event{{Kind: plan.Delayed, Job: "b", From: 10, To: 14, Cause: plan.Firm, On: "n", Reservation: r.ID}}, events)
}

// A closure that was there before the queue, and a reservation that the promise went around, delay nobody.
func TestOnlyNewsAreACause(t *testing.T) {
	p, err := carts.NewIndexed(4, carts.Config{})
	require.NoError(t, err)
	_, err = p.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 0, End: 100}, Units: 1})
	require.NoError(t, err)
	_, err = p.Reserve(bookahead.At(0, 100, 1))
	require.NoError(t, err)
	q, err := plan.New(plan.Config{Schedules: []plan.Schedule{{Name: "p", Pool: p}}, Backfill: plan.Conservative()})
	require.NoError(t, err)
	submit(t, q, "a", on(2, 10))
	ids, _ := pass(t, q, 0)
	run(t, q, ids...)
	submit(t, q, "b", on(2, 10))
	submit(t, q, "c", on(2, 10))
	pass(t, q, 0)
	require.NoError(t, q.Ended(10, "a"))
	_, _, err = q.Reserve(plan.Part{On: "p", Units: 1, Duration: 200}, 40, 0)
	require.NoError(t, err)
	_, events := pass(t, q, 12) // b was to start at 10, and now pushes c
	require.Equal(t, []plan.Event{
		{Kind: plan.Delayed, Job: "b", From: 10, To: 12, Cause: plan.Late},
		{Kind: plan.Delayed, Job: "c", From: 20, To: 22, Cause: plan.Late},
	}, events)
}

// A part of the job itself is not in the way of another part that overruns.
func TestOverrunNamesOthers(t *testing.T) {
	q, p := newQueue(t, 3, plan.Config{})
	submit(t, q, "a", plan.Shape{{On: "p", Units: 1, Duration: 10}, {On: "p", Units: 2, Duration: 10}})
	ids, _ := pass(t, q, 0)
	run(t, q, ids...)
	_, err := p.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 10, End: 30}, Units: 1})
	require.NoError(t, err)
	q.Changed()
	_, events := pass(t, q, 10)
	require.Equal(t, plan.Event{Kind: plan.Overrun, Job: "a", From: 10, To: 11, On: "p"}, events[0])
}

// A reservation that begins in an outage takes the units of a job that runs: Next is the time at which the job is lost.
func TestNextSeesALostJob(t *testing.T) {
	q, p := newQueue(t, 2, plan.Config{})
	_, err := p.Reserve(bookahead.At(5, 5, 1))
	require.NoError(t, err)
	q.Changed()
	submit(t, q, "a", on(1, 20))
	ids, _ := pass(t, q, 0)
	run(t, q, ids...)
	_, err = p.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 0, End: 30}, Units: 1})
	require.NoError(t, err)
	q.Changed()
	pass(t, q, 0)
	require.Equal(t, bookahead.Time(5), q.Next())
	_, events := pass(t, q, 5)
	require.Equal(t, []plan.Event{{Kind: plan.Lost, Job: "a", From: 20, To: 5, Cause: plan.Outage, On: "p"}}, events)
}
