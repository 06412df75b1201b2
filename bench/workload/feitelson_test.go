package workload

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

func TestFeitelson(t *testing.T) {
	const n = 40_000
	jobs, err := Feitelson{Seed: 3, Gap: 100}.Generate(n)
	require.NoError(t, err)
	require.Len(t, jobs, n)
	require.True(t, slices.IsSortedFunc(jobs, func(a, b Job) int { return int(a.Submit - b.Submit) }))
	again, err := Feitelson{Seed: 3, Gap: 100}.Generate(1000)
	require.NoError(t, err)
	require.Equal(t, jobs[:1000], again, "the first jobs do not depend on how many follow")

	var serial, pow2, small, large float64
	var smalls, larges, sum, squares float64
	type shape struct {
		run   bookahead.Duration
		units int64
	}
	shapes := map[shape]int{}
	for _, j := range jobs {
		require.True(t, j.Units >= 1 && j.Units <= 128 && j.Run >= 1 && j.Estimate == j.Run)
		if j.Units == 1 {
			serial++
		}
		if bits.OnesCount64(uint64(j.Units)) == 1 {
			pow2++
		}
		run := float64(j.Run)
		sum, squares = sum+run, squares+run*run
		if j.Units <= 2 {
			small, smalls = small+run, smalls+1
		}
		if j.Units >= 64 {
			large, larges = large+run, larges+1
		}
		shapes[shape{j.Run, j.Units}]++
	}
	require.InDelta(t, 0.49, serial/n, 0.06, "3 of the weights' sum, 6.1")
	require.Greater(t, pow2/n, 0.7)
	mean := sum / n
	require.Greater(t, math.Sqrt(squares/n-mean*mean)/mean, 1.2, "coefficient of variation")
	require.Greater(t, large/larges, small/smalls, "larger jobs run longer")
	require.Less(t, len(shapes), n*8/10, "many are submitted again")
	// Each first submission makes 1.8 jobs on average.
	require.InEpsilon(t, n*100/1.8, float64(jobs[n-1].Submit), 0.1)
}

func TestFeitelsonRefuses(t *testing.T) {
	for want, f := range map[string]Feitelson{
		"Feitelson.Gap 0 is not between 0 and 1e9":     {},
		"Feitelson.Gap NaN is not between 0 and 1e9":   {Gap: math.NaN()},
		"Feitelson.Nodes -1 is not between 1 and 2^20": {Gap: 1, Nodes: -1},
		"Feitelson.Short -2 is not between 0 and 1e9":  {Gap: 1, Short: -2},
	} {
		_, err := f.Generate(1)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.EqualError(t, err, "bookahead: "+want)
	}
	jobs, err := Feitelson{Gap: 1}.Generate(0)
	require.NoError(t, err)
	require.Empty(t, jobs)
}
