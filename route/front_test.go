package route

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/internal/depth"
)

// stairs keep the same pairs as a plain list of those that none covers, in whatever order pairs come: in the order of the greater
// of both, which adds at the ends, by one of them, or in none.
func TestStairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 1))
	var f stairs
	for range depth.Cases(20_000) {
		f.reset()
		var naive []stair
		order := rng.IntN(3)
		greatest := 0.0
		for range rng.IntN(30) {
			s := stair{float64(rng.IntN(12)), float64(rng.IntN(12)), int32(rng.IntN(3))}
			switch order {
			case 0:
				greatest += float64(rng.IntN(2))
				s.x, s.y = greatest, min(greatest, s.y)
				if rng.IntN(2) == 0 {
					s.x, s.y = s.y, s.x
				}
			case 1:
				greatest += float64(rng.IntN(2))
				s.x = greatest
			}
			covered := false
			for _, o := range naive {
				covered = covered || covers1(o, s)
			}
			require.Equal(t, covered, f.covers(s), "%v %v", naive, s)
			if covered {
				continue
			}
			f.insert(s)
			kept := naive[:0]
			for _, o := range naive {
				if !covers1(s, o) {
					kept = append(kept, o)
				}
			}
			naive = append(kept, s)
			require.ElementsMatch(t, naive, f.pairs())
			for i, p := range f.pairs()[1:] {
				require.True(t, f.pairs()[i].x < p.x && f.pairs()[i].y > p.y, "%v", f.pairs())
			}
		}
	}
}

// covers1 is the definition.
func covers1(a, b stair) bool {
	return a.x <= b.x && a.y <= b.y && (a.x != b.x || a.y != b.y || a.hops <= b.hops)
}

// diamonds is a chain in which each path is as good as any other: 2ⁿ of them.
func diamonds(t testing.TB, n int) (*Network, Query) {
	var links []Link
	for i := range n {
		v, w := 3*i, float64(int(1)<<i)
		links = append(links,
			Link{From: v, To: v + 1, Weights: []float64{w, 0}}, Link{From: v + 1, To: v + 3, Weights: []float64{0, 0}},
			Link{From: v, To: v + 2, Weights: []float64{0, w}}, Link{From: v + 2, To: v + 3, Weights: []float64{0, 0}})
	}
	net, err := New(3*n+1, links, nil, Config{Weights: 2})
	require.NoError(t, err)
	all := float64(int(1) << n)
	return net, Query{Servers: []Server{{Node: 3 * n}}, Limits: []float64{all, all}}
}

// BenchmarkDiamonds has as many labels at the last node as there are paths.
func BenchmarkDiamonds(b *testing.B) {
	for _, n := range []int{8, 12, 16} {
		b.Run(fmt.Sprintf("diamonds=%d", n), func(b *testing.B) {
			net, q := diamonds(b, n)
			b.ReportAllocs()
			for b.Loop() {
				_, err := net.SAMCRA(q)
				require.NoError(b, err)
			}
		})
	}
}
