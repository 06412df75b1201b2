package window

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/depth"
)

// TestTightWindows compares all searches with all sets of slots in which the slowest node needs
// the whole length. Square windows are the same or better, and some of the best are longer.
func TestTightWindows(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 1))
	longer := 0
	for range depth.Cases(500) {
		e, j := drawTied(t, rng, drawn{tight: true})
		requireAnswers(t, e, j)
		square := j
		square.Shape = Square
		for _, c := range []Criterion{Near, Far} {
			a, err := Exact(e, j, c)
			b, err2 := Exact(e, square, c)
			if err != nil {
				require.Equal(t, bookahead.ErrUnavailable, err)
				continue // Square may have found one: a slot that is too slow may be near
			}
			require.NoError(t, err2)
			require.GreaterOrEqual(t, b.Value, a.Value-1e-9)
			if b.Value > a.Value+1e-9 {
				longer++
			}
		}
	}
	require.NotZero(t, longer)
}

// TestTariffs compares all searches with all sets of slots at all starts, where the cost of a
// task is added up tick by tick.
func TestTariffs(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 2))
	between := 0
	for range depth.Cases(500) {
		e, j := drawTied(t, rng, drawn{tariffs: true})
		requireAnswers(t, e, j)
		w, err := Exact(e, j, Cheapest)
		starts := false
		for _, s := range e.slots {
			starts = starts || max(s.Start, j.Ready) == w.Start
		}
		if err == nil && !starts {
			between++
		}
	}
	require.NotZero(t, between, "some of the cheapest windows begin where no slot does")
}

// requireAnswers compares with the oracle.
func requireAnswers(t *testing.T, e *Environment, j Job) {
	for _, c := range criteria {
		want := exhaustive(e, j, c, false)
		got, err := Exact(e, j, c)
		requireOptimum(t, e, j, c, false, want, got, err)
		w, err := MaxQLite(e, j, c)
		require.Equal(t, want.found, err == nil)
		if want.found {
			requireWindow(t, e, j, c, w)
			require.LessOrEqual(t, w.Value, want.value+1e-9)
			if j.Shape != Rough && c.Name == "cost" {
				require.InDelta(t, want.value, w.Value, 1e-9)
			}
		}
		w, err = MaxQ(e, j, c, Program{Steps: 60})
		if err == nil {
			requireWindow(t, e, j, c, w)
			require.LessOrEqual(t, w.Value, want.value+1e-9)
		} else {
			require.Equal(t, bookahead.ErrUnavailable, err)
		}
	}
	for _, c := range []Criterion{Near, Far, Quality, Cheapest} {
		if c.Name == "cost" && !tariffed(e, j) {
			continue
		}
		want := exhaustive(e, j, c, true)
		got, err := ExactPlacement(e, j, c)
		requireOptimum(t, e, j, c, false, want, got, err)
	}
	want := exhaustive(e, j, EarliestStart, false)
	w, err := FirstFit(e, j)
	require.Equal(t, want.found, err == nil)
	if want.found {
		requireWindow(t, e, j, EarliestStart, w)
		requireTight(t, e, j, w)
		require.InDelta(t, want.value, w.Value, 1e-9)
	}
}
