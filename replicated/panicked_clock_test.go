package replicated

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// The clock of the leader panics at a tick. Commands are refused, and their numbers may be sent again. The members stay
// up, and go on with the next version, which does not panic.
func TestTheClockPanics(t *testing.T) {
	epoch := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(-time.Hour)
	said, log := newPages()
	inBubble(t, 3, Config{Log: log, Clock: &bookahead.Clock{Epoch: epoch}}, func(t *testing.T, w *world) {
		w.carry = func(string) carrier {
			return func(d *desk.Desk, index uint64, c desk.Command) (desk.Outcome, error) {
				a, ok := c.(desk.Advance)
				out, err := d.Do(c)
				if ok && a.Now > 3700 {
					panic("the clock is poisoned")
				}
				return out, err
			}
		}
		w.start()
		ctx := within(t, time.Hour)
		_, err := w.leader().Do(ctx, line)
		require.NoError(t, err)
		time.Sleep(2 * time.Minute)
		for range 3 {
			_, err = w.any(1).Do(ctx, booking("a"))
			require.ErrorIs(t, err, ErrPanicked)
			require.ErrorContains(t, err, ", the clock: the clock is poisoned")
			_, err = w.any(2).NewSession(ctx)
			require.ErrorIs(t, err, ErrPanicked)
		}
		w.alike(ctx)
		require.Len(t, said.with("a command panics"), 3, "each member says it once")
		require.LessOrEqual(t, w.leader().machine.view().Now(), bookahead.Time(3700))
		require.NoError(t, w.leader().Seal(ctx))
		for k := range 3 {
			m := w.any(k)
			require.Eventually(t, func() bool { return m.Status().Sealed }, 10*time.Second, 10*time.Millisecond)
		}
		w.close()
		w.carry, w.version = nil, Version+1 // a build without the fault decides otherwise
		w.start()
		_, err = w.leader().Do(ctx, booking("a"))
		require.NoError(t, err)
		w.alike(ctx)
		for _, p := range w.peers {
			require.NoError(t, w.member(p.ID).Status().Err)
		}
		require.Greater(t, w.leader().machine.view().Now(), bookahead.Time(3700))
	})
}
