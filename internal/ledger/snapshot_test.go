package ledger

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
)

type span struct{ bookahead.Interval }

func (s span) Span() bookahead.Interval { return s.Interval }

func pack(t require.TestingT, l *Ledger[span], now bookahead.Time) ([]byte, error) {
	w := snapshot.Begin("ledger")
	l.Write(w, now, func(span) {})
	return w.End()
}

func unpack(data []byte, bookable bookahead.Interval) (Ledger[span], error) {
	r := snapshot.Open(data, "ledger")
	l := Read(r, bookable, func(w bookahead.Interval) span { return span{w} })
	return l, r.Close()
}

// A ledger that was read goes on as the ledger that was written.
func TestReadWhatWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l Ledger[span]
		now := bookahead.Time(0)
		for range rapid.IntRange(0, 400).Draw(t, "entries") {
			start := now + bookahead.Time(rapid.IntRange(0, 9).Draw(t, "start"))
			id := l.Add(span{bookahead.Interval{Start: start, End: start + 5}}, now)
			if rapid.Bool().Draw(t, "remove") {
				l.Remove(id-bookahead.ID(rapid.IntRange(0, 3).Draw(t, "back")), now)
			}
		}
		now += bookahead.Time(rapid.IntRange(0, 8).Draw(t, "advance"))
		data, err := pack(t, &l, now)
		require.NoError(t, err)
		read, err := unpack(data, bookahead.Interval{Start: now, End: 100})
		require.NoError(t, err)
		for k := range 100 {
			id := bookahead.ID(4 * k)
			want, ok := l.Get(id, now)
			got, found := read.Get(id, now)
			require.Equal(t, ok, found)
			require.Equal(t, want, got)
		}
		for range 70 { // over the end of a page
			e := span{bookahead.Interval{Start: now, End: now + 1}}
			require.Equal(t, l.Add(e, now), read.Add(e, now))
		}
		a, err := pack(t, &l, now)
		require.NoError(t, err)
		b, err := pack(t, &read, now)
		require.NoError(t, err)
		require.Equal(t, a, b)
	})
}

// A reservation may outlive any number of others. The ledger is still written, and read in as
// much room as it has entries.
func TestTheOldestMayBeAnyNumberOfIDsBehind(t *testing.T) {
	always := bookahead.Interval{Start: 0, End: 9}
	for _, given := range []bookahead.ID{1, 1 << 29, 1<<29 + 1, 1 << 50, snapshot.MaxID - 2} {
		var l Ledger[span]
		require.EqualValues(t, 1, l.Add(span{always}, 0))
		l.last = given
		require.Equal(t, given+1, l.Add(span{always}, 0))
		data, err := pack(t, &l, 0)
		require.NoError(t, err)
		read, err := unpack(data, always)
		require.NoError(t, err)
		for _, l := range []*Ledger[span]{&l, &read} {
			require.LessOrEqual(t, len(l.chapters)+len(l.strays), fewest+sparse)
			require.Equal(t, given+2, l.Add(span{always}, 0))
			for _, id := range []bookahead.ID{1, given + 1} {
				_, ok := l.Remove(id, 0)
				require.True(t, ok)
				_, ok = l.Get(id, 0)
				require.False(t, ok)
			}
			require.Equal(t, 1, l.Len())
			require.Empty(t, l.strays)
		}
	}
}
