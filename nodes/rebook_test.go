package nodes

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// four is a machine of two racks of two nodes with so many GPUs each.
func four(t *testing.T, gpus ...int64) *Machine {
	c := Config{Resources: []string{"gpus"}, Levels: []Level{{"rack", [][]int{{0, 1}, {2, 3}}}}, Horizon: 50}
	for _, n := range gpus {
		c.Nodes = append(c.Nodes, Vector{n})
	}
	m, err := New(c)
	require.NoError(t, err)
	return m
}

// booked books a request that names its nodes.
func booked(t *testing.T, m *Machine, r Request) bookahead.ID {
	res, err := m.Reserve(r)
	require.NoError(t, err)
	return res.ID
}

// A job that is placed anew in a rack stays in its rack, although a lower one has room.
func TestRebookStaysInItsRack(t *testing.T) {
	m := four(t, 2, 2, 2, 2)
	id := booked(t, m, Request{Ready: 5, Duration: 5, Tasks: 2, Each: Vector{1}, Nodes: []int{3}})
	res, err := m.Rebook(id, Request{Ready: 5, Duration: 6, Tasks: 3, Each: Vector{1}, Within: "rack"})
	require.NoError(t, err)
	require.Equal(t, []Share{{2, 1}, {3, 2}}, res.Tasks)
}

// Of two racks that hold tasks of the job, that one is taken in which more can stay.
func TestRebookGoesToTheRackWithMost(t *testing.T) {
	m := four(t, 4, 4, 4, 4)
	id := booked(t, m, Request{Ready: 5, Duration: 5, Tasks: 5, Each: Vector{1}, Nodes: []int{1, 2, 3}, PerNode: 2})
	res, err := m.Reservation(id)
	require.NoError(t, err)
	require.Equal(t, []Share{{1, 2}, {2, 2}, {3, 1}}, res.Tasks)
	res, err = m.Rebook(id, Request{Ready: 5, Duration: 5, Tasks: 5, Each: Vector{1}, Within: "rack"})
	require.NoError(t, err)
	require.Equal(t, []Share{{2, 4}, {3, 1}}, res.Tasks)
}

// The racks in which tasks stay come before those with the most room.
func TestRebookGathersWhereItIs(t *testing.T) {
	m := four(t, 2, 2, 1, 2)
	id := booked(t, m, Request{Ready: 5, Duration: 5, Tasks: 1, Each: Vector{1}, Nodes: []int{3}})
	res, err := m.Rebook(id, Request{Ready: 5, Duration: 6, Tasks: 3, Each: Vector{1}, Together: "rack"})
	require.NoError(t, err)
	require.Equal(t, []Share{{2, 1}, {3, 2}}, res.Tasks)
}

// The head stays where it is, although it would leave more room elsewhere.
func TestRebookKeepsTheHead(t *testing.T) {
	m := four(t, 3, 4, 4, 4)
	id := booked(t, m, Request{Ready: 5, Duration: 5, Tasks: 1, Each: Vector{2}, Head: Vector{2}, Nodes: []int{3}})
	res, err := m.Rebook(id, Request{Ready: 5, Duration: 6, Tasks: 2, Each: Vector{2}, Head: Vector{1}})
	require.NoError(t, err)
	require.Equal(t, 3, res.Head)
	require.Equal(t, []Share{{0, 1}, {3, 1}}, res.Tasks)
}

// A head goes where it takes the place of no task, and to the lowest of the nodes that are alike.
func TestHeadLeavesRoom(t *testing.T) {
	m := four(t, 4, 3, 3, 4)
	for _, c := range []struct {
		tasks int64
		head  int
	}{{1, 1}, {4, 1}, {6, 1}} {
		offer, err := m.Search(Request{Duration: 5, Tasks: c.tasks, Each: Vector{2}, Head: Vector{1}, Deadline: 5})
		require.NoError(t, err)
		require.Equal(t, c.head, offer.Head, c.tasks)
	}
	m = four(t, 2, 2, 2, 2)
	offer, err := m.Search(Request{Duration: 5, Tasks: 1, Each: Vector{2}, Head: Vector{1}})
	require.NoError(t, err)
	require.Equal(t, 0, offer.Head)
	require.Equal(t, []Share{{1, 1}}, offer.Tasks)
}

// A running job gains tasks, and gives some up, but does not swap them.
func TestRunningJobDoesNotSwap(t *testing.T) {
	m := four(t, 2, 2, 2, 2)
	id := booked(t, m, Request{Duration: 10, Tasks: 3, Each: Vector{1}, Nodes: []int{2, 3}, Head: Vector{1}})
	require.NoError(t, m.Advance(3))
	old, err := m.Reservation(id)
	require.NoError(t, err)
	require.Equal(t, []Share{{2, 1}, {3, 2}}, old.Tasks)
	require.Equal(t, 2, old.Head)
	_, err = m.Rebook(id, Request{Duration: 10, Tasks: 3, Each: Vector{1}, Except: []int{3}, Head: Vector{1}})
	require.ErrorIs(t, err, bookahead.ErrUnavailable, "tasks of node 3 would have to move")
	_, err = m.Rebook(id, Request{Duration: 10, Tasks: 3, Each: Vector{1}, Except: []int{2}, Head: Vector{1}})
	require.ErrorIs(t, err, bookahead.ErrUnavailable, "the head would have to move")
	res, err := m.Rebook(id, Request{Duration: 12, Tasks: 2, Each: Vector{1}, Except: []int{2}})
	require.NoError(t, err, "one that gives up the head and a task may leave node 2")
	require.Equal(t, Offer{Interval: bookahead.Interval{Start: 0, End: 12}, Tasks: []Share{{3, 2}}, Head: -1}, res.Offer)
	res, err = m.Rebook(id, Request{Duration: 12, Tasks: 4, Each: Vector{1}})
	require.NoError(t, err)
	require.Equal(t, []Share{{0, 2}, {3, 2}}, res.Tasks)
	_, err = m.Rebook(id, Request{Duration: 3, Tasks: 4, Each: Vector{1}})
	require.ErrorIs(t, err, bookahead.ErrInvalid, "it would have ended by now")
	require.NoError(t, m.Verify())
}

// The head of a running job stays on node 0 as on any other.
func TestRunningHeadDoesNotMove(t *testing.T) {
	m := four(t, 2, 2, 2, 2)
	id := booked(t, m, Request{Duration: 10, Tasks: 1, Each: Vector{2}, Head: Vector{1}})
	require.NoError(t, m.Advance(3))
	old, err := m.Reservation(id)
	require.NoError(t, err)
	require.Equal(t, 0, old.Head)
	for name, r := range map[string]Request{
		"its node is ruled out":        {Duration: 10, Tasks: 1, Each: Vector{2}, Head: Vector{1}, Except: []int{0}},
		"its node does not hold it":    {Duration: 10, Tasks: 1, Each: Vector{2}, Head: Vector{3}},
		"its node is in another group": {Duration: 10, Tasks: 1, Each: Vector{2}, Head: Vector{1}, Nodes: []int{1, 2, 3}, Within: "rack"},
	} {
		_, err = m.Rebook(id, r)
		require.ErrorIs(t, err, bookahead.ErrUnavailable, name)
	}
	res, err := m.Rebook(id, Request{Duration: 10, Tasks: 2, Each: Vector{2}, Head: Vector{2}})
	require.NoError(t, err)
	require.Equal(t, 0, res.Head)
}

// The ready time of a running job is not read, whatever it is.
func TestRunningJobHasNoReadyTime(t *testing.T) {
	m := four(t, 2, 2, 2, 2)
	id := booked(t, m, Request{Duration: 10, Tasks: 1, Each: Vector{2}})
	require.NoError(t, m.Advance(3))
	for _, ready := range []bookahead.Time{0, 7, 30, bookahead.MaxTime} {
		res, err := m.Rebook(id, Request{Ready: ready, Duration: 12, Deadline: 12, Tasks: 1, Each: Vector{2}})
		require.NoError(t, err)
		require.Equal(t, bookahead.Interval{Start: 0, End: 12}, res.Interval)
	}
	_, err := m.Rebook(id, Request{Duration: 12, Deadline: 11, Tasks: 1, Each: Vector{2}})
	require.ErrorIs(t, err, bookahead.ErrUnavailable)
}
