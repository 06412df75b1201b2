package replicated

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// A clock that is an hour ahead, as in a wrong time zone, is refused unless Config.MaxJump allows an hour: the desk
// would drop an hour of holds for good. A stop as long as an upgrade needs no ConfirmClock.
func TestAnHourAheadIsRefused(t *testing.T) {
	inBubble(t, 1, Config{Clock: &bookahead.Clock{Epoch: time.Date(1999, 12, 31, 0, 0, 0, 0, time.UTC)}}, func(t *testing.T, w *world) {
		w.start()
		ctx := within(t, 100*time.Hour)
		_, err := w.leader().Do(ctx, line)
		require.NoError(t, err)
		w.stop("1")
		time.Sleep(20 * time.Minute)
		_, err = w.open("1").Do(ctx, booking("a"))
		require.NoError(t, err)
		w.stop("1")
		time.Sleep(time.Hour - time.Second)
		_, err = w.open("1").Do(ctx, booking("b"))
		var jump *JumpError
		require.ErrorAs(t, err, &jump)
		require.NoError(t, w.leader().ConfirmClock(ctx, jump.Leader))
		_, err = w.leader().Do(ctx, booking("b"))
		require.NoError(t, err)
	})
}

// An Unseal confirms the clock: behind a seal that was longer than Config.MaxJump, no command is refused.
func TestAnUnsealConfirmsTheClock(t *testing.T) {
	inBubble(t, 3, Config{Clock: &bookahead.Clock{Epoch: time.Date(1999, 12, 31, 0, 0, 0, 0, time.UTC)}, MaxJump: 2 * time.Minute}, func(t *testing.T, w *world) {
		w.start()
		ctx := within(t, 100*time.Hour)
		_, err := w.leader().Do(ctx, line)
		require.NoError(t, err)
		require.NoError(t, w.leader().Seal(ctx))
		time.Sleep(4 * time.Minute)
		require.NoError(t, w.leader().Unseal(ctx))
		v, err := w.leader().Read(ctx, Linearizable)
		require.NoError(t, err)
		require.InDelta(t, float64(w.leader().now()), float64(v.Now()), 2)
		_, err = w.leader().Do(ctx, booking("a"))
		require.NoError(t, err)
	})
}
