package plan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
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
	require.Equal(t, Delayed, events[1].Kind)
	require.Equal(t, bookahead.Time(30), events[1].To)
	require.NoError(t, q.Ended(17, "a"))
	started, _ = pass(t, q, 17)
	require.Equal(t, []ID{"b"}, started)
}
