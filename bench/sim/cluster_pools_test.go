package sim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
	"github.com/bookahead/bookahead/plan"
)

// on is a gang that may run on one node only.
func on(node int, g Gang) Gang {
	g.On.Nodes = []int{node}
	return g
}

// apart is a gang whose tasks have a node each.
func apart(g Gang) Gang {
	g.On.PerNode = 1
	return g
}

// beside is a gang with a head.
func beside(g Gang, gpus int64) Gang {
	g.On.Head = nodes.Vector{gpus}
	return g
}

// Two nodes of 2 GPUs, and a pool of 4.
func TestPoolsByHand(t *testing.T) {
	// One GPU of each node is taken until 20, so that 2 are free, and no node has 2.
	split := func(more ...Gang) []Gang {
		return append([]Gang{on(0, gang(0, 20, 20, 1, 1)), on(1, gang(0, 20, 20, 1, 1))}, more...)
	}
	easy := Local{Backfill: plan.EASY(1)}
	wrapped := int64(1)<<62 + 1
	for _, c := range []struct {
		name     string
		local    Local
		outages  []Outage
		gangs    []Gang
		on, pool string // the starts on nodes and on pools
		broken   []int  // on pools
	}{
		{"a broken promise", Local{}, nil, split(booked(gang(1, 4, 4, 1, 2), 5, 30)), "0 0 20", "0 0 20", []int{2}},
		{"with no time left", Local{}, nil, split(booked(gang(1, 4, 4, 1, 2), 5, 9)), "0 0 -", "0 0 -", []int{2}},
		{"no node is ever large enough", Local{}, nil, []Gang{booked(gang(0, 4, 4, 1, 3), 5, 0)}, "-", "-", []int{0}},
		// It is broken at 5, is booked for 20 by the estimates, and stays there.
		{"it is firm again", Local{}, nil, []Gang{on(0, gang(0, 9, 20, 1, 1)), on(1, gang(0, 9, 20, 1, 1)),
			booked(gang(1, 4, 4, 1, 2), 5, 30)}, "0 0 20", "0 0 20", []int{2}},
		// At 5, and again at 20, when the reservation before it takes a GPU of each node.
		{"twice broken counts once", Local{}, nil, split(apart(booked(gang(1, 9, 9, 2, 1), 20, 29)), booked(gang(1, 4, 4, 1, 2), 5, 60)),
			"0 0 20 29", "0 0 20 29", []int{3}},
		// The drain displaces the last. It is booked for 11, when a GPU of each node is taken.
		{"a displaced one does not count", Local{}, []Outage{drain(0, 1, 10, 11)},
			[]Gang{on(0, booked(gang(2, 9, 9, 1, 1), 11, 20)), on(1, booked(gang(0, 10, 10, 1, 1), 10, 20)), booked(gang(0, 4, 4, 1, 2), 10, 60)},
			"- 10 11/1", "11 10 20/1", nil},
		{"two broken ones, in the order of the gangs", Local{}, nil,
			split(booked(gang(1, 1, 1, 1, 2), 6, 40), booked(gang(1, 1, 1, 1, 2), 5, 40)), "0 0 20 20", "0 0 20 20", []int{2, 3}},
		{"a batch gang waits though the sums are free", Local{}, nil, split(gang(5, 4, 4, 1, 2)), "0 0 20", "0 0 20", nil},
		// Both keep 20 for the head, though the pool has 2 GPUs at 5.
		{"EASY keeps a place from the time at which there are nodes", easy, nil, split(gang(5, 4, 4, 1, 2), gang(6, 1, 1, 1, 1)), "0 0 20 6", "0 0 20 6", nil},
		// The pool keeps 2 of 4 GPUs from 20 on, and no node: two gangs that overtake take one of each.
		{"a sum that is kept keeps no node", easy, nil, split(gang(5, 4, 4, 1, 2), gang(6, 20, 20, 1, 1), gang(7, 20, 20, 1, 1)), "0 0 20 6 20", "0 0 26 6 7", nil},
		{"no place is kept where nobody knows of nodes", easy, []Outage{failure(0, 1, 0), failure(1, 2, 30)},
			[]Gang{gang(3, 4, 4, 1, 2), gang(3, 4, 4, 1, 1)}, "30 34", "30 34", nil},
		{"first fit keeps none", Local{Backfill: plan.FirstFit()}, nil, split(gang(5, 4, 4, 1, 2), gang(6, 1, 1, 1, 1)), "0 0 20 6", "0 0 20 6", nil},
		{"the head is in the sum", Local{}, nil, []Gang{on(1, gang(0, 9, 9, 2, 1)), booked(beside(gang(1, 4, 4, 1, 1), 2), 5, 30)}, "0 9", "0 9", nil},
		{"and finds its node", Local{}, nil, []Gang{on(1, gang(0, 9, 9, 1, 1)), booked(beside(gang(1, 4, 4, 1, 1), 2), 5, 30)}, "0 5", "0 5", nil},
		// The failure takes 2 of 4 GPUs that are booked. The last to come in moves to 9.
		{"an outage displaces the last", Local{}, []Outage{failure(0, 3, 0)},
			[]Gang{booked(gang(1, 4, 4, 1, 2), 5, 30), booked(gang(0, 4, 4, 1, 2), 5, 30)}, "5 9/1", "9/1 5", nil},
		{"and no more than it must", Local{}, []Outage{drain(0, 3, 6, 7)},
			[]Gang{booked(gang(0, 4, 4, 1, 1), 5, 30), booked(gang(0, 4, 4, 1, 1), 5, 30), booked(gang(0, 4, 4, 1, 1), 5, 30), booked(gang(0, 4, 4, 1, 1), 8, 30)},
			"7/1 7/1 5 8", "5 5 7/1 8", nil},
		{"a gang that is stopped makes room", Local{}, []Outage{failure(0, 3, 10)},
			[]Gang{gang(0, 9, 9, 1, 2), booked(gang(1, 4, 4, 1, 2), 5, 30)}, "9/1 5", "9/1 5", nil},
		{"a node that is closed twice is closed once", Local{}, []Outage{drain(0, 0, 2, 20), failure(0, 4, 6)},
			[]Gang{booked(gang(5, 4, 4, 1, 2), 7, 11)}, "7", "7", nil},
		{"a repair opens what no other outage closes", Local{}, []Outage{drain(0, 0, 2, 9), failure(0, 4, 6)},
			[]Gang{gang(1, 9, 9, 2, 2), gang(1, 9, 9, 1, 1)}, "9 18", "9 18", nil},
		{"nobody starts who would run into a drain", Local{}, []Outage{drain(0, 0, 8, 12)},
			[]Gang{gang(0, 9, 9, 2, 2), gang(0, 1, 1, 1, 2)}, "12 21", "12 21", nil},
		{"a node that never comes back", Local{}, []Outage{failure(1, 2, 0)},
			[]Gang{gang(3, 9, 9, 2, 2), gang(3, 5, 5, 1, 2)}, "- 3", "- 3", nil},
		// The last asks for 4 GPUs modulo 2^64.
		{"a gang that is too large", Local{}, nil,
			[]Gang{gang(0, 1, 1, 1, 3), gang(0, 1, 1, 5, 1), booked(gang(0, 1, 1, wrapped, 4), 0, 0)}, "- - -", "- - -", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := pair(t, c.local, c.outages...)
			r, err := RunCluster(t.Context(), x, c.gangs)
			require.NoError(t, err)
			require.Equal(t, c.on, r.starts(), "on nodes")
			x.Pools = true
			r, err = RunCluster(t.Context(), x, c.gangs)
			require.NoError(t, err)
			require.Equal(t, c.pool, r.starts(), "on pools")
			require.Equal(t, c.broken, r.Broken)
		})
	}
}

// The pools know which resources a machine has, and how much, also if nodes are closed at first.
func TestPoolsAreTheSumsOfTheNodes(t *testing.T) {
	m, err := nodes.New(nodes.Config{
		Origin: 7, Resources: []string{"gpus", "cores", "fpgas"}, Nodes: []nodes.Vector{{2, 8, 0}, {1, 16, 0}},
	})
	require.NoError(t, err)
	_, err = m.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 7, End: 9}, Servers: []int{1}})
	require.NoError(t, err)
	p, err := newPooled(m)
	require.NoError(t, err)
	require.Equal(t, nodes.Vector{3, 24, 0}, p.total)
	require.Nil(t, p.pools[2])
	free, err := p.pools[1].RangeQuery(bookahead.Interval{Start: 8, End: 9})
	require.NoError(t, err)
	require.Equal(t, int64(8), free.Free)
	_, err = p.book(nodes.Request{Duration: 1, Tasks: 1, Each: nodes.Vector{1, 1, 1}})
	require.Equal(t, bookahead.ErrUnavailable, err)
	b, err := p.book(nodes.Request{Duration: 1, Tasks: 3, Each: nodes.Vector{1, 0, 0}})
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(9), b.Start)
}
