package replicated

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/desk"
)

// A disk that hangs delays Close for a while, but not for ever. The rest of the member ends when the disk goes on.
func TestCloseWhileTheDiskHangs(t *testing.T) {
	for _, members := range []int{1, 3} {
		inBubble(t, members, Config{}, func(t *testing.T, w *world) {
			gates := w.gated()
			defer gates.lift()
			w.start()
			ctx := within(t, time.Hour)
			_, err := w.leader().Do(ctx, line)
			require.NoError(t, err)
			m := w.leader()
			gates[m.config.ID].shut()
			done := make(chan error, 1)
			go func() { done <- m.carryOut(ctx, call{op: openSession}).err }()
			until(t, "it says so", func() bool { return m.Status().Hangs })
			begun := time.Now()
			err = m.Close()
			require.ErrorIs(t, err, ErrHangs)
			require.ErrorContains(t, err, "Raft")
			require.Less(t, time.Since(begun), time.Minute)
			require.Error(t, <-done, "a call under way ends")
			require.ErrorIs(t, m.Close(), ErrHangs, "it says so again")
			gates[m.config.ID].lift()
			time.Sleep(time.Second)
			w.disk = nil
			w.open(m.config.ID)
			_, err = w.leader().Do(ctx, booking("a"))
			require.NoError(t, err)
		})
	}
}

// A Config.Applied that does not return delays Close for a while, too.
func TestCloseWhileAppliedHangs(t *testing.T) {
	hang := make(chan struct{})
	inBubble(t, 1, Config{Applied: func(_ uint64, c desk.Command, _ desk.Outcome) {
		if _, books := c.(desk.Book); books {
			<-hang
		}
	}}, func(t *testing.T, w *world) {
		hang = make(chan struct{})
		w.start()
		ctx := within(t, time.Hour)
		m := w.leader()
		_, err := m.Do(ctx, line)
		require.NoError(t, err)
		done := make(chan error, 1)
		go func() {
			_, err := m.Do(ctx, booking("a"))
			done <- err
		}()
		time.Sleep(time.Second)
		require.ErrorIs(t, m.Close(), ErrHangs)
		require.ErrorIs(t, <-done, ErrUnknown)
		close(hang)
		time.Sleep(time.Second)
	})
}
