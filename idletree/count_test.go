package idletree

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// Free is the number of servers that RangeQuery lists, whatever was booked, released, closed and
// added, and refuses the same windows.
func TestFreeIsTheLengthOfTheList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		x, err := NewTree(rapid.Int64Range(1, 300).Draw(t, "servers"), Config{Horizon: 500})
		require.NoError(t, err)
		window := func() bookahead.Interval {
			start := x.Frame().Now + bookahead.Time(rng.IntN(600)-50)
			return bookahead.Interval{Start: start, End: start + bookahead.Time(rng.IntN(1<<rng.IntN(9))-1)}
		}
		for range 200 {
			changeAtRandom(t, rng, x)
			w := window()
			want, wantErr := x.RangeQuery(w)
			got, err := x.Free(w)
			require.Equal(t, wantErr, err)
			require.Equal(t, want.Free, got, "%v", w)
		}
	})
}

// changeAtRandom books, releases, closes or adds servers, or advances the clock.
func changeAtRandom(t *rapid.T, rng *rand.Rand, x *Tree) {
	f := x.Frame()
	start := f.Now + bookahead.Time(rng.IntN(500))
	d := bookahead.Duration(1 + rng.IntN(60))
	w := bookahead.Interval{Start: start, End: start + bookahead.Time(d)}
	var err error
	switch rng.IntN(12) {
	case 0, 1:
		_ = x.Release(bookahead.ID(1 + rng.IntN(200)))
	case 2:
		_, err = x.Close(bookahead.Closure{Interval: w, Servers: []int{rng.IntN(f.Servers)}})
	case 3:
		_, err = x.Extend(bookahead.Closure{Interval: w, Units: 1 + rng.Int64N(5)})
	case 4:
		err = x.Advance(f.Now + bookahead.Time(rng.IntN(20)))
	default:
		_, _ = x.Reserve(bookahead.Request{Ready: start, Duration: d, Units: 1 + rng.Int64N(int64(f.Servers))})
	}
	require.NoError(t, err)
}
