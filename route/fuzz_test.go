package route

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// FuzzPaths reads a network of at most seven nodes from bytes, and compares SAMCRA and Pareto
// with all paths.
func FuzzPaths(f *testing.F) {
	f.Add([]byte{2, 3, 0, 0, 1, 1, 8, 0, 2, 2, 2, 2, 1, 4, 1})
	f.Add([]byte{1, 4, 3, 0, 1, 5, 1, 2, 5, 2, 3, 0, 0, 3, 9})
	f.Add([]byte{3, 2, 7, 0, 1, 0, 0, 0, 0, 1, 2, 2, 4})
	f.Fuzz(func(t *testing.T, raw []byte) {
		next := func(n int) int {
			if len(raw) == 0 {
				return 0
			}
			b := raw[0]
			raw = raw[1:]
			return int(b) % n
		}
		k, nodes, unit := 1+next(4), 2+next(6), []float64{1, .1, 1. / 3}[next(3)]
		q := Query{Servers: []Server{{Node: nodes - 1}}}
		if next(2) == 1 {
			q.Avoid.Links = []int{next(2)}
		}
		var links []Link
		for len(raw) > 0 && len(links) < 14 {
			l := Link{From: next(nodes), To: next(nodes)}
			for range k {
				l.Weights = append(l.Weights, float64(next(10))*unit)
			}
			if l.From != l.To {
				links = append(links, l)
			}
		}
		if len(links) < 2 {
			return
		}
		for range k {
			q.Limits = append(q.Limits, 20*unit)
		}
		n, err := New(nodes, links, nil, Config{Weights: k})
		require.NoError(t, err)
		costs, _, _ := best(n, q)
		var got [][]float64
		for r, err := range n.Pareto(q) {
			if err != nil {
				require.ErrorIs(t, err, bookahead.ErrUnavailable)
				break
			}
			got = append(got, r.Weights)
		}
		require.Equal(t, costs, got)
		r, err := n.SAMCRA(q)
		require.Equal(t, len(costs) > 0, err == nil)
		for _, c := range costs {
			require.LessOrEqual(t, r.Length, q.length(c))
		}
	})
}
