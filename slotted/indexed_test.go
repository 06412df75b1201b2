package slotted

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// A block from which units were taken as a whole has an add of -1, so that a slot of it that is
// full keeps one more than the capacity, which wraps around. The sums of the block must not be
// those of the number that has wrapped around.
//
//	add   used of each slot        used, add included
//	 0    max      1  1  1         max      1  1  1
//	-1    max      1  1  1         max - 1  0  0  0     [0, 4) is given back
//	-1    max + 1  1  1  1         max      0  0  0     [0, 1) is taken
func TestSumsOfNumbersThatWrap(t *testing.T) {
	s, err := newIndexed(math.MaxInt64, Config{Horizon: 64, Slot: 1, Booked: []bookahead.Offer{
		{Interval: bookahead.Interval{Start: 0, End: 4}, Units: 1},
		{Interval: bookahead.Interval{Start: 0, End: 1}, Units: math.MaxInt64 - 1},
	}}, 4)
	require.NoError(t, err)
	_, err = s.Rebook(1, bookahead.At(0, 1, 1))
	require.NoError(t, err)
	require.NoError(t, s.Verify())
	o, err := s.Search(bookahead.Request{Duration: 1, Units: 1})
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(1), o.Start)
	for from, want := range []int64{0, math.MaxInt64, math.MaxInt64, math.MaxInt64} {
		for to := from + 1; to <= 4; to++ {
			w := bookahead.Interval{Start: bookahead.Time(from), End: bookahead.Time(to)}
			a, err := s.RangeQuery(w)
			require.NoError(t, err)
			require.Equal(t, want, a.Free, w)
		}
	}
}
