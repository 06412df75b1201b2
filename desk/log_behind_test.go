package desk

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// A log refuses commands once the desk was changed without it, before it writes: a log with a gap could not be
// replayed.
func TestACommandBehindTheLogsBack(t *testing.T) {
	for _, first := range []int{0, 2} { // commands by the log before
		for _, behind := range []func(d *Desk) error{
			func(d *Desk) error { _, err := d.Do(Advance{7}); return err },
			func(d *Desk) error {
				e, err := d.Decide(Advance{7})
				if err == nil {
					_, err = d.Apply(e)
				}
				return err
			},
		} {
			d := mustNew(t)
			var b bytes.Buffer
			l := NewLog(d, &b)
			for _, c := range always[:first] {
				_, err := l.Do(c)
				require.NoError(t, err)
			}
			good := bytes.Clone(b.Bytes())
			require.NoError(t, behind(d))
			state := written(t, d)
			for range 2 {
				_, err := l.Do(Advance{9})
				require.ErrorIs(t, err, bookahead.ErrInvalid)
				require.ErrorContains(t, err, "without the log")
			}
			require.Equal(t, good, append([]byte(nil), b.Bytes()...))
			require.Equal(t, state, written(t, d))
			replayed(t, b.Bytes())

			l = NewLog(d, &b) // a log from here on
			_, err := l.Do(Advance{9})
			require.NoError(t, err)
		}
	}
}
