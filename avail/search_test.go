package avail

import (
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// searches compares the search in a grid with one from slot to slot, where runs
// and gaps are as long as a column, and a little more or less.
func searches(t *rapid.T) {
	slots := rapid.IntRange(1, 700).Draw(t, "slots")
	rows := make([]cells, rapid.IntRange(1, 5).Draw(t, "servers"))
	g := newGrid(int64(len(rows)), int64(slots))
	first := 64 * rapid.Int64Range(0, 100).Draw(t, "first column")
	for k := range rows {
		rows[k] = drawCells(t, slots, "row")
		for i, idle := range rows[k] {
			if slot := first + int64(i); !idle {
				flip(&g, []int{k}, slot, slot+1, -1)
			}
		}
	}
	var named []int
	if rapid.Bool().Draw(t, "some") {
		named = []int{}
		for k := range rows {
			if rapid.Bool().Draw(t, "named") {
				named = append(named, k)
			}
		}
	}
	m := min(stretches.Draw(t, "m"), slots)
	n := rapid.IntRange(1, len(rows)).Draw(t, "n")
	from := rapid.IntRange(0, slots-1).Draw(t, "from")
	last := rapid.IntRange(0, slots-m).Draw(t, "last")

	want, exists := 0, false
	for i := from; i <= last && !exists; i++ {
		count := 0
		for k, row := range rows {
			if (named == nil || slices.Contains(named, k)) && row.starts(i, m) {
				count++
			}
		}
		want, exists = i, count >= n
	}
	got, ok := g.search(named, n, int64(m), first+int64(from), first+int64(last))
	require.Equal(t, exists, ok)
	if ok {
		require.Equal(t, first+int64(want), got)
	}
}

func TestSearch(t *testing.T) { rapid.Check(t, searches) }

// gridOf returns a grid of 1000 slots in which servers are free in these runs
// only.
func gridOf(rows ...[]Run) grid {
	g := newGrid(int64(len(rows)), 1000)
	for k, runs := range rows {
		flip(&g, []int{k}, 0, 1000, -1)
		for _, run := range runs {
			flip(&g, []int{k}, int64(run.Start), int64(run.End), 1)
		}
	}
	return g
}

// Found by TestSearch: a run of 255 slots that starts with a column fills three
// columns, but only two behind it.
func TestRunThatStartsWithAColumn(t *testing.T) {
	for m := 2; m < 400; m++ { // the other server makes up the number in slot 63
		g := gridOf([]Run{{64, 64 + m}}, []Run{{63, 64}})
		start, ok := g.search(nil, 1, int64(m), 63, 900)
		require.True(t, ok, m)
		require.Equal(t, int64(64), start, m)
	}
}

// What was free in one column does not count in another, far behind it.
func TestRunsAreNotJoined(t *testing.T) {
	for m := 2; m < 32; m++ {
		g := gridOf([]Run{{65 - m, 64}, {192, 192 + m}}, []Run{{66 - 2*m, 65 - m}})
		start, ok := g.search(nil, 1, int64(m), 0, 900)
		require.True(t, ok, m)
		require.Equal(t, int64(192), start, m)
	}
}

func FuzzSearch(f *testing.F) { f.Fuzz(rapid.MakeFuzz(searches)) }

func TestAtLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.Uint64(), 0, 40).Draw(t, "words")
		n := rapid.IntRange(1, 20).Draw(t, "n")
		got := atLeast(n, words)
		for i := range 64 {
			count := 0
			for _, word := range words {
				count += bits.OnesCount64(word & (1 << i))
			}
			require.Equal(t, count >= n, got>>i&1 != 0, "bit %d is in %d words", i, count)
		}
	})
}
