package window

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// requireWindow fails unless a window keeps all rules.
func requireWindow(t require.TestingT, e *Environment, j Job, c Criterion, w Window) {
	require.Len(t, w.Tasks, j.Nodes)
	cost, value, end := 0.0, 0.0, w.Start
	slowest := bookahead.Duration(0)
	for i, task := range w.Tasks {
		s, n := e.slots[task.Slot], e.nodes[task.Node]
		require.Equal(t, s.Node, task.Node)
		require.True(t, i == 0 || w.Tasks[i-1].Node < task.Node)
		require.True(t, usable(e, j, task.Node))
		require.Equal(t, w.Start, task.Start)
		require.LessOrEqual(t, s.Start, task.Start)
		require.LessOrEqual(t, task.End, s.End)
		require.GreaterOrEqual(t, task.Len(), ownLength(e, j, task.Node))
		if j.Shape == Rough {
			require.Equal(t, ownLength(e, j, task.Node), task.Len())
		} else {
			require.Equal(t, w.End, task.End)
		}
		cost += n.Cost(task.Interval)
		value += c.Value(n, s, task.Start, task.Len())
		slowest = max(slowest, ownLength(e, j, task.Node))
		end = max(end, task.End)
	}
	require.Equal(t, end, w.End)
	require.GreaterOrEqual(t, w.Len(), slowest)
	require.GreaterOrEqual(t, w.Start, j.Ready)
	require.True(t, j.Deadline == 0 || w.End <= j.Deadline)
	require.InDelta(t, cost, w.Cost, 1e-9)
	require.InDelta(t, value, w.Value, 1e-9)
	require.LessOrEqual(t, w.Cost, j.Budget*(1+2*slack))
	if j.Shape == Tight {
		requireTight(t, e, j, w)
	}
}

// requireTight fails unless a square window is as long as its slowest node needs.
// The published search does not promise that, but a criterion that is monotone
// gains nothing by more.
func requireTight(t require.TestingT, e *Environment, j Job, w Window) {
	slowest := bookahead.Duration(0)
	for _, task := range w.Tasks {
		slowest = max(slowest, ownLength(e, j, task.Node))
	}
	require.Equal(t, slowest, w.Len())
}

// TestExactOracle compares Exact with all sets of slots at all starts.
func TestExactOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.Bool().Draw(t, "whole")
		e := drawEnvironment(t, 7, whole)
		j := drawJob(t, e)
		for _, c := range criteria {
			want := exhaustive(e, j, c, false)
			got, err := Exact(e, j, c)
			requireOptimum(t, e, j, c, whole, want, got, err)
		}
	})
}

// TestExactPlacementOracle compares ExactPlacement with all sets at all ticks.
func TestExactPlacementOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.Bool().Draw(t, "whole")
		e := drawEnvironment(t, 5, whole)
		j := drawJob(t, e)
		for _, c := range []Criterion{Near, Far, Quality} {
			want := exhaustive(e, j, c, true)
			got, err := ExactPlacement(e, j, c)
			requireOptimum(t, e, j, c, whole, want, got, err)
		}
	})
}

// A window may be as long as a slot needs that is there and too dear, and then begins
// or ends with that slot.
func TestPlacementBesideADearSlot(t *testing.T) {
	for _, slots := range [][]Slot{
		{{1, span(1, 15)}, {0, span(2, 12)}},
		{{0, span(0, 12)}, {1, span(1, 15)}},
	} {
		e, err := New([]Node{{Performance: 1, Price: 1}, {Performance: 1.5}}, slots)
		require.NoError(t, err)
		got, err := ExactPlacement(e, Job{Nodes: 1, Volume: 10, Budget: 1}, Far)
		require.NoError(t, err)
		require.Equal(t, span(2, 12), got.Interval)
		require.InDelta(t, -3, got.Value, 1e-9)
		require.True(t, got.Proven())
	}
}

func requireOptimum(t require.TestingT, e *Environment, j Job, c Criterion, whole bool, want trial, got Optimum, err error) {
	if !want.found {
		require.ErrorIs(t, err, bookahead.ErrUnavailable, c.Name)
		return
	}
	require.NoError(t, err, c.Name)
	requireWindow(t, e, j, c, got.Window)
	if c.Monotone || j.Shape == Tight {
		requireTight(t, e, j, got.Window)
	}
	require.InDelta(t, want.value, got.Value, 1e-9, c.Name)
	// Bound may be above Value by the rounding of sums only, where they cancel out
	// or a cost weighs much. Values differ by more.
	require.InDelta(t, got.Value, got.Bound, 1e-6, c.Name)
	if whole && got.Value != 0 {
		require.True(t, got.Proven(), c.Name)
	}
}

// TestExactMagnitudes mixes prices and qualities of very different magnitudes: no
// window is over budget, and a proven window is the best.
func TestExactMagnitudes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		powers := rapid.SampledFrom([][]float64{{1, 1e15}, {1e-15, 1, 1e15}, {1, 1e9}, {1, 1e30}, {1e-100, 1, 1e100}, {1e199}})
		prices, qualities := powers.Draw(t, "powers of price"), powers.Draw(t, "powers of quality")
		e := drawEnvironment(t, 7, false)
		for i := range e.nodes {
			e.nodes[i].Price *= rapid.SampledFrom(prices).Draw(t, "power")
			e.nodes[i].Quality *= rapid.SampledFrom(qualities).Draw(t, "power")
		}
		j := drawJob(t, e)
		j.Budget *= rapid.SampledFrom(prices).Draw(t, "power")
		for _, c := range criteria {
			want := exhaustive(e, j, c, false)
			got, err := Exact(e, j, c)
			if !want.found {
				require.ErrorIs(t, err, bookahead.ErrUnavailable, c.Name)
				continue
			}
			require.NoError(t, err, c.Name)
			require.LessOrEqual(t, got.Cost, j.Budget*(1+2*slack))
			scale := 0.0
			for _, task := range got.Tasks {
				scale += math.Abs(c.Value(e.nodes[task.Node], e.slots[task.Slot], task.Start, task.Len()))
			}
			require.LessOrEqual(t, want.value, got.Bound+2*slack*scale, "B7: %s", c.Name)
			if got.Proven() {
				require.InDelta(t, want.value, got.Value, 2*slack*scale, "B7: %s", c.Name)
			}
		}
	})
}

// TestExactAnytime stops branching early: the optimum is between the value found
// and the bound.
func TestExactAnytime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawEnvironment(t, 12, false)
		j := drawJob(t, e)
		steps := rapid.Int64Range(0, 2000).Draw(t, "steps")
		for _, c := range criteria {
			want, err := Exact(e, j, c)
			short := j
			short.Effort.Steps = 1 + steps
			got, err2 := Exact(e, short, c)
			if err != nil && errors.Is(err2, bookahead.ErrStopped) {
				continue // it might have found the same later
			}
			if errors.Is(err2, bookahead.ErrStopped) {
				require.Empty(t, got)
				continue
			}
			require.Equal(t, err, err2)
			if err == nil {
				requireWindow(t, e, j, c, got.Window)
				require.LessOrEqual(t, got.steps, short.Effort.Steps)
				require.LessOrEqual(t, got.Value, want.Value+1e-9)
				require.GreaterOrEqual(t, got.Bound, want.Value-1e-9, "B7")
			}
		}
	})
}

// TestExactProgram compares Exact with the dynamic program of §3.3, where all
// costs are whole, and its budget is.
func TestExactProgram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawEnvironment(t, 16, true)
		j := drawJob(t, e)
		for _, c := range criteria {
			want, err := MaxQ(e, j, c, Program{Steps: int(j.Budget)})
			skip, err2 := MaxQ(e, j, c, Program{Steps: int(j.Budget), Skip: true})
			got, err3 := Exact(e, j, c)
			require.Equal(t, err, err2)
			require.Equal(t, err, err3)
			if err == nil {
				requireWindow(t, e, j, c, want)
				require.InDelta(t, want.Value, skip.Value, 1e-9, c.Name)
				require.InDelta(t, want.Value, got.Value, 1e-9, c.Name)
			}
		}
	})
}
