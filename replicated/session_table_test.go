package replicated

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// The session that was idle for longest is forgotten first. Its calls are not carried out any more.
func TestForgottenSessions(t *testing.T) {
	f := newFeed(t, Config{})
	f.give(t, entryOf(once(addPool), call{op: openSession}, call{op: openSession}, call{op: openSession}))
	f.give(t, entryOf(numbered(1, 1, book("pool", 1, 1))))
	f.give(t, entryOf(numbered(2, 1, book("pool", 1, 1))))
	f.give(t, entryOf(numbered(1, 1, book("pool", 1, 1)))) // sessions in the order of their use are now 3, 2, 1
	e := entryOf(call{op: openSession})
	e.room = 3
	require.Equal(t, SessionID(4), f.give(t, e)[0].session)
	require.Equal(t, ErrSession, f.give(t, entryOf(numbered(3, 1, book("pool", 1, 1))))[0].err)
	e = entryOf(numbered(2, 1, addPool), numbered(1, 2, book("pool", 1, 1)))
	e.room = 2 // the bound of another leader: session 2 is forgotten
	got := f.give(t, e)
	require.Equal(t, ErrSession, got[0].err)
	require.NoError(t, got[1].err)
	require.Len(t, collected(f.view().Bookings(desk.Filter{}, bookahead.Effort{})), 3)

	e = entryOf(call{op: openSession})
	e.room = 0
	require.Equal(t, SessionID(5), f.give(t, e)[0].session)
	require.Equal(t, ErrSession, f.give(t, entryOf(numbered(5, 1, addPool)))[0].err, "there is no room for any")
	require.Equal(t, SessionID(6), f.give(t, entryOf(call{op: openSession}))[0].session, "numbers are never used again")
}

// The calls of a session may be sent any number of times and in any order: each is carried out once.
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
		for range 40 { // some calls come late
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
		for k := range f.view().Bookings(desk.Filter{}, bookahead.Effort{}) {
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
	require.Equal(t, bookahead.ErrUnavailable, f.give(t, entryOf(numbered(1, 2, book("pool", 9, 1))))[0].err, "a refusal is an answer, too")
	require.Equal(t, ErrSession, f.give(t, entryOf(numbered(1, 1, addPool)))[0].err)

	booked := f.give(t, entryOf(numbered(1, 9, book("big", 1, 1))))[0]
	require.NoError(t, booked.err, "numbers may skip")
	require.Equal(t, booked, f.give(t, entryOf(numbered(1, 9, book("big", 1, 1))))[0])
	for number := uint64(3); number < 9; number++ {
		require.Equal(t, ErrSession, f.give(t, entryOf(numbered(1, number, book("big", 1, 1))))[0].err, "number %d comes too late", number)
	}
	require.Len(t, collected(f.view().Bookings(desk.Filter{}, bookahead.Effort{})), 2)
}

// many is a batch of n bookings.
func many(n int) desk.Batch {
	var b desk.Batch
	for range n {
		b.Commands = append(b.Commands, book("big", 1, 1))
	}
	return b
}

// The answers to all sessions have one bound. The session that was idle for longest is forgotten first.
func TestAnswersHaveABoundTogether(t *testing.T) {
	f := newFeed(t, Config{})
	f.give(t, entryOf(once(desk.AddSchedule{Name: "big", Kind: desk.Pool{Units: 1 << 20}})))
	const sessions, memory = 20, 1 << 20
	for i := range SessionID(sessions) {
		e := entryOf(call{op: openSession}, numbered(i+1, 1, many(100)))
		e.memory = memory
		require.NoError(t, f.give(t, e)[1].err)
		require.LessOrEqual(t, f.sessions.bytes, uint64(memory))
	}
	require.Equal(t, ErrSession, f.give(t, entryOf(numbered(1, 1, many(100))))[0].err)
	require.NoError(t, f.give(t, entryOf(numbered(sessions, 1, many(100))))[0].err)
	require.Len(t, collected(f.view().Bookings(desk.Filter{}, bookahead.Effort{})), 100*sessions, "nothing is booked twice")
	data, err := imageBytes(f.machine)
	require.NoError(t, err)
	require.Less(t, len(data), memory+1<<20)
}

// An answer that is too long for the table is given once. A retry hears that the call was carried out.
func TestAnAnswerThatIsTooLong(t *testing.T) {
	f := newFeed(t, Config{})
	f.give(t, entryOf(once(desk.AddSchedule{Name: "big", Kind: desk.Pool{Units: 1 << 20}}), call{op: openSession}))
	const n = 20
	for range n {
		f.give(t, entryOf(once(many(1000))))
	}
	advance := numbered(1, 1, desk.Advance{Now: 100})
	a := f.give(t, entryOf(advance))[0]
	require.NoError(t, a.err)
	require.Greater(t, len(a.outcome.Events), n*1000, "each ends")
	require.Equal(t, answer{err: ErrNoAnswer}, f.give(t, entryOf(advance))[0])
	require.NoError(t, f.give(t, entryOf(numbered(1, 2, book("big", 1, 1))))[0].err)
}

// A number stands for one command. Another command under the same number gets an error, and is not carried out, also
// behind a snapshot.
func TestANumberStandsForOneCommand(t *testing.T) {
	f := newFeed(t, Config{})
	f.give(t, entryOf(once(addPool), call{op: openSession}))
	first := numbered(1, 1, book("pool", 1, 1))
	require.NoError(t, f.give(t, entryOf(first))[0].err)
	for range 2 {
		got := f.give(t, entryOf(numbered(1, 1, book("pool", 2, 1)), first))
		require.ErrorIs(t, got[0].err, bookahead.ErrInvalid)
		require.ErrorContains(t, got[0].err, "Call.Number")
		require.Zero(t, got[0].outcome)
		require.NoError(t, got[1].err, "the answer is there still")
		require.EqualValues(t, 1, got[1].outcome.Booking.ID)
		require.Len(t, collected(f.view().Bookings(desk.Filter{}, bookahead.Effort{})), 1)
		f = restored(t, Config{}, snapshotOf(t, f.machine))
	}
}

// The leader draws the ID of a session. A call without an ID, or with the ID of another session, opens none.
func TestSessionsHaveTheirOwnIDs(t *testing.T) {
	f := newFeed(t, Config{})
	e := entryOf(call{op: openSession, session: 7}, call{op: openSession, session: 7})
	got := f.give(t, e)
	require.NoError(t, got[0].err)
	require.Equal(t, SessionID(7), got[0].session)
	require.ErrorIs(t, got[1].err, bookahead.ErrInvalid)
	require.Len(t, f.sessions.at, 1)
	answers, ok := f.Apply(&raft.Log{Index: 2, Data: (&entry{version: Version, now: -1, jump: -1, room: 9, calls: []call{{op: openSession}}}).append(nil)}).([]answer)
	require.True(t, ok)
	require.ErrorIs(t, answers[0].err, bookahead.ErrInvalid)
}
