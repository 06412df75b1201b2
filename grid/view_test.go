package grid

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/idletree"
)

func viewOf(t *testing.T, x *idletree.Tree, l idletree.Layout) *idletree.Within {
	v, err := x.Within(l)
	require.NoError(t, err)
	return v
}

// Servers that are free for each of two parts may no longer lie together when the other part has its
// servers. So parts that overlap on a view are refused, unless each names servers of its own.
func TestPartsThatOverlapOnAViewAreRefused(t *testing.T) {
	for _, l := range []idletree.Layout{{Adjacent: true}, {Groups: [][]int{{0, 1}, {2, 3}, {4, 5}}}} {
		v := viewOf(t, newServers(t, 6), l)
		j := Job{Parts: []Part{{On: v, Duration: 10, Units: 2}, {On: v, Duration: 10, Units: 2, Offset: 5}}}
		_, err := CoSearch(j)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, "Job.Parts[1] on *idletree.Within overlaps Parts[0], and servers that must lie together are not matched")
		j.Parts[0].Servers, j.Parts[1].Servers = []int{0, 1, 2}, []int{3, 4, 5}
		a, err := CoAllocate(j)
		require.NoError(t, err)
		require.Zero(t, a.Start)
		require.Equal(t, []int{0, 1}, a.Parts[0].Servers)
		require.Equal(t, 1, a.Parts[1].Servers[1]-a.Parts[1].Servers[0])
	}
}

// Two views of one tree have the same servers, and so have the tree and a view, also behind its lock.
func TestViewsOfOneTreeShareIt(t *testing.T) {
	x := newServers(t, 4)
	v := viewOf(t, x, idletree.Layout{Groups: [][]int{{0, 1}, {2, 3}}})
	w := viewOf(t, x, idletree.Layout{Adjacent: true})
	for _, pair := range [][2]bookahead.Schedule{{v, w}, {x, v}, {v, x}, {bookahead.Locked(x), w}} {
		j := Job{Parts: []Part{{On: pair[0], Duration: 10, Units: 2}, {On: pair[1], Duration: 10, Units: 2}}}
		_, err := CoSearch(j)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, "shares a schedule with Parts[0]")
		_, err = NewBroker(Config{}, pair[0], pair[1])
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, "shares a schedule with, providers[0]")
		j.Parts[1].Offset = 10
		_, err = CoSearch(j)
		require.NoError(t, err)
	}
	other := viewOf(t, newServers(t, 4), idletree.Layout{Adjacent: true})
	_, err := CoSearch(Job{Parts: []Part{{On: v, Duration: 10, Units: 2}, {On: other, Duration: 10, Units: 2}}})
	require.NoError(t, err)
	_, err = NewBroker(Config{}, v, other)
	require.NoError(t, err)
}
