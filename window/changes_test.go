package window

import (
	"math/rand/v2"
	rt "runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/depth"
)

// TestChanges compares the merged changes with a sorted list of all, asked for one by one or with gaps.
func TestChanges(t *testing.T) {
	rng := rand.New(rand.NewPCG(29, 1))
	for range depth.Cases(2000) {
		c := changes{meter: free().meter}
		for range rng.IntN(8) {
			c.rates = append(c.rates, bookahead.Time(rng.IntN(60)))
		}
		for range rng.IntN(5) {
			c.lengths = append(c.lengths, bookahead.Duration(1+rng.IntN(30)))
		}
		slices.Sort(c.rates)
		c.rates = slices.Compact(c.rates)
		var want []bookahead.Time
		for _, r := range c.rates {
			want = append(want, r)
			for _, length := range c.lengths {
				want = append(want, r-bookahead.Time(length))
			}
		}
		slices.Sort(want)
		c.rewind()
		for at := bookahead.Time(-40); at < 70; at += bookahead.Time(1 + rng.IntN(9)) {
			i := slices.IndexFunc(want, func(x bookahead.Time) bool { return x > at })
			got, ok := c.after(at)
			require.Equal(t, i >= 0, ok)
			if ok {
				require.Equal(t, want[i], got)
			}
		}
	}
}

// FirstFit merges the changes as it goes: with 300 lengths and 3 000 rates, a list of all changes
// would take more than 7 MiB.
func TestFirstFitKeepsNoChanges(t *testing.T) {
	var rates []Rate
	for i := range depth.Cases(3000) {
		rates = append(rates, Rate{bookahead.Time(i * 3000), float64(1 + i%2)})
	}
	var list []Node
	var slots []Slot
	for k := range 300 {
		list = append(list, Node{Performance: 1e6 / float64(10_000+k), Price: 1, Tariff: rates})
		slots = append(slots, Slot{k, span(0, 1e9)})
	}
	e := environment(t, list, slots...)
	var before, after rt.MemStats
	rt.ReadMemStats(&before)
	w, err := FirstFit(e, Job{Nodes: 1, Volume: 1e6, Budget: 1e9})
	rt.ReadMemStats(&after)
	require.NoError(t, err)
	require.Zero(t, w.Start)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
}
