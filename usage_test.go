package bookahead_test

import (
	"iter"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// Usage agrees with a sum tick by tick, bare and locked.
func TestUsage(t *testing.T) {
	each(t, func(t *testing.T, empty bookahead.Keeper) {
		rapid.Check(t, func(t *rapid.T) {
			s := drawHistory(t, empty)
			w := drawWindow(t, s)
			var wantUsed, wantFree int64
			for _, x := range ticks(t, s, w) {
				wantUsed += x.used
				wantFree += x.free
			}
			for _, s := range []bookahead.Keeper{s, bookahead.Locked(s)} {
				used, free, ok := bookahead.Usage(s, w)
				_, profiles := bookahead.Blocks(s, w)
				require.Equal(t, profiles, ok)
				if ok {
					require.Equal(t, big.NewInt(wantUsed).String(), used.String(), "%v", w)
					require.Equal(t, big.NewInt(wantFree).String(), free.String(), "%v", w)
				}
			}
		})
	})
}

// The sums are exact far beyond 64 bits.
func TestUsageIsExact(t *testing.T) {
	const most = math.MaxInt64
	unlimited(t, func(t *testing.T, s bookahead.Keeper) {
		check := func(w bookahead.Interval, wantUsed, wantFree string) {
			t.Helper()
			used, free, ok := bookahead.Usage(s, w)
			require.True(t, ok)
			require.Equal(t, wantUsed, used.String())
			require.Equal(t, wantFree, free.String())
		}
		product := func(a, b int64, rest int64) string {
			n := new(big.Int).Mul(big.NewInt(a), big.NewInt(b))
			return n.Add(n, big.NewInt(rest)).String()
		}
		whole := bookahead.Interval{Start: math.MinInt64, End: bookahead.MaxTime}
		check(whole, "0", product(most, most-5, 0))
		for _, units := range []int64{most / 2, most/2 - 12, 3, 3, 3, 3} { // the low words overflow
			_, err := s.Reserve(bookahead.At(5, most-5, units))
			require.NoError(t, err)
		}
		check(whole, product(most-1, most-5, 0), product(1, most-5, 0))
		_, err := s.Reserve(bookahead.At(most-7, 7, 1))
		require.NoError(t, err)
		check(whole, product(most-1, most-5, 7), product(1, most-5, -7))
		check(bookahead.Interval{Start: most - 8, End: most - 6}, product(most-1, 2, 1), "1")
		require.NoError(t, s.Advance(most-1))
		check(whole, product(most, 1, 0), "0")
		require.NoError(t, s.Advance(most))
		check(whole, "0", "0")
		check(bookahead.Interval{Start: 7, End: 3}, "0", "0")
	})
}

// told is a Keeper with given reservations and blocks, possible or not.
type told struct {
	bookahead.Keeper
	frame  bookahead.Frame
	booked []bookahead.Reservation
	free   []bookahead.Block
}

func (s told) Frame() bookahead.Frame { return s.frame }

func (s told) Reservations(bookahead.Interval) iter.Seq[bookahead.Reservation] {
	return slices.Values(s.booked)
}

func (s told) Blocks(bookahead.Interval) iter.Seq[bookahead.Block] { return slices.Values(s.free) }

// On an overbooked stretch all booked units count, and nothing is free. Of 4 units, 3 are booked
// in [0, 20), and 2 of the 4 are closed in [10, 15).
func TestUsageWhereOverbooked(t *testing.T) {
	at := func(start, end bookahead.Time) bookahead.Interval { return bookahead.Interval{Start: start, End: end} }
	s := told{
		frame:  bookahead.Frame{Horizon: 30, Capacity: 4},
		booked: []bookahead.Reservation{{ID: 1, Offer: bookahead.Offer{Interval: at(0, 20), Units: 3}}},
		free:   []bookahead.Block{{Interval: at(0, 10), Units: 1}, {Interval: at(15, 20), Units: 1}, {Interval: at(20, 30), Units: 4}},
	}
	used, free, ok := bookahead.Usage(s, at(0, 30))
	require.True(t, ok)
	require.Equal(t, "60 55", used.String()+" "+free.String())
	steps, ok := bookahead.Steps(s, at(0, 30))
	require.True(t, ok)
	require.Equal(t, []bookahead.Step{{at(0, 10), 1}, {at(10, 15), 0}, {at(15, 20), 1}, {at(20, 30), 4}}, slices.Collect(steps))
}
