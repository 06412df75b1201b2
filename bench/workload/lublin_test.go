package workload

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// TestLublinIsReproducible pins the first and last jobs of a seed, and the last
// ones of another kind.
func TestLublinIsReproducible(t *testing.T) {
	jobs, err := Lublin{Seed: 1}.Generate(3)
	require.NoError(t, err)
	require.Equal(t, []Job{
		{Submit: 87, Run: 98, Estimate: 98, Units: 1},
		{Submit: 173, Run: 176, Estimate: 176, Units: 8},
		{Submit: 268, Run: 23, Estimate: 23, Units: 1},
	}, jobs, "a seed gives the same jobs for ever")
	more, err := Lublin{Seed: 1}.Generate(1000)
	require.NoError(t, err)
	require.Equal(t, jobs, more[:3])
	require.Equal(t, []Job{
		{Submit: 680652, Run: 34, Estimate: 34, Units: 4},
		{Submit: 680733, Run: 9433, Estimate: 9433, Units: 9},
		{Submit: 680772, Run: 13441, Estimate: 13441, Units: 4},
	}, more[997:], "and so do all that went before")
	last, err := Lublin{Nodes: 256, Seed: 1, Load: 0.8, Over: 2}.Generate(1000)
	require.NoError(t, err)
	require.Equal(t, []Job{
		{Submit: 1038569, Run: 34, Estimate: 46, Units: 4},
		{Submit: 1038808, Run: 9433, Estimate: 28083, Units: 14},
		{Submit: 1038926, Run: 13441, Estimate: 17643, Units: 4},
	}, last[997:])
	other, err := Lublin{Seed: 2}.Generate(3)
	require.NoError(t, err)
	require.NotEqual(t, jobs, other)
}

// TestLublinDistributions compares with the parameters of the model.
func TestLublinDistributions(t *testing.T) {
	const n = 50_000
	jobs, err := Lublin{Seed: 7, Over: 2}.Generate(n)
	require.NoError(t, err)
	require.True(t, slices.IsSortedFunc(jobs, func(a, b Job) int { return int(a.Submit - b.Submit) }))
	var serial, pow2, day, night int
	logRun, wantLogRun := 0.0, 0.0
	for _, j := range jobs {
		require.True(t, j.Units >= 1 && j.Units <= 128 && j.Run >= 1 && j.Run <= 162_754)
		require.True(t, j.Estimate >= j.Run && j.Estimate <= 3*j.Run, "%+v", j)
		if j.Units == 1 {
			serial++
		} else if bits.OnesCount64(uint64(j.Units)) == 1 {
			pow2++
		}
		logRun += math.Log(float64(j.Run)) / n
		// The mean of a gamma is its shape times its scale.
		short := max(0.78-0.0054*float64(j.Units), 0)
		wantLogRun += (short*4.2*0.94 + (1-short)*312*0.03) / n
		switch hour := j.Submit / 3600 % 24; {
		case hour >= 10 && hour < 18:
			day++
		case hour < 6:
			night++
		}
	}
	require.InDelta(t, 0.244, float64(serial)/n, 0.01)
	// Those that are meant to be, and 27 % of the other 0.18, which round to one.
	require.InDelta(t, 0.625, float64(pow2)/n, 0.008)
	// Whole seconds and the cut at e^12 take 0.04 off.
	require.InDelta(t, wantLogRun-0.04, logRun, 0.04)
	require.Greater(t, float64(day)/8, 2*float64(night)/6, "arrivals per hour")
}

func TestLublinLoad(t *testing.T) {
	for _, l := range []Lublin{{Load: 0.5}, {Load: 0.9, Nodes: 1000}, {Load: 3, Nodes: 1}} {
		jobs, err := l.Generate(20_000)
		require.NoError(t, err)
		work := 0.0
		for _, j := range jobs {
			require.LessOrEqual(t, j.Units, max(l.Nodes, 128))
			work += float64(j.Run) * float64(j.Units)
		}
		nodes := float64(l.Nodes)
		if nodes == 0 {
			nodes = 128
		}
		require.InEpsilon(t, l.Load, work/(nodes*float64(jobs[len(jobs)-1].Submit)), 0.02, "%+v", l)
	}
}

func TestLublinOnAnyMachine(t *testing.T) {
	for _, nodes := range []int64{1, 2, 3, 100, 1 << 40} {
		jobs, err := Lublin{Nodes: nodes, Seed: 3}.Generate(2000)
		require.NoError(t, err)
		for _, j := range jobs {
			require.True(t, j.Units >= 1 && j.Units <= nodes, "%+v", j)
		}
	}
	none, err := Lublin{Load: 0.5}.Generate(0)
	require.NoError(t, err)
	require.Empty(t, none)
	for _, load := range []float64{0.001, 1000} {
		_, err := Lublin{Load: load}.Generate(1)
		require.NoError(t, err, "even what a single job cannot reach")
	}
}

func TestLublinBadInput(t *testing.T) {
	for want, l := range map[string]Lublin{
		"Lublin.Nodes -4 is not between 1 and 2^40":              {Nodes: -4},
		"Lublin.Load NaN is not 0, nor between 0.001 and 1000":   {Load: math.NaN()},
		"Lublin.Load +Inf is not 0, nor between 0.001 and 1000":  {Load: math.Inf(1)},
		"Lublin.Load 1e-09 is not 0, nor between 0.001 and 1000": {Load: 1e-9},
		"Lublin.Over -0.1 is not between 0 and 1e6":              {Over: -0.1},
		"Lublin.Over NaN is not between 0 and 1e6":               {Over: math.NaN()},
	} {
		_, err := l.Generate(1)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.EqualError(t, err, "bookahead: "+want)
	}
	for _, n := range []int{-1, 1e8 + 1} {
		_, err := Lublin{}.Generate(n)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, "is not between 0 and 1e8")
	}
}
