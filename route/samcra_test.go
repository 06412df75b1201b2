package route

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/depth"
)

// graph draws a network of up to 9 nodes with weights that are multiples of unit,
// zeros among them: with a unit of 1 sums are exact.
func graph(t require.TestingT, rng *rand.Rand, weights int, unit float64) *Network {
	nodes := 2 + rng.IntN(8)
	var links []Link
	for range rng.IntN(3 * nodes) {
		l := Link{From: rng.IntN(nodes), To: rng.IntN(nodes)}
		if l.From == l.To {
			continue
		}
		for range weights {
			l.Weights = append(l.Weights, float64(max(0, rng.IntN(8)-2))*unit)
		}
		links = append(links, l)
	}
	n, err := New(nodes, links, nil, Config{Weights: weights})
	require.NoError(t, err)
	return n
}

func query(rng *rand.Rand, n *Network, unit float64) Query {
	k := n.config.Weights
	q := Query{Source: rng.IntN(n.nodes)}
	for range 1 + rng.IntN(3) {
		s := Server{Node: rng.IntN(n.nodes)}
		if rng.IntN(2) == 0 {
			for range k {
				s.Weights = append(s.Weights, float64(rng.IntN(4))*unit)
			}
		}
		q.Servers = append(q.Servers, s)
	}
	for range k {
		limit := float64(int(1)<<(2+rng.IntN(4))) * unit // quotients are exact for a unit of 1
		if rng.IntN(6) == 0 {
			limit = math.Inf(1)
		}
		q.Limits = append(q.Limits, limit)
	}
	if rng.IntN(4) == 0 {
		out := rng.IntN(n.Links() + 1)
		q.Usable = func(link int) bool { return link != out }
	}
	if rng.IntN(2) == 0 {
		q.Avoid = avoid(rng, n, q.Source)
	}
	return q
}

// avoid draws links and nodes that a path from the source must not use, some of them twice.
func avoid(rng *rand.Rand, n *Network, source int) (a Avoid) {
	for range rng.IntN(4) {
		if n.Links() > 0 {
			a.Links = append(a.Links, rng.IntN(n.Links()))
		}
		if v := rng.IntN(n.nodes); v != source && rng.IntN(2) == 0 {
			a.Nodes = append(a.Nodes, v)
		}
	}
	return a
}

// forbids reports whether a path must not use link i.
func (a Avoid) forbids(n *Network, i int) bool {
	return slices.Contains(a.Links, i) || slices.Contains(a.Nodes, n.links[i].To) || slices.Contains(a.Nodes, n.links[i].From)
}

// ends calls f with each path without a loop from the source to a server, and its
// weights: the oracle.
func ends(n *Network, q Query, f func(links []int, server int, weights []float64)) {
	been := make([]bool, n.nodes)
	var walk func(v int, links []int, sum []float64)
	walk = func(v int, links []int, sum []float64) {
		been[v] = true
		for m, s := range q.Servers {
			if s.Node == v {
				total := slices.Clone(sum)
				for i, w := range s.Weights {
					total[i] += w
				}
				f(links, m, total)
			}
		}
		for i := range n.links {
			l := &n.links[i]
			if l.From != v || been[l.To] || q.Usable != nil && !q.Usable(i) || q.Avoid.forbids(n, i) {
				continue
			}
			longer := slices.Clone(sum)
			for k, w := range l.Weights {
				longer[k] += w
			}
			walk(l.To, append(slices.Clone(links), i), longer)
		}
		been[v] = false
	}
	walk(q.Source, nil, make([]float64, n.config.Weights))
}

// ranked are the weights over the limits, the greatest first; nil if a limit is
// not met.
func ranked(q Query, weights []float64) []float64 {
	r := make([]float64, len(weights))
	for i, w := range weights {
		if w > q.Limits[i] {
			return nil
		}
		r[i] = w / q.Limits[i]
	}
	slices.SortFunc(r, func(a, b float64) int { return cmp.Compare(b, a) })
	return r
}

// length returns the numbers that the order compares.
func length(q Query, weights []float64) []float64 {
	switch r := ranked(q, weights); {
	case r == nil:
		return nil
	case q.order == maxNorm:
		return r[:1]
	case q.order == firstWeight:
		return weights[:1]
	default:
		return r
	}
}

func TestSAMCRAIsExhaustive(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	found := 0
	for i := range depth.Cases(24_000) {
		unit := []float64{1, .1, 1. / 3}[i%3]
		n := graph(t, rng, 2+rng.IntN(3), unit)
		q := query(rng, n, unit)
		for _, q.order = range []pathOrder{refined, maxNorm, firstWeight} {
			var best []float64
			hops, ways := 0, false
			ends(n, q, func(links []int, _ int, weights []float64) {
				l := length(q, weights)
				ways = true
				if l == nil {
					return
				}
				if best == nil || slices.Compare(l, best) < 0 {
					best, hops = l, len(links)
				} else if slices.Equal(l, best) {
					hops = min(hops, len(links))
				}
			})
			r, err := n.SAMCRA(q)
			if best == nil {
				require.ErrorIs(t, err, bookahead.ErrUnavailable)
				require.Equal(t, ways, err == ErrLimits)
				require.Equal(t, !ways, err == ErrNoWay)
				continue
			}
			require.NoError(t, err)
			found++
			isPath(t, n, q, r)
			require.Equal(t, best, length(q, r.Weights))
			if q.order == refined && unit == 1 {
				require.Len(t, r.Links, hops)
			}
		}
	}
	require.Greater(t, found, depth.Cases(10_000))
}

// (.3 + .2) + .1 is less than .3 + (.2 + .1), the prediction for node 1: it must not
// stop the only path, be it for its length or for a limit that it just meets.
func TestSumsAreRounded(t *testing.T) {
	first, rest := .3, .1
	rest += .2
	sum := .3
	sum += .2
	sum += .1
	require.Less(t, sum, first+rest)
	n, err := New(4, []Link{
		{From: 0, To: 1, Weights: []float64{.3}},
		{From: 1, To: 2, Weights: []float64{.2}},
		{From: 2, To: 3, Weights: []float64{.1}},
	}, nil, Config{Weights: 1})
	require.NoError(t, err)
	for _, limit := range []float64{1000, sum} {
		for _, order := range []pathOrder{refined, maxNorm, firstWeight} {
			q := Query{Servers: []Server{{Node: 3}}, Limits: []float64{limit}, order: order}
			r, err := n.SAMCRA(q)
			require.NoError(t, err)
			require.Equal(t, []int{0, 1, 2}, r.Links)
			require.Equal(t, []float64{sum}, r.Weights)
			r, err = n.SAMCRAHopByHop(q)
			require.NoError(t, err)
			require.Equal(t, []int{0, 1, 2}, r.Links)
			q.Limits = []float64{math.Nextafter(sum, 0)}
			_, err = n.SAMCRA(q)
			require.Equal(t, ErrLimits, err)
		}
	}
}

// isPath checks that the route is a path without a loop, and has its Weights.
func isPath(t *testing.T, n *Network, q Query, r Route) {
	v, been := q.Source, map[int]bool{q.Source: true}
	nodes := []int{v}
	sum := make([]float64, n.config.Weights)
	for _, i := range r.Links {
		l := n.Link(i)
		require.True(t, q.Usable == nil || q.Usable(i))
		require.False(t, q.Avoid.forbids(n, i))
		require.Equal(t, v, l.From)
		require.False(t, been[l.To])
		v = l.To
		been[v] = true
		nodes = append(nodes, v)
		for k, w := range l.Weights {
			sum[k] += w
		}
	}
	require.Equal(t, q.Servers[r.Server].Node, v)
	for k, w := range q.Servers[r.Server].Weights {
		sum[k] += w
	}
	require.Equal(t, sum, r.Weights)
	require.Equal(t, nodes, r.Nodes)
	require.Equal(t, q.Source, r.Source)
	require.False(t, r.Spent.Cut)
}

// §3.4: with the refined order there are no loops, zero weights or not.
func TestHopByHopHasNoLoop(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	same, longer := 0, 0
	for range depth.Cases(12_000) {
		n := graph(t, rng, 2+rng.IntN(3), 1)
		q := query(rng, n, 1)
		whole, err := n.SAMCRA(q)
		if err != nil {
			_, err = n.SAMCRAHopByHop(q)
			require.ErrorIs(t, err, bookahead.ErrUnavailable)
			continue
		}
		r, err := n.SAMCRAHopByHop(q)
		require.NoError(t, err, "%v", q)
		isPath(t, n, q, r)
		if slices.Equal(r.Weights, whole.Weights) {
			same++
		} else {
			longer++
		}
	}
	require.Greater(t, same, longer)
	t.Logf("the weights are those of SAMCRA in %d of %d", same, same+longer)
}

func TestQueryRefuses(t *testing.T) {
	n, err := New(2, []Link{{From: 0, To: 1, Weights: []float64{1, 1}}}, nil, Config{Weights: 2})
	require.NoError(t, err)
	good := Query{Servers: []Server{{Node: 1}}, Limits: []float64{1, 1}}
	_, err = n.SAMCRA(good)
	require.NoError(t, err)
	for want, change := range map[string]func(*Query){
		"bookahead: Query.Source 2 is not one of 2 nodes":                         func(q *Query) { q.Source = 2 },
		"bookahead: Query.Servers [] are none":                                    func(q *Query) { q.Servers = nil },
		"bookahead: Query.Servers[0].Node -1 is not one of 2 nodes":               func(q *Query) { q.Servers = []Server{{Node: -1}} },
		"bookahead: Query.Servers[0].Weights [1] are not the 2 of Config.Weights": func(q *Query) { q.Servers = []Server{{Weights: []float64{1}}} },
		"bookahead: Query.Servers[0].Weights[1] NaN is not a number from 0 to 1e+290": func(q *Query) {
			q.Servers = []Server{{Weights: []float64{1, math.NaN()}}}
		},
		"bookahead: Query.Limits [1] are not the 2 of Config.Weights": func(q *Query) { q.Limits = []float64{1} },
		"bookahead: Query.Avoid.Links[0] 1 is not one of 1 links":     func(q *Query) { q.Avoid.Links = []int{1} },
		"bookahead: Query.Avoid.Links[1] -1 is not one of 1 links":    func(q *Query) { q.Avoid.Links = []int{0, -1} },
		"bookahead: Query.Avoid.Nodes[0] 2 is not one of 2 nodes":     func(q *Query) { q.Avoid.Nodes = []int{2} },
		"bookahead: Query.Avoid.Nodes[1] 0 is the source":             func(q *Query) { q.Avoid.Nodes = []int{1, 0} },
		"bookahead: Effort.Steps -1 is negative":                      func(q *Query) { q.Effort.Steps = -1 },
		"bookahead: Query.Limits[1] -1 is not a number of 0 or more":  func(q *Query) { q.Limits = []float64{1, -1} },
		"bookahead: Query.Limits[1] NaN is not a number of 0 or more": func(q *Query) { q.Limits = []float64{1, math.NaN()} },
	} {
		q := good
		change(&q)
		_, err := n.SAMCRA(q)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.EqualError(t, err, want)
		_, err = n.SAMCRAHopByHop(q)
		require.EqualError(t, err, want)
		for _, err := range n.Pareto(q) {
			require.EqualError(t, err, want)
		}
	}
	bare, err := New(2, nil, nil, Config{})
	require.NoError(t, err)
	_, err = bare.SAMCRA(Query{Servers: []Server{{Node: 1}}})
	require.EqualError(t, err, "bookahead: Config.Weights 0 leaves nothing to compare")
}

// With three weights the default effort suffices for a grid of 40 × 40 nodes, as it does for the
// list of all paths: the path is as short as the shortest of the list.
func TestThreeWeightsAreNoHarderThanTheList(t *testing.T) {
	n := weighedGrid(t, rand.New(rand.NewPCG(1, 2)), 40, 3)
	q := Query{Servers: []Server{{Node: 40*40 - 1}}, Limits: []float64{3500, 3500, 3500}}
	r, err := n.SAMCRA(q)
	require.NoError(t, err)
	require.False(t, r.Spent.Cut)
	shortest, paths, steps := 1.0, 0, int64(0)
	for r, err := range n.Pareto(q) {
		require.NoError(t, err)
		shortest, paths, steps = min(shortest, q.length(r.Weights)), paths+1, r.Spent.Steps
	}
	t.Logf("SAMCRA %+v, Pareto %d paths and %d steps", r.Spent, paths, steps)
	require.Equal(t, 4955, paths)
	require.Equal(t, shortest, r.Length)
	require.Less(t, r.Spent.Steps, steps)
}

// Four weights are too many for a few steps, and no path that is best in one weight meets the limits.
// A search that is stopped returns a greedy path all the same, with a bound.
func TestAStoppedSearchKnowsAGreedyPath(t *testing.T) {
	n := weighedGrid(t, rand.New(rand.NewPCG(1, 2)), 40, 4)
	q := Query{Servers: []Server{{Node: 40*40 - 1}}, Limits: []float64{3500, 3500, 3500, 3500}}
	q.Effort.Steps = 1 << 18
	r, err := n.SAMCRA(q)
	require.NoError(t, err)
	require.True(t, r.Spent.Cut)
	require.Less(t, r.Bound, r.Length)
	t.Logf("%v from %v on", r.Length, r.Bound)
	r.Spent.Cut = false
	isPath(t, n, q, r)
	require.LessOrEqual(t, r.Length, 1.0)

	small, err := New(3, []Link{
		{From: 0, To: 2, Weights: []float64{1, 12}}, {From: 0, To: 2, Weights: []float64{12, 1}},
		{From: 0, To: 1, Weights: []float64{2, 3}}, {From: 1, To: 2, Weights: []float64{4, 3}},
	}, nil, Config{Weights: 2})
	require.NoError(t, err)
	q = Query{Servers: []Server{{Node: 2}}, Limits: []float64{10, 10}}
	m := newMCP(small, &q, small.lookAhead(&q, endless(t)), endless(t))
	m.maxLength()
	require.Equal(t, []float64{.6, .6}, m.known.key)
	require.Equal(t, []int{2, 3}, m.best().Links)
}

// weighedGrid is a square of nodes with a link each way between neighbours, of weights from 1 to 100.
func weighedGrid(t testing.TB, rng *rand.Rand, side, weights int) *Network {
	var links []Link
	both := func(u, v int) {
		for _, ends := range [][2]int{{u, v}, {v, u}} {
			l := Link{From: ends[0], To: ends[1]}
			for range weights {
				l.Weights = append(l.Weights, float64(1+rng.IntN(100)))
			}
			links = append(links, l)
		}
	}
	for v := range side * side {
		if v%side > 0 {
			both(v-1, v)
		}
		if v >= side {
			both(v-side, v)
		}
	}
	n, err := New(side*side, links, nil, Config{Weights: weights})
	require.NoError(t, err)
	return n
}
