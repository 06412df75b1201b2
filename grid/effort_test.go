package grid

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// Two pools are free in turn, so that a job on both leaps from gap to gap: a step for each Search.
func TestCoSearchKeepsItsEffort(t *testing.T) {
	even, odd := newPool(t, 1), newPool(t, 1)
	const gaps = 100
	for i := range gaps {
		for k, pool := range []bookahead.Schedule{even, odd} {
			_, err := pool.Reserve(bookahead.At(bookahead.Time(20*i+10*k), 10, 1))
			require.NoError(t, err)
		}
	}
	job := Job{Parts: []Part{{On: even, Duration: 5, Units: 1}, {On: odd, Duration: 5, Units: 1}}}
	plan, err := CoSearch(job)
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(20*gaps), plan.Start)
	enough := plan.Spent
	require.Greater(t, enough, int64(gaps), "it leaps from gap to gap")

	job.Effort.Steps = enough
	_, err = CoSearch(job)
	require.NoError(t, err)

	job.Effort.Steps = enough - 1
	plan, err = CoSearch(job)
	require.True(t, err == bookahead.ErrStopped)
	require.Equal(t, Plan{Spent: enough - 1}, plan)
	_, err = CoAllocate(job)
	require.ErrorIs(t, err, bookahead.ErrStopped)
	for _, pool := range []bookahead.Schedule{even, odd} {
		require.Equal(t, int64(1), freeIn(t, pool, 20*gaps, bookahead.MaxTime), "nothing is booked")
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	job.Effort = bookahead.Effort{Context: ctx}
	_, err = CoSearch(job)
	require.ErrorIs(t, err, context.Canceled)
	job.Effort = bookahead.Effort{Steps: -1}
	_, err = CoSearch(job)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
}

// Parts on one set of servers are matched together, and each match counts a step.
func TestMatchesCount(t *testing.T) {
	tree := newServers(t, 4)
	plan, err := CoSearch(Job{Parts: []Part{{On: tree, Duration: 5, Units: 1}, {On: tree, Duration: 3, Offset: 1, Units: 2}}})
	require.NoError(t, err)
	require.Equal(t, int64(4), plan.Spent)
}
