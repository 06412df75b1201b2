package gantt

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Twelve keys have twelve colours, in whatever order they come, and none has the colour
// of bars without a key.
func TestColours(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfNDistinct(rapid.StringN(1, 3, -1), 0, 2*colours, rapid.ID[string]).Draw(t, "keys")
		bars := []Bar{{}}
		for _, k := range keys {
			bars = append(bars, Bar{Key: k})
		}
		place := places(keysOf(bars))
		require.Zero(t, place[""])
		seen := map[int]bool{}
		for _, k := range keys {
			require.True(t, 0 < place[k] && place[k] < len(palette))
			seen[place[k]] = true
		}
		require.Len(t, seen, min(len(keys), colours))
		slices.Reverse(bars)
		again := places(keysOf(bars))
		require.Equal(t, place, again)
	})
}

// A legend has the keys that are not the names of their own bars, and is left out if
// there are more than colours.
func TestExplained(t *testing.T) {
	bars := []Bar{{Key: "b", Label: "1"}, {Key: "a", Label: "2"}, {Key: "own", Label: "own"}, {Label: "none"}}
	keys := keysOf(bars)
	require.Equal(t, []string{"a", "b"}, explained(keys, bars))
	for i := range colours {
		bars = append(bars, Bar{Key: fmt.Sprint(i), Label: "x"})
	}
	keys = keysOf(bars)
	require.Empty(t, explained(keys, bars))
}
