package window

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// Reference: Toporkov, Toporkova and Yemelyanov, "Slot co-allocation optimization
// in distributed computing with heterogeneous resources".

func environment(t *testing.T, nodes []Node, slots ...Slot) *Environment {
	e, err := New(nodes, slots)
	require.NoError(t, err)
	return e
}

// §3.1: "we need to allocate all the slots for a time T = V / min p", and the total
// cost is the sum of T c_i.
func TestPaperWindowLengthAndCost(t *testing.T) {
	e := environment(t, []Node{{Performance: 4, Price: 3, Quality: 0}, {Performance: 10, Price: 5, Quality: 0}}, Slot{0, span(0, 300)}, Slot{1, span(50, 300)})
	j := Job{Nodes: 2, Volume: 800, Budget: 1600}
	w, err := FirstFit(e, j)
	require.NoError(t, err)
	require.Equal(t, span(50, 250), w.Interval)
	require.Equal(t, 200.0*3+200*5, w.Cost)
	j.Budget = 1599
	_, err = FirstFit(e, j)
	require.Equal(t, bookahead.ErrUnavailable, err)
}

// §4.1: "the required window length may vary from 400 to 80 time units".
func TestPaperLengths(t *testing.T) {
	require.Equal(t, bookahead.Duration(400), runtime(800, 2))
	require.Equal(t, bookahead.Duration(80), runtime(800, 10))
	require.Equal(t, bookahead.Duration(115), runtime(800, 7))
}

// TestRuntime has quotients that are whole but for rounding, and some that are not.
func TestRuntime(t *testing.T) {
	for _, c := range []struct {
		volume, performance float64
		want                bookahead.Duration
	}{
		{2.1, 0.7, 3}, {4.2, 0.7, 6}, {0.3, 0.1, 3}, {1.1, 0.11, 10}, {3, 1, 3}, {1, 3, 1}, {10, 3, 4},
		{3.001, 1, 4}, {3.000000001, 1, 4}, {1e-9, 1, 1}, {1e-300, 1e300, 1}, {1e13 + 0.75, 1, 1e13 + 1},
		{1 << 61, 1, 1 << 61}, {1e300, 1e-300, 0}, {1e19, 1, 0},
	} {
		require.Equal(t, c.want, runtime(c.volume, c.performance), "%g/%g", c.volume, c.performance)
	}
}

// §3.2, step 2: "one slot may be included in several groups". The slower node
// belongs to the slower group only, the faster one to both.
func TestPaperGroups(t *testing.T) {
	e := environment(t, []Node{{Performance: 10, Price: 1, Quality: 1}, {Performance: 5, Price: 1, Quality: 1}, {Performance: 2, Price: 1, Quality: 1}}, Slot{0, span(0, 90)}, Slot{1, span(0, 170)}, Slot{2, span(0, 399)})
	s, err := newSearch(e, Job{Nodes: 1, Volume: 800, Budget: 1e9})
	require.NoError(t, err)
	require.Equal(t, []bookahead.Duration{80, 160}, s.lengths) // 399 ticks are too few for the third
	var rounds []string
	s.scan(func(w *extended) bool {
		text := fmt.Sprint(w.start, w.length)
		for _, k := range w.list {
			text += fmt.Sprint(" ", k.node)
		}
		rounds = append(rounds, text)
		return true
	})
	require.Equal(t, []string{"0 80 0", "0 160 1"}, rounds)
}

// §3.2, step 3c(5): a slot that ends too early for the new start leaves the
// extended window; without a slot of the group's performance, nothing is tried.
func TestPaperExtendedWindow(t *testing.T) {
	e := environment(t, []Node{{Performance: 2, Price: 1, Quality: 0}, {Performance: 1, Price: 1, Quality: 0}, {Performance: 2, Price: 1, Quality: 0}}, Slot{0, span(0, 30)}, Slot{1, span(5, 17)}, Slot{2, span(9, 40)})
	s, err := newSearch(e, Job{Nodes: 2, Volume: 10, Budget: 1e9})
	require.NoError(t, err)
	var visits []string
	s.scan(func(w *extended) bool {
		visits = append(visits, fmt.Sprint(w.start, w.length, len(w.list)))
		return true
	})
	require.Equal(t, []string{"9 5 2", "5 10 2"}, visits) // not "9 10 2": at 9, node 1 has 8 ticks left
}

// §3.2, step 3c: a slot of the group's performance must be there, but is not always
// chosen. The window is then longer than its slowest node needs, if that is better.
func TestPaperLongerThanNeeded(t *testing.T) {
	e := environment(t, []Node{{Performance: 2, Price: 1, Quality: 0}, {Performance: 1, Price: 9, Quality: 0}}, Slot{0, span(0, 10)}, Slot{1, span(0, 10)})
	j := Job{Nodes: 1, Volume: 10, Budget: 50}
	o, err := Exact(e, j, Far)
	require.NoError(t, err)
	require.Equal(t, 0, o.Tasks[0].Node)
	require.Equal(t, span(0, 10), o.Interval) // node 0 needs 5 ticks
	coord, err := MaxQ(e, j, Far, Program{Steps: 50})
	require.NoError(t, err)
	require.Equal(t, o.Window, coord)
	o, err = Exact(e, j, Quality)
	require.NoError(t, err)
	require.Equal(t, span(0, 5), o.Interval)
}

// §3.3: to minimise the finish time, the n cheapest slots of the first start are
// the answer in each round.
func TestPaperFinishTime(t *testing.T) {
	for seed := range uint64(5) {
		e := benchmarkEnvironment(t, 40, seed)
		want, err := Exact(e, benchmarkJob(5), EarliestFinish)
		require.NoError(t, err)
		got, err := MaxQLite(e, benchmarkJob(5), EarliestFinish)
		require.NoError(t, err)
		require.Equal(t, want.End, got.End)
	}
}

// §3.3, recurrence (2): the table has the optimum for each budget and number.
func TestPaperRecurrence(t *testing.T) {
	d := newTable(2, 10, 10)
	require.True(t, d.reset(free().meter))
	for i, item := range [][2]float64{{60, 6}, {50, 5}, {40, 5}, {1, 1}} {
		require.True(t, d.add(i, item[0], d.inSteps(item[1]), free().meter))
	}
	f := func(c, n int) float64 { return d.f[n*11+c] }
	require.Equal(t, 60.0, f(10, 1))
	require.Equal(t, 50.0, f(5, 1))
	require.Equal(t, 1.0, f(4, 1))
	require.Equal(t, 90.0, f(10, 2)) // not the greedy 60 + 1
	require.Equal(t, 61.0, f(9, 2))
	require.Equal(t, math.Inf(-1), f(5, 2))
	require.Equal(t, 90.0, d.value(2, 10))
	require.ElementsMatch(t, []int32{1, 2}, d.chosen(2, 10))
}

// §3.3: scaling prices to whole numbers changes the optimum; Exact takes them as
// they are.
func TestPaperScaling(t *testing.T) {
	e := environment(t, []Node{{Performance: 1, Price: 0.5, Quality: 9}, {Performance: 1, Price: 0.5, Quality: 8}, {Performance: 1, Price: 0.4, Quality: 1}}, Slot{0, span(0, 1)}, Slot{1, span(0, 1)}, Slot{2, span(0, 1)})
	j := Job{Nodes: 2, Volume: 1, Budget: 1}
	coarse, err := MaxQ(e, j, Quality, Program{Steps: 3})
	require.Equal(t, bookahead.ErrUnavailable, err, coarse)
	fine, err := MaxQ(e, j, Quality, Program{Steps: 2})
	require.NoError(t, err)
	require.Equal(t, 17.0, fine.Value)
	best, err := Exact(e, j, Quality)
	require.NoError(t, err)
	require.Equal(t, 17.0, best.Value)
}

// §3.4, Fig. 1: times to the neighbours, their nearer and farther.
func TestPaperDistances(t *testing.T) {
	e := environment(t, []Node{{Performance: 1, Price: 0, Quality: 0}, {Performance: 1, Price: 0, Quality: 0}}, Slot{0, span(0, 40)}, Slot{1, span(8, 22)})
	w := Window{Tasks: []Task{{0, 0, span(10, 20)}, {1, 1, span(10, 20)}}}
	near, far := e.Distances(w)
	require.Equal(t, (10.0+2)/2, near)
	require.Equal(t, (20.0+2)/2, far)
	near, far = e.Distances(Window{})
	require.Zero(t, near)
	require.Zero(t, far)
}

// §3.4: DEP goes to the middle of a wide slot, COORD to where it fits best; both
// are tried at starts of slots only, and the best start lies between.
func TestPaperPlacement(t *testing.T) {
	e := environment(t, []Node{{Performance: 1, Price: 1, Quality: 0}, {Performance: 1, Price: 9, Quality: 0}}, Slot{0, span(0, 100)}, Slot{1, span(30, 31)})
	j := Job{Nodes: 1, Volume: 10, Budget: 1000}
	got, err := MaxQ(e, j, Near, Program{Steps: 1000})
	require.NoError(t, err)
	require.Equal(t, 0.0, got.Value) // the start of the other slot is not tried: no task fits into it
	o, err := ExactPlacement(e, j, Near)
	require.NoError(t, err)
	require.Equal(t, span(45, 55), o.Interval)
	require.Equal(t, 45.0, o.Value)
	require.True(t, o.Proven())
	o, err = ExactPlacement(e, j, Far)
	require.NoError(t, err)
	require.Equal(t, -45.0, o.Value)
	got, err = MaxQ(e, j, Far, Program{Steps: 1000})
	require.NoError(t, err)
	require.Equal(t, -90.0, got.Value)
}

// §4.2: MultipleBest retrieves non-intersecting alternatives; FirstFit is the
// first of them.
func TestPaperAlternatives(t *testing.T) {
	e := benchmarkEnvironment(t, 60, 3)
	j := benchmarkJob(5)
	var all []Window
	for w, err := range Alternatives(e, j, Quality) {
		require.NoError(t, err)
		requireWindow(t, e, j, Quality, w)
		for _, before := range all {
			require.LessOrEqual(t, before.Start, w.Start)
			for _, a := range before.Tasks {
				for _, b := range w.Tasks {
					require.False(t, a.Node == b.Node && a.Overlaps(b.Interval))
				}
			}
		}
		all = append(all, w)
	}
	require.Greater(t, len(all), 10)
	first, err := FirstFit(e, j)
	require.NoError(t, err)
	require.Equal(t, all[0].Tasks, first.Tasks)
	best, err := MultipleBest(e, j, Quality)
	require.NoError(t, err)
	for _, w := range all {
		require.LessOrEqual(t, w.Value, best.Value)
	}
}

// §4.2 and §4.3: a search that takes longer is never worse, on the same slots.
func TestPaperOrder(t *testing.T) {
	for seed := range uint64(4) {
		e := benchmarkEnvironment(t, 40, seed)
		j := benchmarkJob(4)
		for _, c := range []Criterion{Quality, Near, Far} {
			lite, err := MaxQLite(e, j, c)
			require.NoError(t, err)
			program, err := MaxQ(e, j, c, Program{Steps: 2000, Skip: true})
			require.NoError(t, err)
			exact, err := Exact(e, j, c)
			require.NoError(t, err)
			anywhere, err := ExactPlacement(e, j, c)
			require.NoError(t, err)
			require.GreaterOrEqual(t, exact.Value, lite.Value-1e-9)
			require.GreaterOrEqual(t, exact.Value, program.Value-1e-9)
			require.GreaterOrEqual(t, anywhere.Value, exact.Value-1e-9)
			require.True(t, exact.Proven() && anywhere.Proven())
		}
	}
}

// TestEqualPrices has two choices at one price of the budget, one dear and one
// affordable; found by TestKnapsackOracle, simplified by hand.
func TestEqualPrices(t *testing.T) {
	k := free()
	k.reset(2, 14)
	k.lambda = 1
	for _, p := range [][2]float64{{1, 1}, {5, 9}, {5, 1}, {6, 12}} {
		k.add(p[0], p[1])
	}
	k.solve(math.Inf(-1), 0)
	require.Equal(t, 11.0, k.value)
}
