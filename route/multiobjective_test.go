package route

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/depth"
)

// best is the oracle: the weights of all paths that no other dominates, in order, and the
// fewest links of each.
func best(n *Network, q Query) (costs [][]float64, hops []int, ways bool) {
	type path struct {
		cost []float64
		hops int
	}
	var all []path
	ends(n, q, func(links []int, _ int, weights []float64) {
		ways = true
		for i, w := range weights {
			if q.Limits != nil && w > q.Limits[i] {
				return
			}
		}
		all = append(all, path{weights, len(links)})
	})
	slices.SortFunc(all, func(a, b path) int {
		if c := slices.Compare(a.cost, b.cost); c != 0 {
			return c
		}
		return a.hops - b.hops
	})
	for _, p := range all {
		worse := slices.ContainsFunc(all, func(o path) bool { return noGreater(o.cost, p.cost) && !noGreater(p.cost, o.cost) })
		if again := len(costs) > 0 && slices.Equal(costs[len(costs)-1], p.cost); !worse && !again {
			costs, hops = append(costs, p.cost), append(hops, p.hops)
		}
	}
	return costs, hops, ways
}

func TestParetoIsExhaustive(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 4))
	several, none := 0, 0
	for i := range depth.Cases(60_000) {
		unit := []float64{1, .1, 1. / 3}[i%3]
		n := graph(t, rng, 1+rng.IntN(5), unit)
		mesh := i%2 == 0
		if mesh {
			n = meshed(t, rng, 3+rng.IntN(5), 1+rng.IntN(5), 6, unit)
		}
		q := query(rng, n, unit)
		if mesh {
			q.Source, q.Servers[0].Node = 0, n.nodes-1
			q.Avoid.Nodes = slices.DeleteFunc(q.Avoid.Nodes, func(v int) bool { return v == 0 })
		}
		if rng.IntN(2) == 0 {
			q.Limits = nil
		}
		costs, hops, ways := best(n, q)
		var got [][]float64
		for r, err := range n.Pareto(q) {
			if len(costs) == 0 {
				require.ErrorIs(t, err, bookahead.ErrUnavailable)
				require.Equal(t, ways, err == ErrLimits)
				none++
				continue
			}
			require.NoError(t, err)
			isPath(t, n, q, r)
			if unit == 1 {
				require.Len(t, r.Links, hops[len(got)])
			}
			got = append(got, r.Weights)
		}
		require.Equal(t, costs, got, "%+v", q)
		if len(got) > 1 {
			several++
		}
	}
	t.Logf("%d with several paths, %d with none", several, none)
	require.Greater(t, several, depth.Cases(9_000))
}

// Many paths on a larger network, with each number of weights: all at once, as they come, and
// from two loops by turns.
func TestParetoComesLazily(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 5))
	for k := 1; k <= 4; k++ {
		n := meshed(t, rng, 12, k, 9, 1)
		q := Query{Servers: []Server{{Node: 11}}}
		costs, _, _ := best(n, q)
		require.True(t, k == 1 || len(costs) > 5, len(costs))
		var steps []int64
		i := 0
		for r, err := range n.Pareto(q) {
			require.NoError(t, err)
			require.Equal(t, costs[i], r.Weights)
			steps = append(steps, r.Spent.Steps)
			j := 0
			for other := range n.Pareto(q) {
				require.Equal(t, costs[j], other.Weights)
				if j == i {
					require.Equal(t, r, other)
					break
				}
				j++
			}
			i++
		}
		require.True(t, slices.IsSorted(steps))
		require.True(t, k == 1 || steps[0] < steps[len(steps)-1])
	}
}

// meshed draws a network in which a link leads from each node to each with a higher number.
func meshed(t testing.TB, rng *rand.Rand, nodes, weights, most int, unit float64) *Network {
	var links []Link
	for from := range nodes {
		for to := from + 1; to < nodes; to++ {
			l := Link{From: from, To: to}
			for range weights {
				l.Weights = append(l.Weights, float64((1+rng.IntN(most))*(to-from))*unit)
			}
			links = append(links, l)
		}
	}
	n, err := New(nodes, links, nil, Config{Weights: weights})
	require.NoError(t, err)
	return n
}

// The front is right in whatever order labels come to it, as if sums were rounded, and however many
// guards it has. With links to count, a front may let a label pass that another covers, but it never
// stops a label that none covers.
func TestFrontInAnyOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 6))
	for i := range depth.Cases(24_000) {
		k, most := 1+i%5, int32(i/5%2)
		guards := rng.IntN(2)
		if k <= mostGuards {
			guards = rng.IntN(k + 1)
		} else if guards > 0 {
			most = 0 // a list does not count links
		}
		s := frontOf(t, k, guards)
		var naive [][]float64
		var hops []int32
		for range rng.IntN(25) {
			c, h := make([]float64, k), rng.Int32N(2*most+1)
			for d := range c {
				c[d] = float64(rng.IntN(6))
			}
			covered := false
			for o, have := range naive {
				covered = covered || noGreater(have, c) && (hops[o] <= h || !slices.Equal(have, c))
			}
			got := s.covers(0, c, h)
			require.True(t, got == covered || most > 0 && covered, "%v %v", naive, c)
			if !got {
				copy(s.sum, c)
				s.insert(0, s.enter(step{hops: h}))
				naive, hops = append(naive, c), append(hops, h)
			}
		}
	}
}

// A path that is dominated by a path to another server is none of the nearest's.
func TestParetoToTheNearest(t *testing.T) {
	n, err := New(3, []Link{
		{From: 0, To: 1, Weights: []float64{1, 4}},
		{From: 0, To: 2, Weights: []float64{2, 5}}, {From: 0, To: 2, Weights: []float64{3, 3}},
	}, nil, Config{Weights: 2})
	require.NoError(t, err)
	links := func(servers ...Server) (all [][]int) {
		for r, err := range n.Pareto(Query{Servers: servers}) {
			require.NoError(t, err)
			all = append(all, append([]int{r.Server}, r.Links...))
		}
		return all
	}
	require.Equal(t, [][]int{{0, 0}, {1, 2}}, links(Server{Node: 1}, Server{Node: 2}))
	require.Equal(t, [][]int{{0, 1}, {0, 2}}, links(Server{Node: 2}))
	require.Equal(t, [][]int{{0}}, links(Server{Node: 0}, Server{Node: 2}))
	require.Equal(t, [][]int{{1, 0}, {0, 2}}, links(Server{Node: 2}, Server{Node: 1, Weights: []float64{1, 0}}))

	for _, limits := range [][]float64{{1, 4}, {0, 9}} {
		count := 0
		for r, err := range n.Pareto(Query{Servers: []Server{{Node: 1}}, Limits: limits}) {
			require.Equal(t, limits[0] == 0, err == ErrLimits)
			require.Equal(t, limits[0] == 0, r.Nodes == nil)
			count++
		}
		require.Equal(t, 1, count)
	}
	for _, err := range n.Pareto(Query{Source: 1, Servers: []Server{{Node: 2}}, Limits: []float64{math.Inf(1), 0}}) {
		require.Equal(t, ErrNoWay, err)
	}
}

// A label looks at the servers of its own node only. So a thousand servers cost little more than one,
// and the list of paths comes to its end.
func TestManyServersCostLittle(t *testing.T) {
	const side = 25
	n := weighedGrid(t, rand.New(rand.NewPCG(1, 2)), side, 2)
	corner, spread := []Server{}, []Server{}
	for i := range depth.Cases(1000) {
		corner = append(corner, Server{Node: side*side - 1})
		spread = append(spread, Server{Node: side*side - 1 - i%9, Weights: []float64{float64(i), float64(i)}})
	}
	list := func(servers []Server) (paths int, spent Spent) {
		for r, err := range n.Pareto(Query{Servers: servers}) {
			require.NoError(t, err)
			paths++
			spent = r.Spent
		}
		return paths, spent
	}
	want, alone := list(corner[:1])
	for _, servers := range [][]Server{corner, spread} {
		paths, spent := list(servers)
		t.Logf("%d paths to one server, %d to 1000; %d and %d steps", want, paths, alone.Steps, spent.Steps)
		require.LessOrEqual(t, spent.Steps, 5*alone.Steps)
		q := Query{Servers: servers, Limits: []float64{1e4, 1e4}}
		many, err := n.SAMCRA(q)
		require.NoError(t, err)
		q.Servers = servers[:1]
		one, err := n.SAMCRA(q)
		require.NoError(t, err)
		require.LessOrEqual(t, many.Length, one.Length)
		require.LessOrEqual(t, many.Spent.Steps, 5*one.Spent.Steps)
		if paths == want {
			require.Equal(t, one.Links, many.Links)
		}
	}
}
