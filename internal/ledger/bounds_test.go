package ledger

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// An entry that is read ends after now and by the horizon, to the tick, as an entry that is
// written does. It may have started before now, as a running reservation has.
func TestReadKeepsToTheBookableTime(t *testing.T) {
	bookable := bookahead.Interval{Start: 10, End: 20}
	for _, c := range []struct {
		start, length bookahead.Time
		bookable      bool
	}{
		{10, 10, true}, {10, 11, false}, {20, 1, false}, {25, 1, false}, // about the horizon
		{9, 2, true}, {9, 1, false}, {0, 11, true}, {0, 10, false}, {0, 1, false}, // about now
		{0, 20, true}, {0, 21, false},
		{19, 1, true}, {10, 1, true}, {12, 0, false}, {-1, 12, false},
	} {
		w := snapshot.Begin("ledger")
		w.Uint(1) // the ID given last
		w.Uint(1) // a reservation's ID
		w.Int(int64(c.start - bookable.Start))
		w.Uint(uint64(c.length))
		w.Uint(0) // no more
		data, err := w.End()
		require.NoError(t, err)
		l, err := unpack(data, bookable)
		if !c.bookable {
			require.ErrorIs(t, err, bookahead.ErrInvalid, "[%d, +%d)", c.start, c.length)
			continue
		}
		require.NoError(t, err, "[%d, +%d)", c.start, c.length)
		again, err := pack(t, &l, bookable.Start)
		require.NoError(t, err)
		require.Equal(t, data, again)
	}
}

// An entry is written until it ends: in its last tick, and not at its end.
func TestWriteKeepsToTheBookableTime(t *testing.T) {
	for now, live := range map[bookahead.Time]int{8: 1, 9: 1, 10: 0} {
		var l Ledger[span]
		l.Add(span{bookahead.Interval{Start: 3, End: 10}}, 0)
		data, err := pack(t, &l, now)
		require.NoError(t, err)
		read, err := unpack(data, bookahead.Interval{Start: now, End: 20})
		require.NoError(t, err)
		require.Equal(t, live, read.Len())
	}
}
