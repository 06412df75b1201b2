package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// TestWorkflowIsAllOrNothing fills one access so that the second transfer
// fails.
func TestWorkflowIsAllOrNothing(t *testing.T) {
	g, err := openGrid(list, 4, 10_000)
	require.NoError(t, err)
	_, err = g[2].access.Reserve(bookahead.Request{Ready: 0, Duration: 1000, Units: linkUnits})
	require.NoError(t, err)
	o := order{
		at: []int{0, 1, 2}, transfer: 10, bandwidth: 300,
		job: bookahead.Request{Ready: 5, Deadline: 500, Duration: 20, Units: 2},
	}
	require.Equal(t, bookahead.ErrUnavailable, g.book(o))
	free := func(s bookahead.Schedule, start, end bookahead.Time) int64 {
		a, err := s.RangeQuery(bookahead.Interval{Start: start, End: end})
		require.NoError(t, err)
		return a.Free
	}
	for _, x := range g[:2] {
		require.Equal(t, int64(4), free(x.processors, 0, 1000))
		require.Equal(t, int64(linkUnits), free(x.access, 0, 1000))
	}
	o.at = []int{0, 1, 1}
	require.NoError(t, g.book(o))
	// 5-25 at the first, transfer 25-35, 35-55 and 55-75 at the second.
	require.Equal(t, int64(2), free(g[0].processors, 5, 25))
	require.Equal(t, int64(4), free(g[0].processors, 25, 1000))
	require.Equal(t, int64(700), free(g[0].access, 25, 35))
	require.Equal(t, int64(700), free(g[1].access, 25, 35))
	require.Equal(t, int64(2), free(g[1].processors, 35, 75))
	require.Equal(t, int64(4), free(g[1].processors, 75, 1000))
}
