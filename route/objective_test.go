package route

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/depth"
)

// Any monotone objective: the best of all paths without a loop and clusters, each
// with its vectors worked out slot by slot.
func TestObjectives(t *testing.T) {
	objectives := map[string]Objective{
		"delay":                func(c *Candidate) float64 { return float64(c.Delay) },
		"slots of the path":    func(c *Candidate) float64 { return -float64(c.Path.Weight()) },
		"ticks of the cluster": func(c *Candidate) float64 { return -float64(c.Ready().Weight()) },
		"a sum":                func(c *Candidate) float64 { return 3*float64(c.Delay) + float64(c.Run.End) - float64(c.Path.Weight()) },
	}
	rng := rand.New(rand.NewPCG(9, 9))
	compared := 0
	for range depth.Cases(1500) {
		n, w := instance(t, rng, configs(rng))
		task := task(rng, n)
		best := map[string]float64{}
		type place struct {
			path string
			m    int
		}
		seen := map[place]bool{}
		w.all(n, task, func(p Plan) {
			key := place{string(bytesOf(p.Links)), p.Cluster}
			if seen[key] {
				return
			}
			seen[key] = true // the first start is the one that counts
			if p.Run.Empty() || task.Deadline != 0 && p.Run.End > task.Deadline {
				return
			}
			c := w.candidate(t, n, task, p)
			for name, f := range objectives {
				if x, ok := best[name]; !ok || f(c) < x {
					best[name] = f(c)
				}
			}
		})
		for name, f := range objectives {
			p, err := n.MCT(task, func(c *Candidate) float64 { return f(c) })
			if len(best) == 0 {
				require.Equal(t, bookahead.ErrUnavailable, err)
				continue
			}
			require.NoError(t, err)
			w.valid(t, n, task, p)
			require.Equal(t, best[name], f(w.candidate(t, n, task, p)), name)
			compared++
		}
		pairs, err := n.Candidates(task)
		require.NoError(t, err)
		require.Equal(t, len(best) > 0, len(pairs) > 0)
		for i, c := range pairs {
			require.True(t, c.Covers(c))
			for k, o := range pairs {
				require.True(t, i == k || !c.Covers(o))
			}
		}
	}
	require.Greater(t, compared, depth.Cases(2000))
}

func bytesOf(links []int) (b []byte) {
	for _, l := range links {
		b = append(b, byte(l))
	}
	return b
}

// candidate works out the vectors of a plan.
func (w *cells) candidate(t *testing.T, n *Network, task Task, p Plan) *Candidate {
	c := &Candidate{Cluster: p.Cluster, Delay: p.Delay, Hops: len(p.Links), Run: p.Run, Arrival: p.Arrival}
	c.Path = n.full.Clone()
	for i := range oracleSlots {
		if i < int(max(task.Ready, n.Now())-n.Now()) || !w.sends(n, p.Links, i, 1) {
			c.Path.Clear(i, i+1)
		}
	}
	j, err := n.job(task)
	require.NoError(t, err)
	lists := newReadiness(len(n.clusters))
	free, err := lists.of(n, j, p.Cluster)
	require.NoError(t, err)
	c.free, c.from = free, int(p.Arrival-n.Now())
	return c
}
