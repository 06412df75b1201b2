package window

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestPick compares with sorting, whatever was picked before.
func TestPick(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := picker{meter: free().meter}
		for range 5 {
			keys := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) float64 {
				return float64(rapid.IntRange(-9, 9).Draw(t, "key"))
			}), 0, 30).Draw(t, "keys")
			n := rapid.IntRange(0, len(keys)).Draw(t, "n")
			copy(p.room(len(keys)), keys)
			require.True(t, p.pick(n))
			var got []float64
			for _, i := range p.heap {
				got = append(got, keys[i])
			}
			slices.Sort(got)
			slices.Sort(keys)
			require.Equal(t, append([]float64(nil), keys[len(keys)-n:]...), got)
			require.Equal(t, n, len(slices.Compact(slices.Sorted(slices.Values(p.heap)))))
			if n > 0 {
				require.Equal(t, got[0], p.least)
			}
		}
	})
}
