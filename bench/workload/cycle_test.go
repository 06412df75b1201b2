package workload

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

func TestCycleWeights(t *testing.T) {
	sum, peak, low := 0.0, 0, 0
	weights := newCycle(untyped.anum, untyped.bnum).weights
	for i, w := range weights {
		sum += w
		if w > weights[peak] {
			peak = i
		}
		if w < weights[low] {
			low = i
		}
	}
	require.InDelta(t, halfHours, sum, 1e-9)
	require.True(t, peak >= 2*12 && peak < 2*15, "most arrive in the early afternoon, not at %d/2", peak)
	require.True(t, low >= 2*4 && low < 2*7, "and fewest towards morning, not at %d/2", low)
}

// TestCycle checks that the clock never goes back, that it does not matter in
// how many steps the points go by, and that 48 of them are a day at any hour.
func TestCycle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		clock := newCycle(untyped.anum, untyped.bnum)
		once := clock
		total := 0.0
		var now bookahead.Time
		for _, points := range rapid.SliceOf(rapid.Float64Range(0, 300)).Draw(t, "points") {
			total += points
			then := clock.pass(points)
			require.GreaterOrEqual(t, then, now)
			now = then
		}
		require.InDelta(t, int64(once.pass(total)), int64(now), 1)
		require.InDelta(t, int64(now)+86400, int64(clock.pass(halfHours)), 1)
	})
}
