package window

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// TestFirstFitOracle compares the start with the earliest of all sets of slots.
func TestFirstFitOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawEnvironment(t, 7, false)
		j := drawJob(t, e)
		want := exhaustive(e, j, EarliestStart, false)
		w, err := FirstFit(e, j)
		if !want.found {
			require.Equal(t, bookahead.ErrUnavailable, err)
			return
		}
		require.NoError(t, err)
		requireWindow(t, e, j, EarliestStart, w)
		requireTight(t, e, j, w)
		require.InDelta(t, want.value, w.Value, 1e-9)
	})
}

// TestFirstFitStops ends with a window that starts with the first slot: no other
// length is tried.
func TestFirstFitStops(t *testing.T) {
	e := environment(t, []Node{{Performance: 4, Price: 1, Quality: 0}, {Performance: 2, Price: 1, Quality: 0}, {Performance: 1, Price: 1, Quality: 0}}, Slot{0, span(3, 99)}, Slot{1, span(3, 99)}, Slot{2, span(3, 99)})
	s, err := newSearch(e, Job{Nodes: 2, Volume: 8, Budget: 99})
	require.NoError(t, err)
	var lengths []bookahead.Duration
	s.scan(func(w *extended) bool {
		lengths = append(lengths, w.length)
		w.done = true
		return false
	})
	require.Equal(t, []bookahead.Duration{4}, lengths)
	w, err := FirstFit(e, Job{Nodes: 2, Volume: 8, Budget: 99})
	require.NoError(t, err)
	require.Equal(t, span(3, 7), w.Interval)
}

// TestLiteOracle compares MaxQLite with all sets where it claims to be exact, and
// checks the rules where it does not.
func TestLiteOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawEnvironment(t, 7, false)
		j := drawJob(t, e)
		for _, c := range criteria {
			want := exhaustive(e, j, c, false)
			w, err := MaxQLite(e, j, c)
			if !want.found {
				require.Equal(t, bookahead.ErrUnavailable, err)
				return
			}
			require.NoError(t, err)
			requireWindow(t, e, j, c, w)
			require.LessOrEqual(t, w.Value, want.value+1e-9)
			switch c.Name {
			case "start", "finish", "runtime", "cost":
				if j.Shape != Rough {
					require.InDelta(t, want.value, w.Value, 1e-9, c.Name)
				}
			}
		}
	})
}

// TestProgramOracle compares MaxQ with all sets where all costs are whole, and so
// are the steps; elsewhere it must keep the rules.
func TestProgramOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.Bool().Draw(t, "whole")
		e := drawEnvironment(t, 7, whole)
		j := drawJob(t, e)
		for _, c := range criteria {
			want := exhaustive(e, j, c, false)
			w, err := MaxQ(e, j, c, Program{Steps: int(j.Budget)})
			if !want.found {
				require.Equal(t, bookahead.ErrUnavailable, err)
				return
			}
			if err != nil {
				require.False(t, whole)
				continue
			}
			requireWindow(t, e, j, c, w)
			require.LessOrEqual(t, w.Value, want.value+1e-9)
			if whole {
				require.InDelta(t, want.value, w.Value, 1e-9, c.Name)
			}
		}
	})
}

// TestQueriesDoNotMutate runs all searches twice.
func TestQueriesDoNotMutate(t *testing.T) {
	e := benchmarkEnvironment(t, 30, 9)
	before := *e
	for _, search := range searches(Near) {
		a, err := search(e, benchmarkJob(3))
		require.NoError(t, err)
		b, err := search(e, benchmarkJob(3))
		require.NoError(t, err)
		require.Equal(t, a, b)
	}
	require.Equal(t, before, *e)
}

// TestAlternativesUseTheRest takes the time before and behind a window's task for the next ones.
func TestAlternativesUseTheRest(t *testing.T) {
	e := environment(t, []Node{{Performance: 1}, {Performance: 1}}, Slot{0, span(0, 20)}, Slot{1, span(3, 16)})
	var got []bookahead.Interval
	for w, err := range Alternatives(e, Job{Nodes: 2, Volume: 4, Budget: 1}, Quality) {
		require.NoError(t, err)
		got = append(got, w.Interval)
	}
	require.Equal(t, []bookahead.Interval{span(3, 7), span(7, 11), span(11, 15)}, got)
}
