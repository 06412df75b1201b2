package replicated

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

func TestAlone(t *testing.T) {
	w := newWorld(t, 0, Config{Election: 100 * time.Millisecond})
	m := w.open("1")
	ctx := within(t, 10*time.Second)
	_, err := m.Do(ctx, line)
	require.NoError(t, err)
	out, err := m.Do(ctx, booking("a"))
	require.NoError(t, err)
	require.EqualValues(t, 1, out.Booking.ID)
	for _, f := range []Freshness{Linearizable, Leading, Local} {
		v, err := m.Read(ctx, f)
		require.NoError(t, err)
		k, err := v.Booking(1)
		require.NoError(t, err)
		require.Equal(t, "a", k.Key)
	}
	w.stop("1")
	_, err = m.Do(ctx, booking("b"))
	require.ErrorIs(t, err, ErrClosed)
	m = w.open("1")
	v, err := m.Read(ctx, Linearizable)
	require.NoError(t, err)
	_, err = v.Booking(1)
	require.NoError(t, err)
}

func TestThree(t *testing.T) {
	w := newWorld(t, 3, Config{Election: 100 * time.Millisecond})
	w.start()
	first := w.leader()
	ctx := within(t, 20*time.Second)
	_, err := first.Do(ctx, line)
	require.NoError(t, err)
	for i := range 30 {
		for _, m := range w.members {
			_, err := m.Do(ctx, booking(fmt.Sprint(m.config.ID, "-", i)))
			require.NoError(t, err)
		}
	}
	w.stop(first.config.ID)
	for _, m := range w.members {
		_, err := m.Do(ctx, booking("after "+m.config.ID))
		require.NoError(t, err)
		v, err := m.Read(ctx, Linearizable)
		require.NoError(t, err)
		n := 0
		for range v.Bookings(desk.Filter{}, bookahead.Effort{}) {
			n++
		}
		require.GreaterOrEqual(t, n, 91)
	}
}
