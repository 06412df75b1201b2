package desk

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// told is the number of an entry and its outcome, as a replay or a log has handed them on.
type told struct {
	number uint64
	out    Outcome
}

// bare returns an outcome without the fields that only the desk sees.
func bare(t require.TestingT, out Outcome) Outcome {
	out.Booking.asked, out.Booking.ids, out.Booking.on, out.Booking.nextDue = nil, nil, nil, 0
	return out
}

// A replay hands on the outcomes that the log gave, each once, also if it ends with an error; but those of
// a snapshot before it.
func TestReplayHandsOnWhatCame(t *testing.T) {
	p := newPlayer(t, 11)
	var b bytes.Buffer
	var snapshot []byte
	var want []told
	ends := []int{0}
	l := NewLog(p.d, &b)
	const half = 300
	for len(want) < 2*half {
		before := b.Len()
		out, err := l.Do(p.next())
		if err == nil && b.Len() > before {
			want = append(want, told{p.d.b.entries, bare(t, out)})
			ends = append(ends, b.Len())
		}
		if len(want) == half && snapshot == nil {
			snapshot = written(t, p.d)
		}
	}
	log := b.Bytes()
	bad := Entry{Number: p.d.b.entries + 1, Command: Cancel{1 << 40}, Decision: Decision{Booking: 1 << 40}}
	frame, err := appendValue(nil, markEntry, bad.append)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		log  []byte
		from int // entries that the snapshot has
		to   int
	}{
		"all":         {log, 0, 2 * half},
		"a snapshot":  {log, half, 2 * half},
		"torn":        {log[:len(log)-1], 0, 2*half - 1},
		"misfit":      {append(bytes.Clone(log), frame...), 0, 2 * half},
		"the rest":    {log[:ends[half+2]], half, half + 2},
		"nothing new": {log[:ends[half-2]], half, half},
	} {
		d := mustNew(t)
		if c.from > 0 {
			d, err = Read(bytes.NewReader(snapshot), keepsNine)
			require.NoError(t, err)
		}
		var got []told
		good, err := Replay(bytes.NewReader(c.log), d, func(e Entry, out Outcome) {
			require.LessOrEqual(t, e.Number, d.head().Entries, "the desk may be asked")
			got = append(got, told{e.Number, bare(t, out)})
		})
		if name == "torn" || name == "misfit" {
			require.Error(t, err)
		} else {
			require.NoError(t, err)
			require.Equal(t, int64(len(c.log)), good)
		}
		require.Equal(t, want[c.from:c.to], append([]told{}, got...), name)
	}
}
