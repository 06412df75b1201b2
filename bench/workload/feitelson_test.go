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

// classes are sizes up to each of these.
var classes = []int64{1, 2, 4, 8, 16, 32, 64, 128}

// TestFeitelsonOverTime checks the shares and moments that a long run tends to.
// Run times are so long that hardly two first submissions have the same, so that
// repetitions are told by it.
func TestFeitelsonOverTime(t *testing.T) {
	const (
		n, gap, meanRun = 200_000, 1e9, 1e9
		nodes           = 128
	)
	jobs, err := Feitelson{Seed: 7, Nodes: nodes, Gap: gap, Short: meanRun}.Generate(n)
	require.NoError(t, err)
	type shape struct {
		run   bookahead.Duration
		units int64
	}
	last := map[shape]bookahead.Time{}
	var firsts []Job
	chance := 0
	for _, j := range jobs {
		key := shape{j.Run, j.Units}
		before, again := last[key]
		repeated := again && j.Submit == before+bookahead.Time(j.Run)
		if !repeated {
			firsts = append(firsts, j)
		}
		if again && !repeated {
			chance++
		}
		last[key] = j.Submit
	}

	require.LessOrEqual(t, chance, 5, "a repetition comes when the job would be done")

	gaps, squares := 0.0, 0.0
	for i, j := range firsts[1:] {
		g := float64(j.Submit - firsts[i].Submit)
		gaps, squares = gaps+g, squares+g*g
	}
	mean := gaps / float64(len(firsts)-1)
	require.InEpsilon(t, gap, mean, 0.02)
	require.InDelta(t, 1, math.Sqrt(squares/float64(len(firsts)-1)-mean*mean)/mean, 0.02, "a Poisson process")

	// The expectations follow from the definitions of the distributions.
	weight := func(k int64) float64 {
		w := math.Pow(float64(k), -1.5)
		if k&(k-1) == 0 {
			w *= 3
		}
		return w
	}
	long := func(k int64) float64 { return 0.05 + 0.2*float64(k)/nodes }
	const limit = 5 // short runs
	var weights, work float64
	sizes, longer := make([]float64, len(classes)), make([]float64, len(classes))
	class := func(units int64) int { c, _ := slices.BinarySearch(classes, units); return c }
	for k := int64(1); k <= nodes; k++ {
		w := weight(k)
		weights += w
		work += w * float64(k) * meanRun * (1 + 6*long(k))
		sizes[class(k)] += w
		longer[class(k)] += w * ((1-long(k))*math.Exp(-limit) + long(k)*math.Exp(-limit/7.0))
	}
	gotSizes, gotLonger := make([]float64, len(classes)), make([]float64, len(classes))
	for _, j := range firsts {
		gotSizes[class(j.Units)]++
		if j.Run > limit*meanRun {
			gotLonger[class(j.Units)]++
		}
	}
	for c, count := range gotSizes {
		require.InDelta(t, sizes[c]/weights, count/float64(len(firsts)), 0.005, "share of up to %d units", classes[c])
		require.InDelta(t, longer[c]/sizes[c], gotLonger[c]/count, 5*math.Sqrt(0.05/count)+0.002, "long runs of up to %d units", classes[c])
	}

	var repeats, orders float64
	for k := 1.0; k <= 100; k++ {
		repeats += math.Pow(k, -1.5)
		orders += math.Pow(k, -2.5)
	}
	offered := 0.0
	for _, j := range jobs {
		offered += float64(j.Run) * float64(j.Units)
	}
	offered /= nodes * float64(jobs[n-1].Submit)
	require.InEpsilon(t, repeats/orders*work/weights/(nodes*gap), offered, 0.1, "load")
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
