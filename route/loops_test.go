package route

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
)

// at is a link that is free in the slots named only.
func at(t *testing.T, from, to int, delay bookahead.Duration, slots ...int) Link {
	l := Link{From: from, To: to, Delay: delay, Free: bits(t, "00000000000000000000")}
	for _, s := range slots {
		l.Free.Set(s, s+1)
	}
	return l
}

// oneCluster plans a task of one slot and one tick from node 0 to a cluster at
// node 1. It checks that MCT and Earliest take that way, and P1 to P5 of earliest.go.
func oneCluster(t *testing.T, nodes int, links []Link, way ...int) {
	pool, err := carts.NewIndexed(1, carts.Config{})
	require.NoError(t, err)
	n, err := New(nodes, links, []Cluster{{Node: 1, CPUs: 1, Speed: 1, Pool: pool}}, Config{Slots: 20})
	require.NoError(t, err)
	task := Task{Burst: 1, Work: 1, CPUs: 1}
	w := &cells{clusters: [][]int64{slices.Repeat([]int64{1}, oracleTicks)}}
	for i := range links {
		free := make([]bool, oracleSlots)
		for slot := range 20 {
			free[slot] = n.vectors[i].Get(slot)
		}
		w.links = append(w.links, free)
	}
	scrutinise(t, n, w, task)

	p, err := n.MCT(task, nil)
	require.NoError(t, err)
	require.Equal(t, way, p.Links)
	q, err := n.Earliest(task)
	require.NoError(t, err)
	require.Equal(t, way, q.Links)
	require.Equal(t, p.Run, q.Run)
}

// Found by changing the rules of domination; random instances are too small to
// show it. S is node 0, and T, with the cluster, node 1.

// S → X → V has all that S → Y → Z → V has, but only the latter can go on to X.
func TestAPathThatHasBeenThere(t *testing.T) {
	const s, goal, x, v, y, z = 0, 1, 2, 3, 4, 5
	oneCluster(t, 6, []Link{
		at(t, s, x, 1, 0), at(t, x, v, 1, 1),
		at(t, s, y, 1, 0), at(t, y, z, 1, 1), at(t, z, v, 0, 2),
		at(t, v, x, 1, 2), at(t, x, goal, 0, 3),
	}, 2, 3, 4, 5, 6)
}

// V → X → T is better than V → Y → T, but the only way to V leads over X.
func TestAnEndThatHasBeenThere(t *testing.T) {
	const s, goal, x, v, y = 0, 1, 2, 3, 4
	oneCluster(t, 5, []Link{
		at(t, s, x, 1, 0), at(t, x, v, 1, 1),
		at(t, v, x, 1, 2), at(t, x, goal, 0, 3),
		at(t, v, y, 2, 2), at(t, y, goal, 0, 4),
	}, 0, 1, 4, 5)
}

// Of two links from V to Q the slow one is free in more slots; the earlier one of
// these is of no use, for the way to V leads over Q then.
func TestASlowEndThatIsOftenFree(t *testing.T) {
	const s, goal, q, v = 0, 1, 2, 3
	oneCluster(t, 4, []Link{
		at(t, s, q, 1, 0), at(t, q, v, 1, 1), at(t, s, v, 9, 0),
		at(t, v, q, 5, 2, 9), at(t, v, q, 1, 9), at(t, q, goal, 0, 7, 10, 14),
	}, 2, 4, 5)
}

// Of two links from V to Q with the same delay, the second is free whenever the first is,
// and once more: that is when the only way to V without Q comes there.
func TestAnEndThatIsOftenerFree(t *testing.T) {
	const s, goal, q, v = 0, 1, 2, 3
	oneCluster(t, 4, []Link{
		at(t, s, q, 1, 0), at(t, q, v, 1, 1), at(t, s, v, 9, 0),
		at(t, v, q, 1, 2), at(t, v, q, 1, 2, 9), at(t, q, goal, 0, 3, 10),
	}, 2, 4, 5)
}

// §3.4: of equal paths the one with fewer links counts, also where it is found
// later: B goes before C, as it may still become (0.1, 0.5).
func TestFewestLinks(t *testing.T) {
	const s, a, b, c, v, d = 0, 1, 2, 3, 4, 5
	n, err := New(6, []Link{
		{From: s, To: a, Weights: []float64{0, 0}},
		{From: a, To: b, Weights: []float64{0, 0}},
		{From: b, To: v, Weights: []float64{4, 4}},
		{From: b, To: d, Weights: []float64{1, 9}},
		{From: s, To: c, Weights: []float64{4, 4}},
		{From: c, To: v, Weights: []float64{0, 0}},
		{From: v, To: d, Weights: []float64{1, 1}},
	}, nil, Config{Weights: 2})
	require.NoError(t, err)
	r, err := n.SAMCRA(Query{Source: s, Servers: []Server{{Node: d}}, Limits: []float64{10, 10}})
	require.NoError(t, err)
	require.Equal(t, []int{4, 5, 6}, r.Links)
}

// The first way to V that is found, S → V, is slow and free at all times: the others
// bring no new time of arrival, but a smaller delay, which has to be passed on to T.
// Where the source waits, a delay that is too great puts off the bursts over T, and
// the plan over the shortest path, late as it is, would seem the better.
func TestASmallerDelayIsPassedOn(t *testing.T) {
	const s, goal, v, x, y = 0, 1, 2, 3, 4
	pool, err := carts.NewIndexed(1, carts.Config{})
	require.NoError(t, err)
	n, err := New(5, []Link{
		{From: s, To: v, Delay: 5},
		{From: s, To: x, Delay: 1}, at(t, x, v, 1, 13),
		{From: s, To: y, Delay: 1}, at(t, y, v, 2, 9),
		{From: v, To: goal, Delay: 1},
	}, []Cluster{{Node: goal, CPUs: 1, Speed: 1, Pool: pool}}, Config{Slots: 20, Wait: true})
	require.NoError(t, err)
	task := Task{Burst: 1, Work: 1, CPUs: 1}
	for _, plan := range []func(Task) (Plan, error){n.Earliest, func(t Task) (Plan, error) { return n.MCT(t, nil) }} {
		p, err := plan(task)
		require.NoError(t, err)
		require.Equal(t, []int{3, 4, 5}, p.Links)
		require.Equal(t, bookahead.Interval{Start: 13, End: 14}, p.Run)
	}
	p, err := n.ECT(task)
	require.NoError(t, err)
	require.Equal(t, bookahead.Interval{Start: 16, End: 17}, p.Run)
}

// How many labels SAMCRA makes on a grid of 8 × 8 nodes, and how many it keeps. More
// of them would be as right: MAX_LENGTH (§3.3) and the fronts keep them few.
func TestSAMCRALooksAtFewPaths(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	var links []Link
	for _, l := range grid(8).links {
		for _, ends := range [][2]int{{l.From, l.To}, {l.To, l.From}} {
			links = append(links, Link{From: ends[0], To: ends[1], Weights: []float64{float64(1 + rng.IntN(100)), float64(1 + rng.IntN(100)), float64(1 + rng.IntN(100))}})
		}
	}
	n, err := New(64, links, nil, Config{Weights: 3})
	require.NoError(t, err)
	for order, want := range [][2]int64{refined: {218, 167}, maxNorm: {218, 167}, firstWeight: {40, 16}} {
		q := Query{Servers: []Server{{Node: 63}}, Limits: []float64{1600, 1600, 1600}, order: pathOrder(order)}
		b := n.lookAhead(&q, endless(t))
		s := newMCP(n, &q, b, endless(t))
		r, ok := s.run()
		require.True(t, ok)
		require.Equal(t, want, [2]int64{r.Spent.Labels, int64(len(s.steps))}, order)
	}
}

// Earliest is cut short on networks that it does not like. Its plan is as good as those of
// AWMC-T and ECT, if there were steps enough for both, and the bound holds.
func TestCutShortKeepsTheBetter(t *testing.T) {
	cut, by := 0, map[string]int{}
	for seed := range uint64(60) {
		n := fragmented(t, 6, 400, seed)
		task := Task{Burst: 2, Work: 1, CPUs: 1}
		exact, none := n.Earliest(task)
		heuristic, err := n.AWMCT(task, nil)
		shortest, late := n.ECT(task)
		task.Effort.Steps = shortest.Spent.Steps + 2*heuristic.Spent.Steps + 1000
		p, unknown := n.Earliest(task)
		if !p.Spent.Cut {
			require.Equal(t, none, unknown)
			continue
		}
		cut++
		require.LessOrEqual(t, p.Spent.Steps, task.Effort.Steps)
		if unknown != nil {
			require.Equal(t, bookahead.ErrStopped, unknown)
			require.Error(t, err)
			require.Error(t, late)
			continue
		}
		require.LessOrEqual(t, p.Bound, exact.Run.End)
		for name, q := range map[string]Plan{"AWMCT": heuristic, "ECT": shortest} {
			if len(q.Links) > 0 {
				require.False(t, valueOf(q).better(valueOf(p)), name)
				if valueOf(p) == valueOf(q) {
					by[name]++
				}
			}
		}
	}
	t.Log(cut, by)
	require.Greater(t, cut, 10)
	require.Greater(t, by["AWMCT"], 2)
}
