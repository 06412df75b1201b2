package replicated

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A member that has diverged does not start again until it is replaced: its snapshot may already have the wrong
// state.
func TestAMemberThatHasDivergedDoesNotComeBack(t *testing.T) {
	inBubble(t, 3, Config{CheckEvery: time.Minute}, func(t *testing.T, w *world) {
		w.start()
		ctx := within(t, time.Hour)
		wrong := w.leader()
		_, err := wrong.Do(ctx, line)
		require.NoError(t, err)
		_, err = wrong.machine.desk.Do(booking("nobody else has it"))
		require.NoError(t, err)
		require.NoError(t, wrong.Snapshot(ctx)) // happens by itself after 64 MiB of log
		time.Sleep(3 * time.Minute)
		var stopped, again *divergedError
		require.ErrorAs(t, wrong.Status().Err, &stopped)
		id := wrong.config.ID
		require.NoError(t, wrong.Close())
		for range 2 {
			_, err = w.tryOpen(id) // as a supervisor would
			require.ErrorAs(t, err, &again)
			require.Equal(t, stopped, again)
		}
	})
}

func TestTheVerdictIsKept(t *testing.T) {
	dir := t.TempDir()
	m, err := Open(Config{Dir: dir, Reserve: 1, Log: mute})
	require.NoError(t, err)
	d := &divergedError{Index: 7, Ours: [32]byte{1}, Theirs: [32]byte{31: 2}}
	m.fail(d)
	require.NoError(t, m.Close())
	_, err = Open(Config{Dir: dir, Reserve: 1, Log: mute})
	var again *divergedError
	require.ErrorAs(t, err, &again)
	require.Equal(t, d, again)
}
