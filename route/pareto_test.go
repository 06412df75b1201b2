package route

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead/avail"
)

// most is a cost of which more is better in each component, such as bandwidth.
type most []float64

func (c most) Covers(o most) bool {
	for i, x := range o {
		if c[i] < x {
			return false
		}
	}
	return true
}

// cost is a cost of several kinds, as a caller may have.
type cost struct {
	least Additive
	most  most
	free  *avail.Vector
}

func (c cost) Covers(o cost) bool {
	return c.least.Covers(o.least) && c.most.Covers(o.most) && (c.free == nil || c.free.Covers(o.free))
}

func drawCost(t *rapid.T, k int) cost {
	draw := func() []float64 {
		v := make([]float64, k)
		for i := range v {
			v[i] = float64(rapid.IntRange(0, 3).Draw(t, "component"))
		}
		return v
	}
	free, err := avail.Parse(rapid.StringMatching("[01]{3}").Draw(t, "free"))
	require.NoError(t, err)
	return cost{draw(), draw(), free}
}

// dominated is the definition: as good in each component, better in one.
func dominates(a, b cost) bool {
	better := false
	for i := range a.least {
		if a.least[i] > b.least[i] || a.most[i] < b.most[i] {
			return false
		}
		better = better || a.least[i] < b.least[i] || a.most[i] > b.most[i]
	}
	for i := range a.free.Len() {
		if b.free.Get(i) && !a.free.Get(i) {
			return false
		}
		better = better || a.free.Get(i) && !b.free.Get(i)
	}
	return better
}

func TestDominates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(0, 3).Draw(t, "components")
		a, b := drawCost(t, k), drawCost(t, k)
		require.Equal(t, dominates(a, b), Dominates(a, b))
		require.False(t, Dominates(a, a))
		require.True(t, a.Covers(a))
	})
	require.True(t, Dominates(Additive{1, 2}, Additive{1, 3}))
	require.True(t, Dominates(most{1, 3}, most{1, 2}))
	require.True(t, Dominates(cost{}, cost{}) == false)
}

func TestFrontier(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var f Frontier[cost, int]
		var all []cost
		for i := range rapid.IntRange(0, 30).Draw(t, "costs") {
			c := drawCost(t, 2)
			equal := slices.ContainsFunc(all, func(o cost) bool { return o.Covers(c) })
			require.Equal(t, equal, f.Covered(c))
			require.Equal(t, !equal, f.Insert(c, i))
			all = append(all, c)
		}
		// The rest is the costs that no cost dominates, the first of equals, in order.
		var want []int
		for i, c := range all {
			worse := slices.ContainsFunc(all, func(o cost) bool { return dominates(o, c) })
			again := slices.ContainsFunc(all[:i], func(o cost) bool { return o.Covers(c) && c.Covers(o) })
			if !worse && !again {
				want = append(want, i)
			}
		}
		var got []int
		for c, i := range f.All() {
			require.True(t, c.Covers(all[i]))
			got = append(got, i)
		}
		require.Equal(t, want, got)
		require.Equal(t, len(want), f.Len())
		f.prune(func(_ cost, i int) bool { return i%2 == 0 })
		for range f.All() {
			break
		}
		require.Equal(t, len(slices.DeleteFunc(want, func(i int) bool { return i%2 == 1 })), f.Len())
	})
}
