package workload

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// TestGangs checks the shares and the medians that the comment of Gangs promises.
func TestGangs(t *testing.T) {
	const n = 100_000
	g := Gangs{Nodes: 2_000, Seed: 1, Load: 0.8, Ahead: 0.05}
	gangs, err := g.Generate(n)
	require.NoError(t, err)
	require.Len(t, gangs, n)
	require.True(t, slices.IsSortedFunc(gangs, func(a, b Gang) int { return cmp.Compare(a.Submit, b.Submit) }))

	var cores, part, whole, racks, ahead, tasks, single, gpus, stretch, work, all float64
	var runs []bookahead.Duration
	for _, x := range gangs {
		require.NoError(t, x.Request.Validate())
		require.True(t, x.Tasks >= 1 && x.Tasks <= 256 && x.Cores >= 1 && x.Cores <= 64, "%+v", x)
		require.Equal(t, max(1, x.Tasks*x.GPUs), x.Units)
		require.Equal(t, x.Estimate, x.Request.Duration)
		require.True(t, x.Run <= x.Estimate && x.Estimate <= 3*x.Run, "%+v", x)
		switch x.GPUs {
		case 0:
			cores++
			require.Zero(t, x.Cores&(x.Cores-1), "a power of two")
		case 8:
			whole++
			require.Equal(t, int64(64), x.Cores)
		default:
			part++
			require.Zero(t, x.Cores%x.GPUs)
		}
		if x.OneRack {
			racks++
			require.LessOrEqual(t, x.Tasks, int64(20))
		}
		if x.Tasks == 1 {
			single++
		}
		if x.Ahead {
			ahead++
			require.LessOrEqual(t, x.Request.Ready, x.Submit+2*86_400)
			require.Equal(t, x.Request.Ready+bookahead.Time(x.Estimate)+bookahead.Time(x.Estimate/2), x.Request.Deadline)
		} else {
			require.Equal(t, x.Submit, x.Request.Ready)
			require.Zero(t, x.Request.Deadline)
		}
		tasks += float64(x.Tasks)
		gpus += float64(x.Tasks * x.GPUs)
		stretch += float64(x.Estimate) / float64(x.Run)
		work += float64(x.Tasks*x.GPUs) * float64(x.Run)
		all += float64(x.Tasks*x.Cores) * float64(x.Run)
		runs = append(runs, x.Run)
	}
	slices.Sort(runs)
	require.InDelta(t, 0.30, cores/n, 0.01)
	require.InDelta(t, 0.45, part/n, 0.01)
	require.InDelta(t, 0.25, whole/n, 0.01)
	require.InDelta(t, 0.10, racks/n, 0.01)
	require.InDelta(t, 0.05, ahead/n, 0.005)
	require.InDelta(t, 12.9, tasks/n, 0.3)
	require.InDelta(t, 0.33, single/n, 0.02)
	require.InDelta(t, 2, stretch/n, 0.02)
	require.InDelta(t, 3600, float64(runs[n/2]), 60)
	require.Equal(t, bookahead.Duration(60), runs[0])
	require.Equal(t, bookahead.Duration(3*86_400), runs[n-1])
	require.InDelta(t, 140, work/n/3600, 10, "GPU-hours of a gang")

	span := float64(gangs[n-1].Submit)
	require.InEpsilon(t, 0.8, work/(16_000*span), 0.001, "load")
	require.InEpsilon(t, 0.8, all/(128_000*span), 0.05, "load of cores")
}

// TestGangsArePoisson: the gaps between submissions are as long as they scatter.
func TestGangsArePoisson(t *testing.T) {
	const n = 20_000
	gangs, err := Gangs{Nodes: 2_000, Seed: 5, Load: 1}.Generate(n)
	require.NoError(t, err)
	sum, squares := 0.0, 0.0
	for i := 1; i < n; i++ {
		gap := float64(gangs[i].Submit - gangs[i-1].Submit)
		sum, squares = sum+gap, squares+gap*gap
	}
	mean := sum / (n - 1)
	require.InDelta(t, 1, math.Sqrt(squares/(n-1)-mean*mean)/mean, 0.03)
}

// TestGangsBySeed: a seed gives the same gangs, and another one gives others. The load moves only
// the times.
func TestGangsBySeed(t *testing.T) {
	g := Gangs{Nodes: 40, Seed: 3, Load: 0.5, Ahead: 0.5}
	generate := func(g Gangs) []Gang {
		gangs, err := g.Generate(300)
		require.NoError(t, err)
		return gangs
	}
	one := generate(g)
	require.Equal(t, one, generate(g))
	g.Seed++
	require.NotEqual(t, one, generate(g))
	g.Seed--
	g.Load = 1
	for i, x := range generate(g) {
		x.Submit, x.Request.Ready, x.Request.Deadline = one[i].Submit, one[i].Request.Ready, one[i].Request.Deadline
		require.Equal(t, one[i], x)
		require.LessOrEqual(t, x.Tasks, int64(20), "half of the nodes")
	}
	none, err := g.Generate(0)
	require.NoError(t, err)
	require.Empty(t, none)
}

func TestGangsRefuses(t *testing.T) {
	for want, g := range map[string]Gangs{
		"Gangs.Nodes 1 is not between 2 and 2^20":       {Nodes: 1, Load: 1},
		"Gangs.Nodes 1048577 is not between 2 and 2^20": {Nodes: 1<<20 + 1, Load: 1},
		"Gangs.Load 0 is not between 0.001 and 1000":    {Nodes: 2},
		"Gangs.Load NaN is not between 0.001 and 1000":  {Nodes: 2, Load: math.NaN()},
		"Gangs.Ahead 1.5 is not between 0 and 1":        {Nodes: 2, Load: 1, Ahead: 1.5},
	} {
		_, err := g.Generate(1)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.EqualError(t, err, "bookahead: "+want)
	}
	_, err := Gangs{Nodes: 2, Load: 1}.Generate(-1)
	require.EqualError(t, err, "bookahead: n -1 is not between 0 and 1e7")
}
