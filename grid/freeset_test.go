package grid

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The set beside a sorted list, on one to three levels.
func TestFreeSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 63, 64, 65, 4096, 4097, 70_000}).Draw(t, "servers")
		f, want := allFree(uint(n)), map[int]bool{}
		for k := range n {
			want[k] = true
		}
		ascending := func() []int { return slices.Sorted(maps.Keys(want)) }
		require.Equal(t, ascending(), slices.Collect(f.lowest))
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			first := rapid.IntRange(0, n-1).Draw(t, "first")
			last := min(n, first+rapid.SampledFrom([]int{1, 64, 5000}).Draw(t, "number"))
			free := rapid.Bool().Draw(t, "free")
			for k := first; k < last; k++ {
				if free {
					f.add(k)
					want[k] = true
				} else {
					f.remove(k)
					delete(want, k)
				}
				require.Equal(t, free, f.has(k))
			}
			require.Equal(t, ascending(), slices.Collect(f.lowest))
		}
		again := allFree(uint(n))
		for k := range n {
			if !want[k] {
				again.remove(k)
			}
		}
		require.True(t, again.equal(f))
	})
}

// The lowest servers are found without a look at taken servers: a start costs its own
// servers, however many there are.
func TestAStartReadsFewWords(t *testing.T) {
	f := allFree(maxServers)
	require.Len(t, f, 4)
	for k := range maxServers - 1 {
		f.remove(k)
	}
	f[0].Set(7) // of which the levels above do not tell: who finds it has read all words
	require.Equal(t, []int{maxServers - 1}, slices.Collect(f.lowest))
	f[0].Clear(7)
	f.remove(maxServers - 1)
	require.Empty(t, slices.Collect(f.lowest))
	require.Zero(t, f[3].Count())
}
