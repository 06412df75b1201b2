package avail

import (
	"fmt"
	"maps"
	"math/bits"
	"math/rand/v2"
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
				g.flip([]int32{int32(k)}, slot, slot+1, -1)
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
	s := newSearch(&g, named, n, int64(m), first+int64(last))
	s.read = rapid.SampledFrom([]int64{0, 0, 5, 50}).Draw(t, "read") // too much at any column
	got, ok := s.first(first + int64(from))
	require.Equal(t, exists, ok)
	if ok {
		require.Equal(t, first+int64(want), got)
	}
}

func TestSearch(t *testing.T) { rapid.Check(t, searches) }

// TestAround compares with a walk from slot to slot.
func TestAround(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		slots := rapid.IntRange(1, 300).Draw(t, "slots")
		g, row := newGrid(1, int64(slots)), drawCells(t, slots, "row")
		first := 64 * rapid.Int64Range(0, 100).Draw(t, "first column")
		for i, idle := range row {
			if slot := first + int64(i); !idle {
				g.flip([]int32{0}, slot, slot+1, -1)
			}
		}
		slot := rapid.IntRange(0, slots-1).Draw(t, "slot")
		low, high := rapid.IntRange(0, slot).Draw(t, "low"), rapid.IntRange(slot+1, slots).Draw(t, "high")
		from, to := slot, slot
		for to < high && row[to] {
			to++
		}
		for from < to && from > low && row[from-1] {
			from--
		}
		gotFrom, gotTo := g.around(0, first+int64(slot), first+int64(low), first+int64(high))
		require.Equal(t, [2]int64{first + int64(from), first + int64(to)}, [2]int64{gotFrom, gotTo})
	})
}

// gridOf returns a grid of 1000 slots in which servers are free only in the given runs.
func gridOf(rows ...[]Run) grid {
	g := newGrid(int64(len(rows)), 1000)
	for k, runs := range rows {
		g.flip([]int32{int32(k)}, 0, 1000, -1)
		for _, run := range runs {
			g.flip([]int32{int32(k)}, int64(run.Start), int64(run.End), 1)
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

// Free slots in one column do not count in another, far after it.
func TestRunsAreNotJoined(t *testing.T) {
	for m := 2; m < 32; m++ {
		g := gridOf([]Run{{65 - m, 64}, {192, 192 + m}}, []Run{{66 - 2*m, 65 - m}})
		start, ok := g.search(nil, 1, int64(m), 0, 900)
		require.True(t, ok, m)
		require.Equal(t, int64(192), start, m)
	}
}

// nearMissGrid returns a grid in which servers are free for m-1 slots again and again, with one
// slot between, each server at other times; in the last m slots all are free.
func nearMissGrid(servers, slots, m int) grid {
	rng := rand.New(rand.NewPCG(1, 2))
	g := newGrid(int64(servers), int64(slots))
	for k := range servers {
		end := slots - m
		for slot := rng.IntN(m); slot < end-1; slot += m {
			g.flip([]int32{int32(k)}, int64(slot), int64(slot+1), -1)
		}
		g.flip([]int32{int32(k)}, int64(end-1), int64(end), -1)
	}
	return g
}

// Where columns are intersected for each start again, those of m = 10 000 are
// read 37 times.
func TestNearMissesAreReadOnce(t *testing.T) {
	const servers, slots = 100, 50_000
	named := []int{3, 5, 8, 13, 21, 34, 55, 89}
	for _, m := range []int{127, 128, 150, 191, 192, 300, 1000, 5000, 10_000, 24_000} {
		g := nearMissGrid(servers, slots, m)
		for _, n := range []int{1, 8, 50, 100} {
			s := newSearch(&g, nil, n, int64(m), slots)
			start, ok := s.first(0)
			require.True(t, ok)
			require.Equal(t, int64(slots-m), start)
			require.LessOrEqual(t, s.read, int64(3*servers*slots/64), "m=%d n=%d", m, n)
		}
		s := newSearch(&g, named, 2, int64(m), slots)
		start, ok := s.first(0)
		require.True(t, ok)
		require.Equal(t, int64(slots-m), start)
		require.LessOrEqual(t, s.read, int64(3*len(named)*slots/64), "m=%d, named", m)
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

// crowdedGrid returns a grid in which servers are booked for a share of the slots, up to longest
// at once, but not in the last m.
func crowdedGrid(servers, slots, m, longest int, load float64) grid {
	rng := rand.New(rand.NewPCG(1, 2))
	g := newGrid(int64(servers), int64(slots))
	widest := int(float64(longest) * (1 - load) / load)
	for k := range servers {
		for from := rng.IntN(widest + 1); from < slots-m; {
			to := min(from+1+rng.IntN(longest), slots-m)
			g.flip([]int32{int32(k)}, int64(from), int64(to), -1)
			from = to + rng.IntN(widest+1)
		}
	}
	return g
}

// BenchmarkLongRuns searches for runs of many slots, in both ways. With -short
// there are 100 servers and 10 000 slots.
func BenchmarkLongRuns(b *testing.B) {
	servers, slots := 1000, 50_000
	if testing.Short() {
		servers, slots = 100, 10_000
	}
	for _, m := range []int{150, 1000, 5000} {
		grids := map[string]grid{"nearmiss": nearMissGrid(servers, slots, m)}
		for _, longest := range []int{50, m} {
			for _, load := range []float64{0.1, 0.5, 0.9} {
				name := fmt.Sprintf("longest=%d,load=%.1f", longest, load)
				grids[name] = crowdedGrid(servers, slots, m, longest, load)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(grids)) {
			g := grids[name]
			for _, n := range []int{8, 64, 512} {
				for _, impl := range []string{"whole", "ends"} {
					b.Run(fmt.Sprintf("impl=%s/m=%d/booked=%s/units=%d", impl, m, name, n), func(b *testing.B) {
						for b.Loop() {
							s := newSearch(&g, nil, n, int64(m), int64(slots))
							if impl == "whole" {
								s.whole(0)
							} else {
								s.ends(0)
							}
						}
					})
				}
			}
		}
	}
}
