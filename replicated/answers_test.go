package replicated

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// The session that was idle for longest is forgotten first, and its calls are not carried out any more.
func TestForgottenSessions(t *testing.T) {
	f := newFeed(t, Config{})
	f.give(t, entryOf(once(addPool), call{op: openSession}, call{op: openSession}, call{op: openSession}))
	f.give(t, entryOf(numbered(1, 1, book("pool", 1, 1))))
	f.give(t, entryOf(numbered(2, 1, book("pool", 1, 1))))
	f.give(t, entryOf(numbered(1, 1, book("pool", 1, 1)))) // asks again: 3, 2, 1
	e := entryOf(call{op: openSession})
	e.room = 3
	require.Equal(t, SessionID(4), f.give(t, e)[0].session)
	require.Equal(t, ErrSession, f.give(t, entryOf(numbered(3, 1, book("pool", 1, 1))))[0].err)
	e = entryOf(numbered(2, 1, addPool), numbered(1, 2, book("pool", 1, 1)))
	e.room = 2 // the bound of another leader: 2 goes
	got := f.give(t, e)
	require.Equal(t, ErrSession, got[0].err)
	require.NoError(t, got[1].err)
	require.Len(t, slices.Collect(f.view().Bookings(desk.Filter{})), 3)

	e = entryOf(call{op: openSession})
	e.room = 0
	require.Equal(t, SessionID(5), f.give(t, e)[0].session)
	require.Equal(t, ErrSession, f.give(t, entryOf(numbered(5, 1, addPool)))[0].err, "there is no room for any")
	require.Equal(t, SessionID(6), f.give(t, entryOf(call{op: openSession}))[0].session, "numbers are never used again")
}

// However often the calls of a session are sent, and in whatever order they come, each is carried out once.
func TestCallsComeTwiceAndInAnyOrder(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 4))
		f := newFeed(t, Config{})
		f.give(t, entryOf(once(desk.AddSchedule{Name: "pool", Kind: desk.Pool{Units: 1000}}), call{op: openSession}, call{op: openSession}))
		const last = 20
		sent := []call{}
		for s := SessionID(1); s <= 2; s++ {
			for n := uint64(1); n <= last; n++ {
				for range 1 + rng.IntN(3) {
					sent = append(sent, numbered(s, n, book("pool", int64(n), bookahead.Duration(s))))
				}
			}
		}
		for range 40 { // some are late
			i := rng.IntN(len(sent))
			sent = slices.Insert(sent, i+rng.IntN(len(sent)-i), sent[i])
		}
		first := map[SessionID]map[uint64]desk.BookingID{1: {}, 2: {}}
		for len(sent) > 0 {
			n := min(len(sent), 1+rng.IntN(6))
			for i, a := range f.give(t, entryOf(sent[:n]...)) {
				c := sent[i]
				known, had := first[c.session][c.number]
				switch {
				case a.err != nil:
					require.Equal(t, ErrSession, a.err, "a late one")
				case had:
					require.Equal(t, known, a.outcome.Booking.ID)
				default:
					first[c.session][c.number] = a.outcome.Booking.ID
				}
			}
			sent = sent[n:]
		}
		require.Len(t, first[1], last)
		require.Len(t, first[2], last)
		ids := map[desk.BookingID]bool{}
		for k := range f.view().Bookings(desk.Filter{}) {
			ids[k.ID] = true
		}
		require.Len(t, ids, 2*last, "nothing is booked twice")
	}
}

func TestNumbersOfCalls(t *testing.T) {
	f := newFeed(t, Config{})
	f.give(t, entryOf(once(addPool), call{op: openSession}))
	require.ErrorIs(t, f.give(t, entryOf(numbered(1, 0, addPool)))[0].err, bookahead.ErrInvalid)
	require.NoError(t, f.give(t, entryOf(numbered(1, 1, book("pool", 1, 1))))[0].err)
	require.Equal(t, bookahead.ErrUnavailable, f.give(t, entryOf(numbered(1, 2, book("pool", 9, 1))))[0].err)
	f.give(t, entryOf(once(desk.AddSchedule{Name: "big", Kind: desk.Pool{Units: 99}})))
	require.Equal(t, bookahead.ErrUnavailable, f.give(t, entryOf(numbered(1, 2, book("big", 9, 1))))[0].err,
		"a refusal is an answer, too, and another command under its number is answered as the first")
	require.Equal(t, ErrSession, f.give(t, entryOf(numbered(1, 1, addPool)))[0].err)

	booked := f.give(t, entryOf(numbered(1, 9, book("big", 1, 1))))[0]
	require.NoError(t, booked.err, "numbers may skip")
	require.Equal(t, booked, f.give(t, entryOf(numbered(1, 9, book("big", 1, 1))))[0])
	for number := uint64(3); number < 9; number++ {
		require.Equal(t, ErrSession, f.give(t, entryOf(numbered(1, number, book("big", 1, 1))))[0].err, "number %d comes too late", number)
	}
	require.Len(t, slices.Collect(f.view().Bookings(desk.Filter{})), 2)
}
