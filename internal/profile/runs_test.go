package profile

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

// A class begins with its threshold, and ends before the threshold of the next class that has
// requests.
func TestClasses(t *testing.T) {
	for n := int64(1); n < 1<<40; n += 1 + n/7 {
		c := classOf(uint64(n))
		require.LessOrEqual(t, threshold[int64](c), n)
		require.Equal(t, c, classOf(uint64(threshold[int64](c))))
		require.Less(t, float64(n), 1.5*float64(threshold[int64](c)), n)
	}
	require.Less(t, classOf(math.MaxInt64), classes)
	require.Equal(t, int64(3)<<61, threshold[int64](classOf(math.MaxInt64)))
	require.Equal(t, int32(3)<<29, threshold[int32](classOf(math.MaxInt32)))
}

// A word never says less than the run it was made of, and little more.
func TestWordsAreRoundedUp(t *testing.T) {
	byPowers := rapid.Custom(func(t *rapid.T) int64 { // a mantissa that is rounded up may need one bit more
		return max(0, 1<<rapid.IntRange(0, 62).Draw(t, "power")+rapid.Int64Range(-2, 2).Draw(t, "beside"))
	})
	lengths := rapid.OneOf(rapid.Int64Range(0, 1<<17), rapid.Int64Range(0, math.MaxInt64), rapid.Just(int64(math.MaxInt64)), byPowers)
	rapid.Check(t, func(t *rapid.T) {
		r := run{bookahead.Time(lengths.Draw(t, "prefix")), bookahead.Time(lengths.Draw(t, "best")), bookahead.Time(lengths.Draw(t, "suffix"))}
		w := pack(r)
		require.Zero(t, w&loose)
		got := unpack(w, math.MaxInt64)
		for _, x := range [][2]bookahead.Time{{r.prefix, got.prefix}, {r.best, got.best}, {r.suffix, got.suffix}} {
			require.GreaterOrEqual(t, x[1], x[0])
			require.LessOrEqual(t, float64(x[1]), float64(x[0])*(1+1.0/(1<<14)))
		}
	})
	require.Equal(t, run{7, 7, 7}, unpack(unknown, 7))
}

// A bound that is rounded up to the length of its entry does not make the entry free throughout:
// the prefix after it was taken for the prefix of a longer run.
func TestJoinedKnowsWhatIsFreeThroughout(t *testing.T) {
	nd := &node[int32]{n: 2, inner: new(inner[int32])}
	nd.setStart(1, 40_000)
	nd.low[0], nd.high[0] = 1, 4
	nd.low[1], nd.high[1] = 4, 4
	known := nd.bounds(classOf(4), 0, 4)
	known.word[0].put(pack(run{0, 39_999, 39_999})) // a tick has too little
	joined := nd.joined(0, 50_000, classOf(4), 4)
	require.Zero(t, joined&loose)
	require.Equal(t, run{0, 50_000, 50_000}, unpack(joined, 50_000))
	nd.setStart(1, 10_000)
	nd.low[0], nd.low[1] = 4, 1
	known.word[1].put(pack(run{0, 39_999, 39_999}))
	joined = nd.joined(0, 50_000, classOf(4), 4)
	require.Equal(t, run{10_000, 40_000, 40_000}, unpack(joined, 50_000))
}
