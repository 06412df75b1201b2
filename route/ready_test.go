package route

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/avail"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/internal/depth"
)

// A pool with thousands of bookings has a long list of free ticks. Paths to the cluster share the
// list: a search takes less memory than a list for each tenth path.
func TestPathsShareTheListOfTheirCluster(t *testing.T) {
	pool, err := carts.NewIndexed(2, carts.Config{})
	require.NoError(t, err)
	const paths, bookings = 500, 5000
	for i := range bookings {
		_, err := pool.Reserve(bookahead.At(bookahead.Time(2000+4*i), 2, 2))
		require.NoError(t, err)
	}
	var links []Link
	for d := range paths {
		links = append(links, Link{From: 0, To: 1, Delay: bookahead.Duration(d)})
	}
	n, err := New(2, links, []Cluster{{Node: 1, CPUs: 2, Speed: 1, Pool: pool}}, Config{Slots: 1000})
	require.NoError(t, err)
	task := Task{Burst: 1, Work: 1, CPUs: 2}
	for name, search := range map[string]func() error{
		"MCT":        func() error { _, err := n.MCT(task, nil); return err },
		"MCB":        func() error { _, err := n.MCB(task); return err },
		"Candidates": func() error { _, err := n.Candidates(task); return err },
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		require.NoError(t, search())
		runtime.ReadMemStats(&after)
		bytes := int64(after.TotalAlloc - before.TotalAlloc)
		t.Logf("%s: %d bytes", name, bytes)
		require.Less(t, bytes, int64(paths/10*bookings*16), name)
	}
	pairs, err := n.Candidates(task)
	require.NoError(t, err)
	require.True(t, pairs[0].Covers(pairs[0]))
}

// The lists of two clusters are compared as Runs are: the ticks from the later arrival on.
func TestReadinessIsThatOfRuns(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 27))
	draw := func() *avail.Runs {
		r, err := avail.NewRuns(30)
		require.NoError(t, err)
		r.Set(0, 30)
		for range rng.IntN(3) {
			from := rng.IntN(30)
			r.Clear(from, min(30, from+1+rng.IntN(5)))
		}
		return r
	}
	task, err := meter(bookahead.Effort{})
	require.NoError(t, err)
	covered, not := 0, 0
	for range depth.Cases(3000) {
		r := newReadiness(2)
		r.free[0], r.free[1] = draw(), draw()
		missing := lastMissing(slices.Collect(r.free[0].All()), slices.Collect(r.free[1].All()))
		for tick := missing + 1; tick < 30; tick++ {
			require.True(t, r.free[0].Get(int(tick)) || !r.free[1].Get(int(tick)))
		}
		for range 4 {
			a, b := &Candidate{Cluster: rng.IntN(2)}, &Candidate{Cluster: rng.IntN(2)}
			a.free, b.free = r.free[a.Cluster], r.free[b.Cluster]
			a.from = rng.IntN(31)
			b.from = a.from + rng.IntN(31-a.from)
			want := a.Ready().Covers(b.Ready())
			require.Equal(t, want, r.covers(&job{meter: task}, a, b))
			if want {
				covered++
			} else {
				not++
			}
		}
	}
	require.Greater(t, covered, depth.Cases(1000))
	require.Greater(t, not, depth.Cases(1000))
}
