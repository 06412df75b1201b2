package gantt

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
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
		place := new(Colours).places(keysOf(bars))
		require.Zero(t, place[""])
		seen := map[int]bool{}
		for _, k := range keys {
			require.True(t, 0 < place[k] && place[k] < len(palette))
			seen[place[k]] = true
		}
		require.Len(t, seen, min(len(keys), colours))
		slices.Reverse(bars)
		again := new(Colours).places(keysOf(bars))
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

// Charts that share Colours give a key the same colour, whatever other keys they have, as long as there
// are colours; and no key loses its colour then.
func TestColoursOfAPage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var page Colours
		known := map[string]int{}
		for range rapid.IntRange(1, 8).Draw(t, "charts") {
			keys := rapid.SliceOfNDistinct(rapid.StringN(1, 2, -1), 0, 6, rapid.ID[string]).Draw(t, "keys")
			place := page.places(keys)
			for _, k := range keys {
				at, ok := known[k]
				require.True(t, !ok || at == place[k], "%q has changed", k)
				if !ok && len(known) < colours {
					for other, taken := range known {
						require.NotEqual(t, taken, place[k], "%q and %q", other, k)
					}
				}
				known[k] = place[k]
			}
			require.LessOrEqual(t, len(page.place), colours)
		}
	})
}

// Two charts of one page: in each alone "b" would have the colour that "a" leaves it.
func TestChartsShareColours(t *testing.T) {
	fills := func(page *Colours, keys ...string) map[string]string {
		c := &Chart{Window: bookahead.Interval{Start: 0, End: 9}, Rows: 30, Colours: page}
		for i, k := range keys {
			c.Bars = append(c.Bars, Bar{Interval: c.Window, Row: i, Label: k, Key: k})
		}
		found := map[string]string{}
		for _, m := range regexp.MustCompile(`<title>(\w+) 0 to 9</title><rect class="bar" fill="(#\w+)"`).FindAllStringSubmatch(string(draw(t, c)), -1) {
			found[m[1]] = m[2]
		}
		require.Len(t, found, len(keys))
		return found
	}
	// Of 30 keys, find two that want one colour.
	alone := map[string]string{}
	var a, b string
	for i := 0; b == ""; i++ {
		k := fmt.Sprint("key", i)
		fill := fills(nil, k)[k]
		if alone[fill] != "" {
			a, b = alone[fill], k
		}
		alone[fill] = k
	}
	page := new(Colours)
	both := fills(page, a, b)
	require.NotEqual(t, both[a], both[b])
	require.Equal(t, both[b], fills(page, b)[b])
	require.Equal(t, both[a], fills(page, a, "x", "y")[a])
}
