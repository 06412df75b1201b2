package nodes

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// A job that is too large, a job that must wait for a repair, and a job that must wait for others have errors of
// their own, and all of them are of one kind.
func TestNeverAndNotBeforeTheRepair(t *testing.T) {
	m := sixNodes(t)
	whole := func(n int64, within string) Request {
		return Request{Duration: 10, Deadline: 20, Tasks: n, Each: Vector{8}, Within: within}
	}
	closes(t, m, 0, 15, 0, 2, 4)
	booked(t, m, Request{Duration: 15, Tasks: 1, Each: Vector{1}, Nodes: []int{5}})
	for name, x := range map[string]struct {
		r    Request
		want error
	}{
		"more nodes than there are":        {whole(7, ""), ErrNever},
		"more nodes than a rack has":       {whole(3, "rack"), ErrNever},
		"more of a node than it has":       {Request{Duration: 10, Tasks: 1, Each: Vector{9}}, ErrNever},
		"a head that no node holds":        {Request{Duration: 10, Tasks: 1, Each: Vector{1}, Head: Vector{9}}, ErrNever},
		"no time until the deadline":       {Request{Ready: -10, Duration: 10, Deadline: 9, Tasks: 1, Each: Vector{1}}, ErrNever},
		"no node is named":                 {Request{Duration: 10, Tasks: 1, Each: Vector{1}, Nodes: []int{}}, ErrNever},
		"closed nodes":                     {whole(4, ""), ErrClosed},
		"a closed node of each rack":       {whole(2, "rack"), ErrClosed},
		"another reservation":              {whole(3, ""), bookahead.ErrUnavailable},
		"closed nodes until the repair":    {Request{Duration: 10, Tasks: 4, Each: Vector{8}, Deadline: 25}, nil},
		"another reservation until it end": {Request{Duration: 10, Tasks: 3, Each: Vector{8}}, nil},
	} {
		_, err := m.Search(x.r)
		require.Equal(t, x.want, err, name)
		require.Equal(t, x.want != nil, errors.Is(err, bookahead.ErrUnavailable), name)
		_, err = m.Clone().Reserve(x.r)
		require.Equal(t, x.want, err, name)
		e, err := m.Explain(x.r)
		require.NoError(t, err)
		require.Equal(t, x.want, e.Err, name)
	}
	// the view of tasks is a bookahead.Schedule, whose error is compared with ==
	view, err := m.Tasks(Vector{8}, 0)
	require.NoError(t, err)
	_, err = view.Search(bookahead.Request{Duration: 10, Units: 7})
	require.Equal(t, bookahead.ErrUnavailable, err)
	_, err = view.Reserve(bookahead.Request{Duration: 10, Deadline: 20, Units: 4})
	require.Equal(t, bookahead.ErrUnavailable, err)
}

// To tell why a search has failed takes no memory.
func TestReasonsAllocateNothing(t *testing.T) {
	m := sixNodes(t)
	for n, want := range map[int64]error{6: bookahead.ErrUnavailable, 7: ErrNever} {
		r := Request{Duration: 10, Tasks: n, Each: Vector{8}, Deadline: 25}
		var q query
		require.NoError(t, m.ask(r, &q))
		require.Equal(t, want, m.why(&q, r))
		require.Zero(t, testing.AllocsPerRun(100, func() { _ = m.why(&q, r) }))
	}
}

// A node that is short of what nobody holds names nobody.
func TestShortageWithoutHolders(t *testing.T) {
	s := Shortage{Node: 1, Resource: "gpus", Free: 2, Lacking: bookahead.Interval{End: bookahead.MaxTime}}
	require.Equal(t, "node 1 has 2 gpus", s.String())
}

// Two racks lack something: node 3 has too few GPUs until #1 ends at 6, and node 2 is closed.
func TestExplainNamesWhoIsInTheWay(t *testing.T) {
	m, err := New(Config{
		Resources: []string{"gpus", "cores"}, Nodes: []Vector{{8, 64}, {8, 64}, {8, 64}, {8, 64}}, Horizon: 50,
		Levels: []Level{{"rack", [][]int{{0, 1}, {2, 3}}}},
	})
	require.NoError(t, err)
	booked(t, m, Request{Duration: 6, Tasks: 1, Each: Vector{6, 0}, Nodes: []int{3}})
	booked(t, m, Request{Duration: 9, Tasks: 2, Each: Vector{0, 60}, Nodes: []int{0, 1}})
	booked(t, m, Request{Ready: 8, Duration: 9, Tasks: 1, Each: Vector{1, 0}, Nodes: []int{3}})
	id := closes(t, m, 2, 20, 2)
	e, err := m.Explain(Request{Duration: 10, Tasks: 3, Each: Vector{2, 8}, Within: "rack"})
	require.NoError(t, err)
	require.Equal(t, 1, e.Group, "rack 0 has no room for any")
	require.Equal(t, int64(1), e.Room)
	require.Equal(t, []Shortage{
		{Node: 2, Room: 0, Resource: "gpus", Free: 0, Lacking: bookahead.Interval{Start: 2, End: 20}, Closures: []bookahead.ClosureID{id}},
		{Node: 3, Room: 1, Resource: "gpus", Free: 2, Lacking: bookahead.Interval{Start: 0, End: 6}, Reservations: []bookahead.ID{1}},
	}, e.Short)
	require.Equal(t, "3 tasks have no room in [0, 10): 1 have room, node 2 has 0 gpus until 20 (closure 1), "+
		"node 3 has 2 gpus until 6 (#1); the first place is [6, 16)", e.String())

	e, err = m.Explain(Request{Duration: 10, Deadline: 10, Tasks: 3, Each: Vector{2, 8}, Within: "rack"})
	require.NoError(t, err)
	require.Equal(t, bookahead.ErrUnavailable, e.Err)
	require.Contains(t, e.String(), "; the first place is [6, 16), after the deadline")
	e, err = m.Explain(Request{Ready: 45, Duration: 10, Tasks: 3, Each: Vector{2, 8}})
	require.NoError(t, err)
	require.Equal(t, "3 tasks cannot be booked in [45, 55); there is no place: bookahead: no capacity for the request", e.String())
	e, err = m.Explain(Request{Ready: 20, Duration: 10, Tasks: 3, Each: Vector{2, 8}})
	require.NoError(t, err)
	require.Equal(t, "3 tasks have room in [20, 30)", e.String())
	e, err = m.Explain(Request{Duration: 10, Tasks: 33, Each: Vector{1, 0}})
	require.NoError(t, err)
	require.Equal(t, "33 tasks have no room in [0, 10): 18 have room, node 2 has 0 gpus until 20 (closure 1), "+
		"node 3 has 2 gpus until 6 (#1); there is no place: nodes: the machine never has room for the request", e.String())
	_, err = m.Explain(Request{Duration: 10, Tasks: 1, Each: Vector{1, 0}, Set: "none"})
	refused(t, err, "Request.Set")
}

// The only node with room was added for a time that is over, so that no repair makes room.
func TestNeverOnANodeThatHasGone(t *testing.T) {
	m, err := New(Config{Resources: []string{"gpus"}, Nodes: []Vector{{1}}})
	require.NoError(t, err)
	_, err = m.Extend(bookahead.Closure{Interval: bookahead.Interval{Start: 10, End: 20}}, []Added{{Has: Vector{8}}})
	require.NoError(t, err)
	r := Request{Duration: 5, Tasks: 1, Each: Vector{8}}
	_, err = m.Search(r)
	require.NoError(t, err)
	r.Duration = 11
	_, err = m.Search(r)
	require.Equal(t, ErrClosed, err)
	require.NoError(t, m.Advance(30))
	_, err = m.Search(r)
	require.Equal(t, ErrNever, err)
}

// Nodes that are closed one after another come and go a few times each, whatever their number is. A refused search looks
// at these swings alone. It used to look at each node at each start, which took two seconds for 2 000 nodes.
func TestReasonsBesideManyClosures(t *testing.T) {
	const n = 4_000
	c := Config{Resources: []string{"gpus"}}
	for range n {
		c.Nodes = append(c.Nodes, Vector{8})
	}
	m, err := New(c)
	require.NoError(t, err)
	for k := range n {
		closes(t, m, bookahead.Time(10*k), bookahead.Time(10*k+10), k)
	}
	for tasks, want := range map[int64]error{n - 1: ErrClosed, n - 2: nil} { // a window of 15 ticks meets two closures, but for the first and the last
		_, err = m.Search(Request{Duration: 15, Tasks: tasks, Each: Vector{8}, PerNode: 1, Ready: 10, Deadline: 10*n - 10})
		require.Equal(t, want, err)
		var q query
		require.NoError(t, m.ask(Request{Duration: 15, Tasks: tasks, Each: Vector{8}, PerNode: 1}, &q))
		_, list := m.swings(&q, 0, 10*n)
		require.LessOrEqual(t, len(list), 4*n)
		require.True(t, slices.IsSortedFunc(list, swing.compare))
	}
}

// The terms of a reservation are the caller's: no other reservation and no clone has them.
func TestTermsAreTheCallers(t *testing.T) {
	m := sixNodes(t)
	gang := Request{Duration: 10, Tasks: 2, Each: Vector{8}, Within: "rack"}
	mine := booked(t, m, gang)
	other, err := m.Clone().Reserve(gang)
	require.NoError(t, err)
	other.Terms.Within = ""
	again, err := m.Reservation(mine)
	require.NoError(t, err)
	require.Equal(t, "rack", again.Terms.Within)
}
