package ledger

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// filled returns a ledger with n entries that begin at their own ID.
func filled(n bookahead.ID) *Ledger[entry] {
	l := &Ledger[entry]{}
	for id := bookahead.ID(1); id <= n; id++ {
		l.Add(begins(id), 0)
	}
	return l
}

func begins(id bookahead.ID) entry {
	return entry{bookahead.Interval{Start: bookahead.Time(id), End: 1 << 40}}
}

// All entries are taken out and put back, in either order, so that pages are packed, chapters
// dropped, and the directory has moved on.
func TestRestorePutsBackWhatWasRemoved(t *testing.T) {
	const n = 3 * chapterSize
	for _, first := range []bookahead.ID{1, 2, 60, 513, n - 3} { // the removals begin here
		for _, backward := range []bool{false, true} {
			l := filled(n)
			clone := l.Clone()
			var ids []bookahead.ID
			for id := first; id <= n; id++ {
				_, ok := l.Remove(id, 0)
				require.True(t, ok)
				ids = append(ids, id)
			}
			if backward {
				slices.Reverse(ids)
			}
			for _, id := range ids {
				_, ok := l.Get(id, 0)
				require.False(t, ok)
				l.Restore(id, begins(id))
				e, ok := l.Get(id, 0)
				require.True(t, ok)
				require.Equal(t, begins(id), e)
			}
			require.Equal(t, n, l.Len())
			require.Equal(t, maps.Collect(clone.All(0)), maps.Collect(l.All(0)))
			require.Equal(t, clone.Add(begins(9), 0), l.Add(begins(9), 0), "no ID was used up")
		}
	}
}

func TestGiven(t *testing.T) {
	l := filled(3)
	l.Remove(2, 0)
	for id, given := range []bool{false, true, true, true, false} {
		require.Equal(t, given, l.Given(bookahead.ID(id)), id)
	}
}

// An entry that comes back alone, far before the others, does not stretch the directory.
func TestRestoreFarBehind(t *testing.T) {
	var l Ledger[entry]
	for range 100 * chapterSize {
		l.Remove(l.Add(begins(1), 0), 0)
	}
	l.Add(begins(2), 0)
	for id := bookahead.ID(40 * chapterSize); id >= 7; id -= chapterSize {
		l.Restore(id, begins(id))
		require.LessOrEqual(t, len(l.chapters), 2)
		l.Remove(id, 0)
	}
	require.LessOrEqual(t, len(l.strays), 2)
	require.Equal(t, 1, l.Len())
}
