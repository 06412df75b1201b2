package window

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/internal/depth"
)

// TestClassesByHand follows the example in the comment of classes.go.
func TestClassesByHand(t *testing.T) {
	k := free()
	k.reset(2, 10)
	for _, i := range []float64{6, 6, 1, 1} {
		k.add(i, i)
	}
	k.core.raise(math.Inf(-1), 0)
	k.relax(math.Inf(-1), 0)
	require.InDelta(t, 10, k.relaxed, 1e-9)
	require.Equal(t, []int{0, 2}, k.classes())
	b := k.branching([]int{0, 2})
	require.Equal(t, []string{"[]"}, b.names())
	k.found, k.value = false, math.Inf(-1) // so that no branch is left out
	k.core.raise(math.Inf(-1), 0)
	require.True(t, b.settle(b.open[0]))
	require.Equal(t, []string{"[]"}, b.names(), "[0] and [1] are worth what their bounds say, and [2] is too dear")
	require.InDelta(t, 7, k.value, 1e-9)
	require.True(t, math.IsInf(b.run(math.MaxInt32), -1))
	require.Equal(t, 7.0, k.value)
	require.Empty(t, b.open)
}

// names lists the numbers of the open branches.
func (b *branching) names() (list []string) {
	for _, o := range b.open {
		s := "["
		for _, n := range o.numbers {
			s += string(rune('0' + n))
		}
		list = append(list, s+"]")
	}
	return list
}

// classed draws a knapsack whose costs fall into up to four classes.
func classed(rng *rand.Rand) (w problem) {
	bases := []int{0, 20, 45, 100}[:2+rng.IntN(3)]
	spread, kind := 1+rng.IntN(6), rng.IntN(3)
	for range 2 + rng.IntN(15) {
		base := bases[rng.IntN(len(bases))]
		c := base + rng.IntN(spread)
		z := float64(base + rng.IntN(spread))
		switch kind {
		case 1:
			z += rng.Float64()
		case 2:
			z = math.Floor(150*rng.Float64()) - 20
		}
		w.z, w.c = append(w.z, z), append(w.c, c)
	}
	w.n = rng.IntN(len(w.c) + 1)
	sum := 0
	for _, c := range w.c {
		sum += c
	}
	w.budget = rng.IntN(sum*(w.n+1)/len(w.c) + 2)
	return w
}

// TestClassesOracle compares the branches by the numbers of classes with a table, also when
// they must stop and go on, or stop for good: the bound holds.
func TestClassesOracle(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 3))
	branched, stopped, worse := 0, 0, 0
	for i := range depth.Cases(6_000) {
		w := classed(rng)
		want, floor := w.best(w.budget), math.Inf(-1)
		if !math.IsInf(want, 0) && rng.IntN(2) == 0 {
			floor = want + pickOne(rng, -5, -1, -0.5, 0, 1)
		}
		k := free()
		w.into(&k, 1, pickOne(rng, 0, 0, 7, 1000))
		c := &k.core
		c.whole = whole(k.z)
		c.raise(floor, math.Abs(max(floor, -1e9)))
		k.relax(c.need, 0)
		if k.found {
			c.raise(k.value, k.scale)
		}
		if k.relaxed <= c.need {
			continue
		}
		starts := k.classes()
		if starts == nil {
			continue
		}
		branched++
		b := k.branching(starts)
		missed := math.Inf(1)
		for range 1 + rng.IntN(8) {
			missed = b.run(1 + rng.Int64N(400))
			require.GreaterOrEqual(t, max(missed, k.value, floor), max(want, floor)-1e-9, "B7: knapsack %d: the bound is too low", i)
		}
		if k.found {
			requireChosen(t, &k, floor)
		}
		if missed > c.need {
			stopped++
			if k.value < want-1e-9 {
				worse++
			}
			missed = b.run(math.MaxInt64 / 2)
		}
		require.LessOrEqual(t, missed, c.need, "knapsack %d is not proven", i)
		require.InDelta(t, max(want, floor), max(k.value, floor), 1e-9, "knapsack %d", i)
		if k.found {
			requireChosen(t, &k, floor)
			require.True(t, slices.IsSorted(k.chosen) || len(k.chosen) == w.n)
		}
	}
	require.Greater(t, branched, depth.Cases(6_000)/4)
	require.NotZero(t, stopped)
	require.NotZero(t, worse)
}

// TestPartsInvariant checks B1 to B3 for a knapsack of parts after each item of an enumeration, as
// TestStateInvariant does for one part.
func TestPartsInvariant(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 4))
	states := 0
	for i := range depth.Cases(3000) {
		k := drawKnapsack(rng)
		cut := 1 + rng.IntN(max(len(k.z)-1, 1))
		first := rng.IntN(min(cut, k.n) + 1)
		if k.n-first > len(k.z)-cut {
			continue
		}
		k.parts = []part{{from: 0, to: cut, n: first}, {from: cut, to: len(k.z), n: k.n - first}}
		for p := range k.parts {
			k.parts[p].picker.meter = k.meter
		}
		best, within := math.Inf(-1), func(choice []int32) bool {
			n := 0
			for _, item := range choice {
				if int(item) < cut {
					n++
				}
			}
			return n == first
		}
		for set := range 1 << len(k.z) {
			var choice []int32
			for item := range k.z {
				if set>>item&1 == 1 {
					choice = append(choice, int32(item))
				}
			}
			p := k.sum(choice)
			if len(choice) == k.n && within(choice) && (p.c <= k.budget*(1-tiny) || p.c == 0) {
				best = max(best, p.z)
			}
		}
		k.relax(math.Inf(-1), 0)
		require.GreaterOrEqual(t, k.relaxed, best-tiny, "B1: knapsack %d", i)
		if math.IsInf(k.relaxed, -1) {
			continue
		}
		c := &k.core
		c.until = math.MaxInt64
		c.raise(math.Inf(-1), 0)
		if k.found {
			c.raise(k.value, k.scale)
		}
		k.enumerate()
		states += c.steps
		require.False(t, c.stopped)
		require.GreaterOrEqual(t, max(k.value, c.need), best-tiny, "B3: knapsack %d", i)
		if k.found {
			require.True(t, within(k.chosen), "knapsack %d", i)
			p := k.sum(k.chosen)
			require.Equal(t, p.z, k.value, "B6")
			require.LessOrEqual(t, p.c, k.budget, "B6")
		}
	}
	require.Greater(t, states, depth.Cases(300))
}

// With room for few branches, those that are left out count in the bound (B7).
func TestBranchesKeepWithinTheirMemory(t *testing.T) {
	rng := rand.New(rand.NewPCG(29, 2))
	left, worse := 0, 0
	for i := range depth.Cases(6_000) {
		w := classed(rng)
		want := w.best(w.budget)
		k := free()
		w.into(&k, 1, 0)
		k.core.whole = whole(k.z)
		k.core.raise(math.Inf(-1), 0)
		k.relax(math.Inf(-1), 0)
		if k.found {
			k.core.raise(k.value, k.scale)
		}
		starts := k.classes()
		if starts == nil || k.relaxed <= k.core.need {
			continue
		}
		b := k.branching(starts)
		require.Equal(t, mostBranchBytes/(64+8*len(starts)), b.most)
		b.most = 1 + rng.IntN(3)
		missed := b.run(1 << 40)
		require.LessOrEqual(t, len(b.open), b.most)
		require.GreaterOrEqual(t, max(missed, k.value), want-1e-9, "B7: knapsack %d", i)
		if missed > k.core.need {
			left++
		}
		if k.value < want-1e-9 {
			worse++
		}
	}
	require.NotZero(t, left)
	require.NotZero(t, worse)
}
