package scheduletest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// held is a schedule by value: its type is no pointer.
type held struct{ *spoiltPool }

// heldWritten is held with snapshots.
type heldWritten struct{ *written }

// TestSnapshotsOfAValue checks that Run takes a schedule whose type is no pointer. Only if
// snapshots must be read into the zero value does such a schedule fail, with the reason.
func TestSnapshotsOfAValue(t *testing.T) {
	target := Target{Name: "held"}
	target.New = func(c Config) (bookahead.Schedule, error) {
		p := spoil(target, c)
		return held{&p}, nil
	}
	run := func() *recorder {
		rec := &recorder{}
		func() {
			defer func() {
				if p := recover(); p != nil && p != (stop{}) {
					panic(p)
				}
			}()
			hostileSnapshots(rec, target)
		}()
		return rec
	}
	require.False(t, run().failed)

	target.New = func(c Config) (bookahead.Schedule, error) { return heldWritten{&written{spoil(target, c)}}, nil }
	rec := run()
	require.True(t, rec.failed)
	require.Equal(t, "Target.New makes a scheduletest.heldWritten, which is no pointer, so a snapshot cannot be read into its zero value: "+
		"return a pointer, or set Target.Made",
		strings.Join(rec.log, "\n"))

	target.Made = true
	require.False(t, run().failed)
}
