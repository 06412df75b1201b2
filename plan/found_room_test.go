package plan_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/plan"
)

// Once many jobs have asked in vain, the queue measures what is free. It measures again as soon as the caller's reservation ends or is
// released.
func TestRoomIsMeasuredAnew(t *testing.T) {
	for _, released := range []bool{false, true} {
		q, p := newQueue(t, 4, plan.Config{Backfill: plan.FirstFit()})
		others, err := p.Reserve(bookahead.At(0, 10, 4))
		require.NoError(t, err)
		q.Changed()
		for i := range 100 {
			submit(t, q, plan.ID(fmt.Sprint(i)), on(1, bookahead.Duration(20+i)))
		}
		ids, _ := pass(t, q, 0)
		require.Empty(t, ids)
		now := bookahead.Time(10)
		if released {
			require.NoError(t, p.Release(others.ID))
			q.Changed()
			now = 0
		}
		ids, _ = pass(t, q, now)
		require.Equal(t, []plan.ID{"0", "1", "2", "3"}, ids)
	}
}

// A forecast of a job that is held for long says nothing about one alike that is held for less.
func TestForecastsOfJobsAlike(t *testing.T) {
	q, _ := newQueue(t, 4, plan.Config{Backfill: plan.FirstFit()})
	for _, held := range []bookahead.Time{50, 20, 80} {
		require.NoError(t, q.Submit(plan.Job{ID: plan.ID(fmt.Sprint(held)), NotBefore: held, Shapes: []plan.Shape{on(2, 5)}}))
	}
	pass(t, q, 0)
	list, err := q.Forecasts(t.Context())
	require.NoError(t, err)
	starts := map[plan.ID]bookahead.Time{}
	for _, f := range list {
		starts[f.Job] = f.Start
	}
	require.Equal(t, map[plan.ID]bookahead.Time{"50": 50, "20": 20, "80": 80}, starts)
}
