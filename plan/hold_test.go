package plan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/nodes"
)

// TestAnOverrunIsBookedAsSoonAsThereIsRoom: a job that has overrun into a reservation of others keeps its units when that is
// over, and nobody else starts there.
func TestAnOverrunIsBookedAsSoonAsThereIsRoom(t *testing.T) {
	q, pool := poolQueue(t, Config{Backfill: EASY(1), Grace: 20})
	submit(t, q, Job{ID: "a", Shapes: on(4, 10)})
	started, _ := pass(t, q, 0)
	require.Equal(t, []ID{"a"}, started)
	others, err := pool.Reserve(bookahead.At(10, 5, 4))
	require.NoError(t, err)
	q.Changed()
	submit(t, q, Job{ID: "b", Shapes: on(4, 5)})
	_, _ = pass(t, q, 1)
	started, events := pass(t, q, 10)
	require.Empty(t, started)
	require.Contains(t, events, Event{Kind: Overrun, Job: "a", From: 10, To: 30, On: "p", Reservation: others.ID})
	started, events = pass(t, q, 15)
	require.Empty(t, started, "a runs on")
	require.Len(t, events, 2)
	require.Equal(t, Event{Kind: Overrun, Job: "a", From: 30, To: 30}, events[0])
	e := events[1]
	require.Equal(t, Event{Kind: Delayed, Job: "b", From: 15, To: 30, Cause: Overran, By: "a", On: "p", Reservation: e.Reservation}, e)
	require.NoError(t, q.Ended(17, "a"))
	started, _ = pass(t, q, 17)
	require.Equal(t, []ID{"b"}, started)
}

// TestAnOverrunIntoAClosureIsLost: a job that overruns when its node closes holds a closed node, and is told so.
func TestAnOverrunIntoAClosureIsLost(t *testing.T) {
	m, err := nodes.New(nodes.Config{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{1}}})
	require.NoError(t, err)
	q, err := New(Config{Schedules: []Schedule{{Name: "n", Nodes: m}}, Grace: 5})
	require.NoError(t, err)
	submit(t, q, Job{ID: "a", Shapes: []Shape{{{On: "n", Units: 1, Duration: 10, Tasks: &nodes.Request{Each: nodes.Vector{1}}}}}})
	pass(t, q, 0)
	_, err = m.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 10, End: 20}, Servers: []int{0}})
	require.NoError(t, err)
	q.Changed()
	_, events := pass(t, q, 10)
	require.Equal(t, []Event{
		{Kind: Overrun, Job: "a", From: 10, To: 15, On: "n"},
		{Kind: Lost, Job: "a", From: 15, To: 10, Cause: Outage, On: "n"},
	}, events)
}

// TestAPartThatBeginsOnAClosedNodeIsLost: a part that begins later than its job meets a closure that began before, and Next knows.
func TestAPartThatBeginsOnAClosedNodeIsLost(t *testing.T) {
	m, err := nodes.New(nodes.Config{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{2}}})
	require.NoError(t, err)
	one := &nodes.Request{Each: nodes.Vector{1}}
	_, err = m.Reserve(nodes.Request{Each: nodes.Vector{1}, Tasks: 1, Duration: 12})
	require.NoError(t, err)
	pool, err := carts.NewIndexed(1, carts.Config{})
	require.NoError(t, err)
	q, err := New(Config{Schedules: []Schedule{{Name: "n", Nodes: m}, {Name: "p", Pool: pool}}})
	require.NoError(t, err)
	submit(t, q, Job{ID: "a", Shapes: []Shape{{{On: "p", Units: 1, Duration: 9}, {On: "n", Units: 1, Duration: 4, Offset: 5, Tasks: one}}}})
	pass(t, q, 0)
	_, err = m.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 2, End: 20}, Servers: []int{0}})
	require.NoError(t, err)
	q.Changed()
	_, events := pass(t, q, 2)
	require.Empty(t, events)
	_, events = pass(t, q, 4)
	require.Empty(t, events)
	require.Equal(t, bookahead.Time(5), q.Next())
	_, events = pass(t, q, 5)
	require.Equal(t, []Event{{Kind: Lost, Job: "a", From: 9, To: 5, Cause: Outage, On: "n"}}, events)
}
