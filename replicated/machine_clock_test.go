package replicated

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

func TestClockOfEntries(t *testing.T) {
	f := newFeed(t, Config{Desk: desk.Config{Origin: 50}})
	now := func() bookahead.Time { return f.view().Now() }
	f.give(t, clockAt(40, once(addPool)))
	require.Equal(t, bookahead.Time(50), now(), "one behind the origin is dropped, and is not the first")
	f.give(t, clockAt(1_000_000))
	require.Equal(t, bookahead.Time(1_000_000), now(), "the first may jump")
	f.give(t, clockAt(1_000_100))
	require.Equal(t, bookahead.Time(1_000_100), now(), "just as far as the jump")

	back := f.give(t, clockAt(5, once(book("pool", 1, 1))))[0]
	require.NoError(t, back.err)
	require.Equal(t, bookahead.Time(1_000_100), back.outcome.Booking.Start, "a clock that goes back is dropped")
	require.NoError(t, f.give(t, entryOf(once(book("pool", 1, 1))))[0].err, "no clock at all")
}

func TestClockTooFarAhead(t *testing.T) {
	f := newFeed(t, Config{})
	f.give(t, clockAt(10, once(addPool), call{op: openSession}))
	f.give(t, clockAt(10, numbered(1, 1, book("pool", 1, 1))))
	before := f.view()
	got := f.give(t, clockAt(111, once(book("pool", 1, 1)), numbered(1, 1, book("pool", 1, 1)), numbered(1, 2, book("pool", 1, 1)), call{op: openSession}))
	var jump *JumpError
	require.ErrorAs(t, got[0].err, &jump)
	require.Equal(t, JumpError{10, 111}, *jump)
	require.NoError(t, got[1].err, "it was carried out, and its answer says so")
	require.Equal(t, desk.BookingID(1), got[1].outcome.Booking.ID)
	require.ErrorIs(t, got[2].err, ErrJump)
	require.ErrorIs(t, got[3].err, ErrJump)
	require.ErrorIs(t, f.give(t, clockAt(111))[0].err, ErrJump, "an entry without calls says it too")
	require.Equal(t, before.Now(), f.view().Now())

	confirmed := clockAt(111)
	confirmed.jump = -1
	require.NoError(t, f.give(t, confirmed)[0].err)
	require.Equal(t, bookahead.Time(111), f.view().Now())
	again := f.give(t, clockAt(112, numbered(1, 2, book("pool", 1, 1))))[0]
	require.NoError(t, again.err, "the number is free, as the call left no trace")
	require.Equal(t, bookahead.Time(112), again.outcome.Booking.Start)
}

// A caller moves the clock only if the members have no Config.Clock.
func TestAdvanceOfCallers(t *testing.T) {
	f := newFeed(t, Config{})
	require.NoError(t, f.give(t, entryOf(once(desk.Advance{Now: 5})))[0].err)
	for _, c := range []desk.Command{desk.Advance{Now: 9}, desk.Batch{Commands: []desk.Command{addPool, desk.Advance{Now: 9}}}} {
		require.ErrorIs(t, f.give(t, clockAt(6, once(c)))[0].err, bookahead.ErrInvalid)
	}
	require.Equal(t, bookahead.Time(6), f.view().Now())
	require.NoError(t, f.give(t, entryOf(once(addPool)))[0].err)
}

// While the leader's clock is before its epoch, the desk has no time: commands are refused, and no caller sets the
// clock.
func TestClockBeforeItsEpoch(t *testing.T) {
	clock := bookahead.Clock{Epoch: time.Date(2000, 1, 1, 1, 0, 0, 0, time.UTC)} // an hour ahead of the clock of the bubble
	inBubble(t, 1, Config{Clock: &clock}, func(t *testing.T, w *world) {
		w.start()
		ctx := within(t, 9*time.Hour)
		m := w.leader()
		moves := func() error { return m.carryOut(ctx, once(desk.Advance{Now: 1 << 40})).err }
		for range 3 {
			var jump *JumpError
			_, err := m.Do(ctx, line)
			require.ErrorAs(t, err, &jump)
			require.Equal(t, JumpError{0, -1}, *jump)
			require.ErrorContains(t, err, "before Config.Clock.Epoch")
			require.NotErrorIs(t, err, ErrUnknown)
			require.ErrorIs(t, moves(), ErrJump)
			require.ErrorIs(t, m.ConfirmClock(ctx, 0), bookahead.ErrInvalid)
			time.Sleep(10 * time.Minute)
		}
		time.Sleep(time.Hour)
		_, err := m.Do(ctx, line)
		require.NoError(t, err)
		require.ErrorIs(t, moves(), bookahead.ErrInvalid)
		v, err := m.Read(ctx, Linearizable)
		require.NoError(t, err)
		require.InDelta(t, 1800, float64(v.Now()), 5)
	})
}

// If the desk refuses a clock, the calls are refused as well: they would be carried out too early.
func TestClockThatTheDeskRefuses(t *testing.T) {
	f := newFeed(t, Config{})
	f.give(t, entryOf(once(desk.AddSchedule{Name: "pool", Kind: desk.Pool{Units: 1, Horizon: 100}})))
	got := f.give(t, clockAt(bookahead.MaxTime, once(book("pool", 1, 1))))
	require.ErrorIs(t, got[0].err, bookahead.ErrInvalid)
	require.Equal(t, bookahead.Time(0), f.view().Now())
	require.NoError(t, f.give(t, clockAt(1000, once(book("pool", 1, 1))))[0].err, "the first one is still to come")
}

// Config.Applied hears once of each command that was carried out, also of the commands of the clock.
func TestAppliedIsTold(t *testing.T) {
	type told struct {
		index   uint64
		command desk.Command
		booking desk.BookingID
	}
	var got []told
	var f *feed
	f = newFeed(t, Config{Applied: func(index uint64, c desk.Command, out desk.Outcome) {
		got = append(got, told{index, c, out.Booking.ID})
		f.view() // readers are not held up meanwhile
	}})
	one := book("pool", 8, 3)
	f.give(t, clockAt(4, once(addPool), call{op: openSession}))
	f.give(t, clockAt(4, numbered(1, 1, one), numbered(1, 1, one), once(book("pool", 9, 1)), once(desk.Cancel{ID: 7})))
	f.give(t, clockAt(300, once(one)))
	f.give(t, clockAt(5, numbered(1, 1, one), numbered(1, 2, desk.Cancel{ID: 1})))
	require.Equal(t, []told{
		{1, desk.Advance{Now: 4}, 0}, {1, addPool, 0}, {2, one, 1}, {4, desk.Advance{Now: 5}, 0}, {4, desk.Cancel{ID: 1}, 1},
	}, got)
}
