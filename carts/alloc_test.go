package carts

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// TestAllocations holds both forms to no allocation per query, and the array to
// at most one per reservation, amortised.
func TestAllocations(t *testing.T) {
	for _, target := range targets {
		s := open1(t, target.Name, 128, Config{})
		rng := rand.New(rand.NewPCG(3, 4))
		reserve := func() {
			_, err := s.Reserve(bookahead.Request{
				Ready:    bookahead.Time(rng.IntN(100_000)),
				Duration: bookahead.Duration(1 + rng.IntN(1000)),
				Units:    1 + rng.Int64N(16),
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if target.Name == "carts.Flat" {
			const n = 20_000
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range n {
				reserve()
			}
			runtime.ReadMemStats(&after)
			require.LessOrEqual(t, float64(after.Mallocs-before.Mallocs)/n, 1.0)
		} else {
			for range 2000 {
				reserve()
			}
		}
		r := bookahead.Request{Ready: 1000, Duration: 500, Units: 100}
		require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = s.Search(r) }), target.Name)
		require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = s.RangeQuery(bookahead.Interval{Start: 10, End: 2000}) }), target.Name)
		full := bookahead.Request{Ready: 1000, Deadline: 1010, Duration: 10, Units: 128}
		require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = s.Search(full) }), target.Name)
	}
}
