package bookahead_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// rectanglesOf tries all rectangles with whole ticks.
func rectanglesOf(list []tick) (found []bookahead.Block) {
	freeAt := func(i int) int64 {
		if i < 0 || i == len(list) {
			return -1
		}
		return list[i].free
	}
	for i := range list {
		least := int64(math.MaxInt64)
		for j := i; j < len(list) && freeAt(i-1) < freeAt(i); j++ {
			least = min(least, list[j].free)
			if least == 0 {
				break
			}
			if freeAt(i-1) < least && freeAt(j+1) < least {
				w := bookahead.Interval{Start: list[i].at, End: list[j].at + 1}
				found = append(found, bookahead.Block{Interval: w, Units: least})
			}
		}
	}
	slices.SortFunc(found, func(a, b bookahead.Block) int {
		return cmp.Or(cmp.Compare(b.Units*int64(b.Len()), a.Units*int64(a.Len())), cmp.Compare(a.Start, b.Start), cmp.Compare(a.Units, b.Units))
	})
	return found
}

// Rectangles finds the same rectangles as a search of all, bare and locked, and each can be
// booked.
func TestRectangles(t *testing.T) {
	each(t, func(t *testing.T, empty bookahead.Keeper) {
		rapid.Check(t, func(t *rapid.T) {
			s := drawHistory(t, empty)
			w := drawWindow(t, s)
			n := drawn(t, -1, 12, "n")
			_, profiles := bookahead.Blocks(s, w)
			for _, k := range []bookahead.Keeper{s, bookahead.Locked(s)} {
				got, ok := bookahead.Rectangles(k, w, n)
				require.Equal(t, profiles && s.Frame().Servers == 0, ok)
				if !ok {
					require.Nil(t, got)
					continue
				}
				want := rectanglesOf(ticks(t, s, w))
				require.ElementsMatch(t, want, mustRectangles(t, k, w, math.MaxInt))
				want = want[:min(max(n, 0), len(want))]
				require.Len(t, got, len(want))
				for i := range want {
					require.Equal(t, want[i], got[i], "%d. in %v", i, w)
					plan, ok := bookahead.Clone(k)
					require.True(t, ok)
					_, err := plan.Reserve(bookahead.At(got[i].Start, got[i].Len(), got[i].Units))
					require.NoError(t, err)
				}
			}
		})
	})
}

func mustRectangles(t require.TestingT, s bookahead.Schedule, w bookahead.Interval, n int) []bookahead.Block {
	list, ok := bookahead.Rectangles(s, w, n)
	require.True(t, ok)
	return list
}

// Areas are compared in 128 bits. All M = 2^63-1 units are free before 5+2^62, and 2^62 of them
// from then on. In a window from 5+k on, the high rectangle has 5 unit-ticks more than the long
// one if k is 5, of 2^125, and 2^62-6 less if k is 6.
func TestLargeRectangles(t *testing.T) {
	const most, end, half = math.MaxInt64, bookahead.MaxTime, 1 << 62
	unlimited(t, func(t *testing.T, s bookahead.Keeper) {
		block := func(start, end bookahead.Time, units int64) bookahead.Block {
			return bookahead.Block{Interval: bookahead.Interval{Start: start, End: end}, Units: units}
		}
		whole := bookahead.Interval{Start: math.MinInt64, End: end}
		require.Equal(t, []bookahead.Block{block(5, end, most)}, mustRectangles(t, s, whole, math.MaxInt))
		_, err := s.Reserve(bookahead.At(5+half, bookahead.Duration(end-5-half), most-half))
		require.NoError(t, err)
		for k, highest := range map[bookahead.Time]bool{0: true, 5: true, 6: false} {
			want := []bookahead.Block{block(5+k, 5+half, most), block(5+k, end, half)}
			if !highest {
				slices.Reverse(want)
			}
			whole.Start = 5 + k
			require.Equal(t, want, mustRectangles(t, s, whole, math.MaxInt), "%d", k)
			require.Equal(t, want[:1], mustRectangles(t, s, whole, 1), "%d", k)
		}
	})
}

// Rectangles of one area come by start, then by units. Of 4 units, 2 are booked in [4, 8), and
// all in [8, 10) and from 14 on, but for 3 in [20, 30).
func TestRectanglesOfOneArea(t *testing.T) {
	s := newFlat(t)
	for _, r := range []bookahead.Request{
		bookahead.At(4, 4, 2), bookahead.At(8, 2, 4), bookahead.At(14, 6, 4), bookahead.At(20, 10, 1), bookahead.At(30, 30, 4),
	} {
		_, err := s.Reserve(r)
		require.NoError(t, err)
	}
	block := func(start, end bookahead.Time, units int64) bookahead.Block {
		return bookahead.Block{Interval: bookahead.Interval{Start: start, End: end}, Units: units}
	}
	all := []bookahead.Block{block(20, 30, 3), block(0, 8, 2), block(0, 4, 4), block(10, 14, 4)}
	for n := 1; n < len(all)+2; n++ {
		got := mustRectangles(t, s, bookahead.Interval{Start: 0, End: 60}, n)
		require.Equal(t, all[:min(n, len(all))], got, "%d", n)
	}
	require.Empty(t, mustRectangles(t, s, bookahead.Interval{Start: 30, End: 60}, 9))
	require.Empty(t, mustRectangles(t, s, bookahead.Interval{Start: 9, End: 9}, 9))
	for n := range 3 {
		require.Empty(t, mustRectangles(t, s, bookahead.Interval{Start: 0, End: 60}, -n))
	}
}
