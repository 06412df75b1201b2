package route_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/grid"
	"github.com/bookahead/bookahead/route"
)

// Stevens et al., §4.1: parts that follow a path as the data does are booked as a
// network books the path.
func TestANetworkBooksAPathAsItsParts(t *testing.T) {
	pool := func(units int64) *carts.Indexed {
		p, err := carts.NewIndexed(units, carts.Config{})
		require.NoError(t, err)
		return p
	}
	var links []route.Link
	var parts []grid.Part
	offset := bookahead.Duration(0)
	for k, delay := range []bookahead.Duration{2, 5, 1} {
		line := pool(1)
		links = append(links, route.Link{From: k, To: k + 1, Delay: delay, Schedule: line, Units: 1})
		parts = append(parts, grid.Part{On: line, Duration: 10, Units: 1, Offset: offset})
		offset += delay
	}
	n, err := route.New(4, links, []route.Cluster{{Node: 3, CPUs: 2, Speed: 1, Pool: pool(2)}}, route.Config{Slots: 100})
	require.NoError(t, err)
	plan, err := n.Earliest(route.Task{Burst: 10, Work: 5, CPUs: 1})
	require.NoError(t, err)
	for i, p := range parts {
		start := plan.Send.Start + bookahead.Time(p.Offset)
		require.Equal(t, n.Window(plan, i), bookahead.Interval{Start: start, End: start + 10})
	}
	a, err := grid.CoAllocate(grid.Job{Parts: parts})
	require.NoError(t, err)
	require.Equal(t, plan.Send.Start, a.Start)
	_, err = n.Commit(plan)
	require.Equal(t, bookahead.ErrUnavailable, err, "it has been booked")
	require.NoError(t, a.Release())
	_, err = n.Commit(plan)
	require.NoError(t, err)
}
