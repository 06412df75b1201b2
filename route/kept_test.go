package route

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/depth"
)

// A network that keeps look-aheads answers as one that has just been made, and with as much
// effort, whatever was asked before and whichever weights have changed.
func TestLookAheadIsKept(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 2))
	kept, changed := 0, 0
	for i := range depth.Cases(4500) {
		unit := []float64{1, .1, 1. / 3}[i%3]
		n := graph(t, rng, 1+rng.IntN(4), unit)
		queries := make([]Query, 1+rng.IntN(2))
		for range 8 {
			for k := range queries {
				if queries[k].Limits == nil || rng.IntN(6) == 0 {
					queries[k] = query(rng, n, unit)
				}
			}
			q := queries[rng.IntN(len(queries))]
			q.Source = rng.IntN(n.nodes)
			if slices.Contains(q.Avoid.Nodes, q.Source) {
				continue
			}
			if n.Links() > 0 && rng.IntN(3) == 0 {
				weights := make([]float64, n.config.Weights)
				for i := range weights {
					weights[i] = float64(rng.IntN(6)) * unit
				}
				require.NoError(t, n.SetWeights(rng.IntN(n.Links()), weights))
				require.Empty(t, n.kept.list)
				changed++
			}
			if n.kept.get(&q) != nil {
				kept++
			}
			fresh, err := New(n.nodes, n.links, nil, n.config)
			require.NoError(t, err)
			want, none := fresh.SAMCRA(q)
			r, err := n.SAMCRA(q)
			require.Equal(t, none, err)
			require.Equal(t, want, r)
			want, none = fresh.SAMCRAHopByHop(q)
			r, err = n.SAMCRAHopByHop(q)
			require.Equal(t, none, err)
			require.Equal(t, want, r)
		}
	}
	require.Greater(t, kept, depth.Cases(10_000))
	require.Greater(t, changed, depth.Cases(3000))
}

// No more look-aheads are kept than keptMost, and of these the ones that were asked for last.
func TestFewAreKept(t *testing.T) {
	var links []Link
	for v := range 20 {
		links = append(links, Link{From: v, To: v + 1, Weights: []float64{1}})
	}
	n, err := New(21, links, nil, Config{Weights: 1})
	require.NoError(t, err)
	ask := func(server int) Query {
		q := Query{Servers: []Server{{Node: server}}, Limits: []float64{99}}
		_, err := n.SAMCRA(q)
		require.NoError(t, err)
		return q
	}
	first := ask(1)
	once := n.kept.get(&first)
	for server := range 2 * keptMost {
		ask(server + 2)
		ask(1)
		require.LessOrEqual(t, len(n.kept.list), keptMost)
	}
	require.Same(t, once, n.kept.get(&first), "it was asked for all the time")
	require.NotNil(t, n.kept.get(&Query{Servers: []Server{{Node: 2*keptMost + 1}}}))
	require.Nil(t, n.kept.get(&Query{Servers: []Server{{Node: 2}}}))
	require.Nil(t, n.kept.get(&Query{Servers: []Server{{Node: 1, Weights: []float64{1}}}}))
	require.Nil(t, n.kept.get(&Query{Servers: []Server{{Node: 1}}, Avoid: Avoid{Links: []int{3}}}))
}

func TestSetWeightsRefuses(t *testing.T) {
	n, err := New(2, []Link{{From: 0, To: 1, Weights: []float64{1, 2}}}, nil, Config{Weights: 2})
	require.NoError(t, err)
	for want, set := range map[string]func() error{
		"bookahead: link 1 is not one of 1":                             func() error { return n.SetWeights(1, []float64{1, 1}) },
		"bookahead: link -1 is not one of 1":                            func() error { return n.SetWeights(-1, []float64{1, 1}) },
		"bookahead: weights [3] are not the 2 of Config.Weights":        func() error { return n.SetWeights(0, []float64{3}) },
		"bookahead: weights[1] -1 is not a number from 0 to 1e+290":     func() error { return n.SetWeights(0, []float64{3, -1}) },
		"bookahead: weights[0] 1e+291 is not a number from 0 to 1e+290": func() error { return n.SetWeights(0, []float64{1e291, 1}) },
	} {
		err := set()
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.EqualError(t, err, want)
		require.Equal(t, []float64{1, 2}, n.Link(0).Weights)
	}
	require.NoError(t, n.SetWeights(0, []float64{3, 4}))
	require.Equal(t, []float64{3, 4}, n.Link(0).Weights)
}

// Queries run side by side while look-aheads come and go.
func TestQueriesSideBySide(t *testing.T) {
	n := meshed(t, rand.New(rand.NewPCG(27, 10)), 14, 2, 9, 1)
	ask := func(server int) (all []Route) {
		q := Query{Servers: []Server{{Node: server}}, Limits: []float64{1e3, 1e3}}
		r, err := n.SAMCRA(q)
		require.NoError(t, err)
		all = append(all, r)
		for r, err := range n.Pareto(q) {
			require.NoError(t, err)
			all = append(all, r)
		}
		return all
	}
	var want [14][]Route
	for server := 1; server < 14; server++ {
		want[server] = ask(server)
	}
	var wait sync.WaitGroup
	for first := range 4 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := range 200 {
				server := 1 + (first*3+i*5)%13
				have := ask(server)
				if !assert.ObjectsAreEqual(want[server], have) {
					t.Errorf("server %d: %v, not %v", server, have, want[server])
				}
			}
		}()
	}
	wait.Wait()
}
