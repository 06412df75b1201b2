package ledger

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// The directory begins with the oldest entry, however many were taken out before it.
func TestDirectoryFollowsTheOldest(t *testing.T) {
	var l Ledger[entry]
	e := entry{bookahead.Interval{Start: 0, End: 10}}
	for id := bookahead.ID(1); id < 50*chapterSize; id++ {
		l.Add(e, 0)
		if id > 10 {
			_, ok := l.Remove(id-10, 0)
			require.True(t, ok)
		}
		require.LessOrEqual(t, len(l.chapters), 2)
	}
}

// A ledger that is read has a directory from its first entry on.
func TestDirectoryThatIsRead(t *testing.T) {
	w := snapshot.Begin("ledger")
	for _, n := range []uint64{1 << 40, 1<<40 - 1, 0, 9, 0} { // the last ID, and one reservation
		w.Uint(n)
	}
	data, err := w.End()
	require.NoError(t, err)
	l, err := unpack(data, bookahead.Interval{Start: 0, End: 9})
	require.NoError(t, err)
	require.Len(t, l.chapters, 1)
}

// Ended entries are swept out before the ledger is twice as long as its live entries, not only
// while few are live.
func TestLongLedgersAreSwept(t *testing.T) {
	const live = 10 * minSweep
	var l Ledger[entry]
	for now := bookahead.Time(0); now < 10*live; now++ {
		l.Add(entry{bookahead.Interval{Start: now, End: now + live}}, now)
		require.LessOrEqual(t, l.Len(), 2*live+1)
	}
}

// A page has room for at most a third more entries than it has.
func TestPagesArePackedInTime(t *testing.T) {
	var l Ledger[entry]
	e := entry{bookahead.Interval{Start: 0, End: 10}}
	const n = 100 * pageSize
	for range n {
		l.Add(e, 0)
	}
	for step := bookahead.ID(2); step < 64; step *= 2 { // half of the entries that are left
		for id := step / 2; id <= n; id += step {
			_, ok := l.Remove(id, 0)
			require.True(t, ok)
		}
		require.LessOrEqual(t, room(&l), l.Len()*4/3+pageSize)
	}
}
