package window

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/depth"
)

// The tests here draw from few numbers, so that most choices tie in value, in cost or in
// both, and the budget lies where it parts them: a bound that is too low by one exchange
// then leaves out the best.

// pickOne draws one of the numbers.
func pickOne(rng *rand.Rand, numbers ...float64) float64 { return numbers[rng.IntN(len(numbers))] }

// problem is a knapsack of whole costs, so that a table of them knows the best.
type problem struct {
	n, budget int
	z         []float64
	c         []int
}

// tied draws a knapsack. In most of them values go by costs, and only the budget parts one
// choice from another.
func tied(rng *rand.Rand) (w problem) {
	m := 1 + rng.IntN(16)
	w.n = rng.IntN(m + 1)
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
		w.z, w.c = append(w.z, z), append(w.c, int(c))
		sum += c
	}
	w.budget = int(rng.Float64() * (sum*float64(w.n)/float64(m) + 2))
	return w
}

// into makes it the problem of a knapsack, with costs in a unit, and each of them greater
// by some offset: that n items are chosen, it does not matter for the best.
func (w problem) into(k *knapsack, unit, offset float64) {
	k.reset(w.n, float64(w.n)*offset+float64(w.budget)*unit)
	for i, z := range w.z {
		k.add(z, offset+float64(w.c[i])*unit)
	}
}

// best returns the greatest value of n items within a budget: recurrence (2) with a step
// for each whole cost.
func (w problem) best(budget int) float64 {
	f := make([][]float64, w.n+1)
	for n := range f {
		f[n] = slices.Repeat([]float64{math.Inf(-1)}, budget+1)
	}
	f[0] = make([]float64, budget+1)
	for i, z := range w.z {
		for n := w.n; n >= 1; n-- {
			for c := w.c[i]; c <= budget; c++ {
				f[n][c] = max(f[n][c], f[n-1][c-w.c[i]]+z)
			}
		}
	}
	return f[w.n][budget]
}

// requireChosen checks that the knapsack's choice has its value and is within the budget.
func requireChosen(t *testing.T, k *knapsack, floor float64) {
	cost, value := 0.0, 0.0
	for _, i := range k.chosen {
		cost, value = cost+k.c[i], value+k.z[i]
	}
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(k.chosen))), k.n)
	require.LessOrEqual(t, cost, k.budget*(1+slack), "B6")
	require.InDelta(t, value, k.value, 1e-9, "B6")
	require.Greater(t, k.value, floor, "B3")
}

// TestKnapsackTies compares with a table: the optimum, and whether there is a better one
// than a floor, with or without a limit of steps. One knapsack solves all of them, as it
// does in a search.
func TestKnapsackTies(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 1))
	k := free()
	cuts, steps := 0, 0
	for i := range depth.Cases(40_000) {
		w := tied(rng)
		want, floor := w.best(w.budget), math.Inf(-1)
		if !math.IsInf(want, 0) && rng.IntN(2) == 0 {
			floor = want + pickOne(rng, -2, -1, -0.1, 0, 1)
		}
		w.into(&k, 1, 0)
		k.lambda = pickOne(rng, 0, 0, 0.5, 1, 3, 100)
		scale := 0.0
		if !math.IsInf(floor, 0) {
			scale = math.Abs(floor)
		}
		most := int64(0)
		if rng.IntN(4) == 0 {
			most = 1 + rng.Int64N(200)
		}
		k.limit(most)
		k.core.steps = 0
		k.solve(floor, scale)
		require.GreaterOrEqual(t, k.bound, max(want, floor)-1e-9, "B7: knapsack %d: the bound is too low", i)
		if k.found {
			requireChosen(t, &k, floor)
			require.LessOrEqual(t, k.value, want+1e-9, "knapsack %d", i)
		}
		require.True(t, most == 0 || k.meter.Steps() <= most, "knapsack %d", i)
		steps += k.core.steps
		if k.core.limited {
			cuts++
			continue
		}
		require.LessOrEqual(t, k.bound, max(want, floor)+1e-9, "B7: knapsack %d: the bound is too high", i)
		if want > floor+1e-9 {
			require.True(t, k.found, "knapsack %d", i)
			require.GreaterOrEqual(t, k.value, want-1e-9, "knapsack %d", i)
		}
	}
	require.Greater(t, cuts, depth.Cases(100))
	require.LessOrEqual(t, steps, 85_000, "the bounds keep them few")
}

// TestKnapsackCutShort limits the steps to less than a knapsack takes. Sometimes only few
// states are dropped, and the one that counts among them: the bound knows of each.
func TestKnapsackCutShort(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 10))
	k := free()
	missed := 0
	for i := range depth.Cases(4000) {
		w := problem{n: 2 + rng.IntN(8)}
		for range 10 + rng.IntN(20) {
			c := rng.IntN(60)
			w.z, w.c = append(w.z, float64(c)+4*rng.Float64()), append(w.c, c)
		}
		w.budget = rng.IntN(60 * w.n)
		w.into(&k, 1, 0)
		k.lambda, k.core.steps = 0, 0
		k.limit(0)
		k.solve(math.Inf(-1), 0)
		whole := k.meter.Steps()
		if k.core.steps < 2 {
			continue
		}
		want := w.best(w.budget)
		for range 6 {
			w.into(&k, 1, 0)
			k.lambda = 0
			most := 1 + rng.Int64N(2*whole)
			if rng.IntN(2) == 0 { // a third of the steps, with which it begins anew, almost do
				most = 2*whole - 1 - rng.Int64N(1+whole/4)
			}
			k.limit(most)
			k.solve(math.Inf(-1), 0)
			require.LessOrEqual(t, k.meter.Steps(), most)
			require.GreaterOrEqual(t, k.bound, want-1e-9, "B7: knapsack %d of %d steps, limited to %d", i, whole, most)
			if k.found {
				requireChosen(t, &k, math.Inf(-1))
			}
			if !k.found || k.value < want-1e-9 {
				missed++
			}
		}
	}
	require.Greater(t, missed, depth.Cases(500))
}

// TestKnapsackRounding has costs that are not exact in binary, or so great that the bound
// at a price is wrong in digits that matter: the choice has its value, and
// the bound holds.
func TestKnapsackRounding(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 8))
	k := free()
	for i := range depth.Cases(20_000) {
		w := tied(rng)
		sure, perhaps := w.best(w.budget), w.best(w.budget)
		if rng.IntN(2) == 0 {
			w.into(&k, 0.1, 0)
			sure = w.best(max(w.budget-1, 0)) // a sum that is just the budget may be above it
		} else {
			w.into(&k, 1, pickOne(rng, 1<<20, 1<<30, 1<<40))
		}
		k.lambda, k.core.steps = pickOne(rng, 0, 1, 3), 0
		k.solve(math.Inf(-1), 0)
		require.GreaterOrEqual(t, k.bound, sure-1e-9, "B7: knapsack %d: the bound is too low", i)
		if k.found {
			requireChosen(t, &k, math.Inf(-1))
			require.LessOrEqual(t, k.value, perhaps+1e-9, "knapsack %d", i)
		}
	}
}

// tiedEnvironment draws an environment of few nodes and ticks, and a job for it.
func tiedEnvironment(t *testing.T, rng *rand.Rand) (*Environment, Job) {
	return drawTied(t, rng, drawn{})
}

// drawn says which features drawTied always draws.
type drawn struct{ tariffs, tight bool }

func drawTied(t *testing.T, rng *rand.Rand, always drawn) (*Environment, Job) {
	var nodes []Node
	var slots []Slot
	unit := pickOne(rng, 1, 1, 0.1)
	tariffs := rng.IntN(4) == 0 || always.tariffs
	for i := range 2 + rng.IntN(6) {
		nodes = append(nodes, Node{
			Performance: pickOne(rng, 1, 1, 2, 3),
			Price:       pickOne(rng, 0, 1, 1, 2, 3) * unit,
			Quality:     pickOne(rng, -1, 0, 1, 1, 2, 3, 4) * unit,
		})
		for from := bookahead.Time(0); tariffs && rng.IntN(3) > 0; {
			from += bookahead.Time(rng.IntN(6))
			nodes[i].Tariff = append(nodes[i].Tariff, Rate{from, pickOne(rng, 0, 1, 2, 3, 5) * unit})
			from++
		}
		if i > 0 && len(nodes[i-1].Tariff) > 0 && rng.IntN(3) == 0 { // it shares the front of a tariff, or all
			shared := nodes[i-1].Tariff
			nodes[i].Tariff = shared[:1+rng.IntN(len(shared))]
			if rng.IntN(2) == 0 { // the other node has the front
				nodes[i-1].Tariff, nodes[i].Tariff = nodes[i].Tariff, shared
			}
		}
		for at := bookahead.Time(rng.IntN(4)); at < 16; at += bookahead.Time(rng.IntN(4)) {
			end := at + bookahead.Time(2+rng.IntN(8))
			slots = append(slots, Slot{i, span(at, end)})
			at = end
			if rng.IntN(3) == 0 {
				break
			}
		}
	}
	slices.SortStableFunc(slots, func(a, b Slot) int { return cmp.Compare(a.Start, b.Start) })
	j := Job{Nodes: 1 + rng.IntN(min(len(nodes), 4)), Volume: pickOne(rng, 2, 4, 6), Shape: Shape(rng.IntN(3))}
	j.Budget = (0.5 + float64(rng.IntN(4*j.Nodes))) * j.Volume / 2 * unit
	if rng.IntN(4) == 0 {
		j.Ready, j.Deadline = bookahead.Time(rng.IntN(5)), bookahead.Time(8+rng.IntN(9))
	}
	if always.tight {
		j.Shape = Tight
	}
	return environment(t, nodes, slots...), j
}

// TestWindowTies compares all exact searches with all sets of slots at all starts.
func TestWindowTies(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 2))
	for range depth.Cases(1000) {
		e, j := tiedEnvironment(t, rng)
		for _, c := range criteria {
			want := exhaustive(e, j, c, false)
			got, err := Exact(e, j, c)
			requireOptimum(t, e, j, c, false, want, got, err)
			if c.Name == "near" || c.Name == "far" {
				want := exhaustive(e, j, c, true)
				got, err := ExactPlacement(e, j, c)
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
		j := Job{Nodes: 2 + rng.IntN(5), Volume: 2, Shape: Shape(rng.IntN(3))}
		j.Budget = float64(j.Nodes * (6 + rng.IntN(30)))
		for _, c := range []Criterion{Quality, Near, Far, Cheapest} {
			want, none := MaxQ(e, j, c, Program{Steps: int(j.Budget)})
			skip, err := MaxQ(e, j, c, Program{Steps: int(j.Budget), Skip: true})
			require.Equal(t, none, err)
			got, err := Exact(e, j, c)
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

// TestExactLooksAtFewBoxes counts the boxes that Exact makes and the sets that it tries.
// More of them would be as right: it is the bounds that keep them few.
func TestExactLooksAtFewBoxes(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 9))
	boxes, steps := 0, 0
	for range 30 {
		var nodes []Node
		var slots []Slot
		for i := range 60 {
			nodes = append(nodes, Node{Performance: 2 + 8*rng.Float64(), Price: 1 + 9*rng.Float64(), Quality: rng.Float64()})
			for at := bookahead.Time(rng.IntN(40)); at < 400; at += bookahead.Time(1 + rng.IntN(30)) {
				end := at + bookahead.Time(20+rng.IntN(120))
				slots = append(slots, Slot{i, span(at, end)})
				at = end
			}
		}
		slices.SortStableFunc(slots, func(a, b Slot) int { return cmp.Compare(a.Start, b.Start) })
		e := environment(t, nodes, slots...)
		for _, c := range []Criterion{Quality, Near, Far, Cheapest} {
			s, err := newSearch(e, Job{Nodes: 5, Volume: 150, Budget: 700, Shape: Shape(rng.IntN(2))})
			require.NoError(t, err)
			x := newExact(s, c, nil)
			x.run()
			boxes, steps = boxes+x.made, steps+x.inner.core.steps
		}
	}
	require.LessOrEqual(t, boxes, 11_000)
	require.LessOrEqual(t, steps, 2400)
}

// TestWindowsOfManySlots has nodes with many short slots, which differ in
// value. The best slot of a node is often idle when those of the others are not.
func TestWindowsOfManySlots(t *testing.T) {
	value := func(_ Node, s Slot, _ bookahead.Time, _ bookahead.Duration) float64 {
		return float64((int(s.Start)*7 + s.Node*5) % 13)
	}
	worth := Criterion{Name: "worth", Value: value, Bound: func(n Node, s Slot, first, _ bookahead.Time, short, _ bookahead.Duration) float64 {
		return value(n, s, first, short)
	}}
	rng := rand.New(rand.NewPCG(16, 12))
	for range depth.Cases(2500) {
		var nodes []Node
		var slots []Slot
		for i := range 4 + rng.IntN(4) {
			nodes = append(nodes, Node{Performance: pickOne(rng, 1, 1, 2), Price: pickOne(rng, 0, 1, 2, 3)})
			for at := bookahead.Time(rng.IntN(6)); at < 40; at += bookahead.Time(1 + rng.IntN(6)) {
				end := at + bookahead.Time(2+rng.IntN(5))
				slots = append(slots, Slot{i, span(at, end)})
				at = end
			}
		}
		slices.SortStableFunc(slots, func(a, b Slot) int { return cmp.Compare(a.Start, b.Start) })
		e := environment(t, nodes, slots...)
		j := Job{Nodes: 2 + rng.IntN(2), Volume: pickOne(rng, 2, 4), Shape: Shape(rng.IntN(3))}
		j.Budget = 0.5 + float64(rng.IntN(8*j.Nodes))
		want := exhaustive(e, j, worth, false)
		got, err := Exact(e, j, worth)
		requireOptimum(t, e, j, worth, false, want, got, err)
	}
}

// TestExactCutShort limits the steps where quality goes by the price. A window that is not
// the best is never called proven: the bound is at least the best.
func TestExactCutShort(t *testing.T) {
	rng := rand.New(rand.NewPCG(16, 13))
	worse := 0
	for range 400 {
		var nodes []Node
		var slots []Slot
		for i := range 24 {
			price := 1 + float64(rng.IntN(50))
			nodes = append(nodes, Node{Performance: 1, Price: price, Quality: price + 2*rng.Float64()})
			slots = append(slots, Slot{i, span(0, 9)})
		}
		e := environment(t, nodes, slots...)
		j := Job{Nodes: 3 + rng.IntN(6), Volume: 1}
		j.Budget = float64(j.Nodes * (10 + rng.IntN(25)))
		monotone := Quality
		bounded := Criterion{Value: Quality.Value, Bound: func(n Node, _ Slot, _, _ bookahead.Time, _, _ bookahead.Duration) float64 {
			return n.Quality
		}}
		for _, c := range []Criterion{monotone, bounded} {
			want, err := Exact(e, j, c)
			if err == bookahead.ErrUnavailable {
				continue
			}
			require.NoError(t, err)
			for range 4 {
				short := j
				short.Effort.Steps = 1 + rng.Int64N(want.steps+1)
				got, err := Exact(e, short, c)
				if errors.Is(err, bookahead.ErrStopped) {
					continue
				}
				require.NoError(t, err)
				require.GreaterOrEqual(t, got.Bound, want.Value-1e-9, "B7")
				if got.Value < want.Value-1e-9 {
					worse++
					require.False(t, got.Proven(), "B7")
				}
			}
		}
	}
	require.Greater(t, worse, depth.Cases(100))
}
