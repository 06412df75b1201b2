package nodes

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// A gang of one rack runs when node 1 fails. Its other tasks stay, and the task of node 1 goes on on node 2, and not on
// node 4 of the other rack, which has more room:
//
//	rack 0    0  1  2  3            rack 1    4  5
//	before    1  1  -  1 (taken)              -  -
//	after     1  x  1  1                      -  -
func TestASwapMovesTheTasksOfOneNode(t *testing.T) {
	m, err := New(Config{
		Horizon: 1000, Resources: []string{"gpus"}, Nodes: []Vector{{8}, {8}, {8}, {8}, {64}, {64}},
		Levels: []Level{{"rack", [][]int{{0, 1, 2, 3}, {4, 5}}}}, Policy: BestFit(),
	})
	require.NoError(t, err)
	booked(t, m, Request{Duration: 100, Tasks: 1, Each: Vector{5}, Nodes: []int{2}})
	r := Request{Duration: 50, Tasks: 3, Each: Vector{3}, PerNode: 1, Within: "rack", Except: []int{2}}
	gang := reserved(t, m, r)
	require.Equal(t, "#2 [0, 50) 1 on 0, 1 on 1, 1 on 3", gang.String())
	require.NoError(t, m.Advance(20))
	before, err := m.MarshalBinary()
	require.NoError(t, err)
	_, err = m.Swap(gang.ID, 1) // node 2 is ruled out, and all others have their task
	require.Equal(t, bookahead.ErrUnavailable, err)
	for _, node := range []int{2, 4, -1, 6, math.MaxInt} {
		_, err = m.Swap(gang.ID, node)
		refused(t, err, "node")
	}
	_, err = m.Swap(7, 1)
	require.Equal(t, bookahead.ErrNotFound, err)
	after, err := m.MarshalBinary()
	require.NoError(t, err)
	require.Equal(t, before, after)

	r.Except, r.Ready = nil, 0
	gang, err = m.Rebook(gang.ID, r)
	require.NoError(t, err)
	closes(t, m, 20, bookahead.MaxTime, 1)
	require.NotEmpty(t, slices.Collect(m.Overbooked(m.Frame().Window())))
	swapped, err := m.Swap(gang.ID, 1)
	require.NoError(t, err)
	require.Equal(t, "#2 [0, 50) 1 on 0, 1 on 2, 1 on 3", swapped.String())
	require.Equal(t, gang.Terms, swapped.Terms)
	require.Empty(t, slices.Collect(m.Overbooked(m.Frame().Window())))
	kept, err := m.Reservation(gang.ID)
	require.NoError(t, err)
	require.Equal(t, swapped, kept)
	require.NoError(t, m.Verify())
}

// The head moves alone, and the tasks do when theirs is the node that fails. Nodes are taken as a whole.
func TestASwapOfAHeadAndOfWholeNodes(t *testing.T) {
	m := sixNodes(t)
	r := Request{Duration: 10, Tasks: 2, Each: Vector{1}, Head: Vector{8}, Exclusive: true, Nodes: []int{0, 1, 2, 3}}
	res := reserved(t, m, r)
	require.Equal(t, "#1 [0, 10) 2 on 1, the head on 0", res.String())
	res, err := m.Swap(1, 0)
	require.NoError(t, err)
	require.Equal(t, "#1 [0, 10) 2 on 1, the head on 2", res.String())
	booked(t, m, Request{Duration: 10, Tasks: 1, Each: Vector{1}, Nodes: []int{0}})
	res, err = m.Swap(1, 1)
	require.NoError(t, err)
	require.Equal(t, "#1 [0, 10) 2 on 3, the head on 2", res.String())
	require.True(t, res.Terms.Exclusive)
	require.NoError(t, m.Verify())
}

// Two nodes of a gang fail at once. Displace with Swap moves two tasks, and without it the whole gang, from now on.
func TestADisplaceMaySwap(t *testing.T) {
	for swap, want := range map[bool]string{true: "#1 [0, 50) 1 on 0, 1 on 3, 1 on 4", false: "#1 [20, 50) 1 on 3, 1 on 4, 1 on 5"} {
		m := sixNodes(t)
		booked(t, m, Request{Duration: 50, Tasks: 3, Each: Vector{8}})
		require.NoError(t, m.Advance(20))
		closes(t, m, 20, 60, 1, 2)
		r := Request{Duration: 10, Tasks: 1, Each: Vector{8}, Nodes: []int{0}}
		if swap {
			r.Nodes = []int{1, 5}
		}
		done, err := m.Displace(Force{Swap: swap, Request: &r})
		require.NoError(t, err)
		require.Len(t, done.Moved, 1)
		require.Equal(t, want, done.Moved[0].To.String())
		require.Equal(t, "#1 [0, 50) 1 on 0, 1 on 1, 1 on 2", done.Moved[0].From.String())
		require.NoError(t, m.Verify())
	}
}

// A swap takes no node that another running gang keeps, and one that keeps nothing is placed by its own request.
func TestSwapsOfSeveral(t *testing.T) {
	m := sixNodes(t)
	for range 2 {
		booked(t, m, Request{Duration: 50, Tasks: 2, Each: Vector{8}})
	}
	require.NoError(t, m.Advance(20))
	closes(t, m, 20, 60, 1, 3)
	done, err := m.Displace(Force{Swap: true})
	require.NoError(t, err)
	require.Len(t, done.Moved, 2)
	require.Equal(t, "#1 [0, 50) 1 on 0, 1 on 4", done.Moved[0].To.String())
	require.Equal(t, "#2 [0, 50) 1 on 2, 1 on 5", done.Moved[1].To.String())
	require.NoError(t, m.Verify())

	m = sixNodes(t)
	booked(t, m, Request{Duration: 50, Tasks: 1, Each: Vector{8}})
	require.NoError(t, m.Advance(20))
	closes(t, m, 20, 60, 0)
	anew := Request{Duration: 50, Tasks: 1, Each: Vector{8}}
	done, err = m.Displace(Force{Swap: true, Again: func(Reservation) (Request, bool) { return anew, true }})
	require.NoError(t, err)
	require.Equal(t, "#1 [20, 70) 1 on 1", done.Moved[0].To.String())
}
