package window

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/internal/depth"
)

// TestSweepTrail sweeps the changes after each item: each state is the set that it was, and no
// change is left that no state needs.
func TestSweepTrail(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 8))
	swept := 0
	for range depth.Cases(2000) {
		k := drawKnapsack(rng)
		k.relax(math.Inf(-1), 0)
		if math.IsInf(k.relaxed, -1) {
			continue
		}
		c := &k.core
		c.until = math.MaxInt64
		c.raise(math.Inf(-1), 0)
		require.True(t, k.begin())
		first, last := k.n, k.n
		for i := range c.items {
			first, last = k.advance(i, first, last)
			if first > last {
				break
			}
			before, length := k.states(), len(c.trail)
			k.sweepTrail(first, last)
			require.Equal(t, before, k.states())
			swept += length - len(c.trail)
			needed := make([]bool, len(c.trail))
			for _, list := range c.lists {
				for _, s := range list {
					for at := s.trail; at >= 0; at = c.trail[at].before {
						needed[at] = true
					}
				}
			}
			require.NotContains(t, needed, false)
		}
	}
	require.Greater(t, swept, depth.Cases(100))
}

// TestHoldBoundsMemory drops the room of lists, and lets fewer states go on, when there are too
// many changes.
func TestHoldBoundsMemory(t *testing.T) {
	k := byHand()
	c := &k.core
	c.until = math.MaxInt64
	c.lists = [][]state{make([]state, 3, 4*mostStates+1), nil}
	for i := range c.lists[0] {
		c.lists[0][i].trail = int32(mostChanges/2 + i)
	}
	require.Equal(t, mostStates, k.hold(0, 1), "there are no changes yet")
	c.trail = make([]change, mostChanges/2+3)
	for i := range c.trail {
		c.trail[i].before = int32(i) - 1
	}
	require.Equal(t, 1, k.hold(0, 1), "all changes are needed: half of the states go on")
	require.Less(t, cap(c.lists[0]), 10)
	for i := range c.lists[0] {
		c.lists[0][i].trail = 5
	}
	require.Equal(t, mostStates, k.hold(0, 1))
	require.Len(t, c.trail, 6)
}
