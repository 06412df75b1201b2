package window

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// The tests here draw from few numbers, so that most choices tie in value, in cost or in
// both, and the budget lies where it parts them: a bound that is too low by one exchange
// then leaves out the best.

// pickOne draws one of the numbers.
func pickOne(rng *rand.Rand, numbers ...float64) float64 { return numbers[rng.IntN(len(numbers))] }

// tied draws a knapsack. Costs are whole, so that a table of them knows the best. In most
// of them values go by costs, and only the budget parts one choice from another.
func tied(rng *rand.Rand, k *knapsack) {
	m := 1 + rng.IntN(16)
	n := rng.IntN(m + 1)
	k.reset(n, 0)
	k.lambda = pickOne(rng, 0, 0, 0.5, 1, 3, 100)
	costs, kind, sum := pickOne(rng, 2, 4, 10, 30), rng.IntN(5), 0.0
	for range m {
		c := math.Floor(rng.Float64() * costs)
		z := math.Floor(rng.Float64()*costs) - pickOne(rng, 0, 0, 3)
		switch kind {
		case 0:
			z = c
		case 1, 2:
			z = c + pickOne(rng, 0, 1, 2)
		case 3:
			z = c + rng.Float64()
		}
		k.add(z, c)
		sum += c
	}
	k.budget = math.Floor(rng.Float64() * (sum*float64(n)/float64(m) + 2))
}

// best returns the greatest value of n items within the budget: recurrence (2) with a
// step for each whole cost.
func (k *knapsack) best() float64 {
	steps := int(k.budget)
	f := make([][]float64, k.n+1)
	for n := range f {
		f[n] = slices.Repeat([]float64{math.Inf(-1)}, steps+1)
	}
	f[0] = make([]float64, steps+1)
	for i, z := range k.z {
		cost := int(k.c[i])
		for n := k.n; n >= 1; n-- {
			for c := cost; c <= steps; c++ {
				f[n][c] = max(f[n][c], f[n-1][c-cost]+z)
			}
		}
	}
	return f[k.n][steps]
}

// requireChosen checks that the knapsack has chosen what it says.
func requireChosen(t *testing.T, k *knapsack, floor float64) {
	cost, value := 0.0, 0.0
	for _, i := range k.chosen {
		cost, value = cost+k.c[i], value+k.z[i]
	}
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(k.chosen))), k.n)
	require.LessOrEqual(t, cost, k.budget*(1+slack))
	require.InDelta(t, value, k.value, 1e-9)
	require.Greater(t, k.value, floor)
}

// TestKnapsackTies compares with a table: the optimum, and whether there is a better one
// than a floor, with or without a limit of steps. One knapsack solves all of them, as it
// does in a search.
func TestKnapsackTies(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 1))
	var k knapsack
	cuts := 0
	for i := range 40_000 {
		tied(rng, &k)
		want, floor := k.best(), math.Inf(-1)
		if !math.IsInf(want, 0) && rng.IntN(2) == 0 {
			floor = want + pickOne(rng, -2, -1, -0.1, 0, 1)
			k.scale = math.Abs(floor)
		}
		k.core.most, k.core.steps = 0, 0
		if rng.IntN(4) == 0 {
			k.core.most = 1 + rng.IntN(40)
		}
		k.solve(floor)
		require.GreaterOrEqual(t, k.bound, max(want, floor)-1e-9, "knapsack %d: the bound is too low", i)
		if k.found {
			requireChosen(t, &k, floor)
			require.LessOrEqual(t, k.value, want+1e-9, "knapsack %d", i)
		}
		if k.core.most > 0 {
			require.LessOrEqual(t, k.core.steps, k.core.most, "knapsack %d", i)
		}
		if k.core.cut {
			cuts++
			continue
		}
		require.LessOrEqual(t, k.bound, max(want, floor)+1e-9, "knapsack %d: the bound is too high", i)
		if want > floor+1e-9 {
			require.True(t, k.found, "knapsack %d", i)
			require.GreaterOrEqual(t, k.value, want-1e-9, "knapsack %d", i)
		}
	}
	require.Greater(t, cuts, 100)
}

// tiedEnvironment draws an environment of few nodes and ticks, and a job for it.
func tiedEnvironment(t *testing.T, rng *rand.Rand) (*Environment, Job) {
	var nodes []Node
	var slots []Slot
	unit := pickOne(rng, 1, 1, 0.1)
	for i := range 2 + rng.IntN(6) {
		nodes = append(nodes, Node{
			Performance: pickOne(rng, 1, 1, 2, 3),
			Price:       pickOne(rng, 0, 1, 1, 2, 3) * unit,
			Quality:     pickOne(rng, -1, 0, 1, 1, 2, 3, 4) * unit,
		})
		for at := bookahead.Time(rng.IntN(4)); at < 16; at += bookahead.Time(rng.IntN(4)) {
			end := at + bookahead.Time(2+rng.IntN(8))
			slots = append(slots, Slot{i, span(at, end)})
			if at = end; rng.IntN(3) == 0 {
				break
			}
		}
	}
	slices.SortStableFunc(slots, func(a, b Slot) int { return cmp.Compare(a.Start, b.Start) })
	j := Job{Nodes: 1 + rng.IntN(min(len(nodes), 4)), Volume: pickOne(rng, 2, 4, 6), Shape: Shape(rng.IntN(2))}
	j.Budget = (0.5 + float64(rng.IntN(4*j.Nodes))) * j.Volume / 2 * unit
	if rng.IntN(4) == 0 {
		j.Ready, j.Deadline = bookahead.Time(rng.IntN(5)), bookahead.Time(8+rng.IntN(9))
	}
	return environment(t, nodes, slots...), j
}

// TestWindowTies compares all exact searches with all sets of slots at all starts.
func TestWindowTies(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 2))
	for range 1000 {
		e, j := tiedEnvironment(t, rng)
		for _, c := range criteria {
			want := exhaustive(e, j, c, false)
			got, err := Exact(e, j, c, 0)
			requireOptimum(t, e, j, c, false, want, got, err)
			if c.Name == "near" || c.Name == "far" {
				want := exhaustive(e, j, c, true)
				got, err := ExactPlacement(e, j, c, 0)
				requireOptimum(t, e, j, c, false, want, got, err)
			}
		}
	}
}

// TestManyTiedSlots compares Exact with the dynamic program where more slots are there at
// once than can be tried in all sets, and where quality goes by the price.
func TestManyTiedSlots(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 3))
	for range 600 {
		var nodes []Node
		var slots []Slot
		for i := range 6 + rng.IntN(12) {
			price := 1 + float64(rng.IntN(20))
			nodes = append(nodes, Node{Performance: pickOne(rng, 1, 1, 2), Price: price, Quality: price + pickOne(rng, 0, 1, 2)})
			start := bookahead.Time(rng.IntN(4))
			slots = append(slots, Slot{i, span(start, start+bookahead.Time(2+rng.IntN(8)))})
		}
		slices.SortStableFunc(slots, func(a, b Slot) int { return cmp.Compare(a.Start, b.Start) })
		e := environment(t, nodes, slots...)
		j := Job{Nodes: 2 + rng.IntN(5), Volume: 2, Shape: Shape(rng.IntN(2))}
		j.Budget = float64(j.Nodes * (6 + rng.IntN(30)))
		for _, c := range []Criterion{Quality, Near, Far, Cheapest} {
			want, none := MaxQ(e, j, c, Program{Steps: int(j.Budget)})
			skip, err := MaxQ(e, j, c, Program{Steps: int(j.Budget), Skip: true})
			require.Equal(t, none, err)
			got, err := Exact(e, j, c, 0)
			require.Equal(t, none, err)
			if err != nil {
				continue
			}
			requireWindow(t, e, j, c, got.Window)
			require.InDelta(t, want.Value, skip.Value, 1e-9, c.Name)
			require.InDelta(t, want.Value, got.Value, 1e-9, c.Name)
			require.InDelta(t, want.Value, got.Bound, 1e-6, c.Name)
		}
	}
}
