package replicated

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// emptied is a world of three members. Members 1 and 2 have answered a booking. Then member 1 died, and the folder of
// member 2 was emptied. Member 3 was cut off, and does not have the booking.
func emptied(t *testing.T, w *world) (first, second, third string) {
	w.start()
	ctx := within(t, time.Hour)
	lead := w.leader()
	_, err := lead.Do(ctx, line)
	require.NoError(t, err)
	first = lead.config.ID
	for _, p := range w.peers {
		switch {
		case p.ID == first:
		case second == "":
			second = p.ID
		default:
			third = p.ID
		}
	}
	time.Sleep(time.Second)
	w.cut(third)
	_, err = lead.Do(ctx, booking("answered"))
	require.NoError(t, err)
	w.kill(first)
	w.kill(second)
	delete(w.disks, second)
	return first, second, third
}

// A voter whose folder was emptied has forgotten the entries that it acknowledged, so it must not vote. It stops when
// it hears that another member has a state. It counts again once it was removed and added.
func TestAVoterWhoseFolderWasEmptied(t *testing.T) {
	inBubble(t, 3, Config{}, func(t *testing.T, w *world) {
		first, second, third := emptied(t, w)
		m := w.open(second)
		w.heal()
		time.Sleep(time.Minute)
		require.ErrorIs(t, m.Status().Err, ErrStopped)
		require.ErrorContains(t, m.Status().Err, "Remove \""+second+"\"")
		require.NotEqual(t, "leader", w.member(third).Status().State, "it would lead without the booking")

		w.kill(second)
		w.open(first)
		w.heal()
		ctx := within(t, time.Hour)
		all := w.peers
		w.peers = nil
		for _, p := range all {
			if p.ID != second {
				w.peers = append(w.peers, p)
			}
		}
		require.NoError(t, w.leader().Remove(ctx, second))
		delete(w.disks, second)
		m = w.open(second)
		w.heal()
		require.NoError(t, w.leader().Add(ctx, Peer{ID: second, Address: "at-" + second}))
		v, err := m.Read(ctx, Linearizable)
		require.NoError(t, err)
		_, err = v.ByKey("answered")
		require.NoError(t, err)
	})
}

// Nor does it vote while it cannot ask the others. For them it is not there.
func TestAVoterWhoseFolderWasEmptiedReachesNobody(t *testing.T) {
	inBubble(t, 3, Config{}, func(t *testing.T, w *world) {
		first, second, third := emptied(t, w)
		w.between = func(string, string, leaderAPI) leaderAPI { return nobody{} }
		m := w.open(second)
		w.heal()
		time.Sleep(time.Minute)
		require.NoError(t, m.Status().Err)
		require.Zero(t, m.Status().Term)
		require.NotEqual(t, "leader", w.member(third).Status().State)
		w.open(first)
		w.heal()
		ctx := within(t, time.Hour)
		_, err := w.leader().Do(ctx, booking("another"))
		require.NoError(t, err, "two of three go on")
		time.Sleep(time.Second) // the leader may be the first, and tells the third with its next heartbeat what is committed
		v, err := w.member(third).Read(ctx, Local)
		require.NoError(t, err)
		_, err = v.ByKey("answered")
		require.NoError(t, err)
		require.Zero(t, m.Status().Last)
	})
}

// A member that waits to be added, and has nothing, does not vote.
func TestAnEmptyMemberDoesNotVote(t *testing.T) {
	inBubble(t, 3, Config{}, func(t *testing.T, w *world) {
		_, second, third := emptied(t, w)
		w.peers = []Peer{w.peers[0]}
		if w.peers[0].ID == second {
			w.peers[0] = Peer{ID: third, Address: "at-" + third}
		}
		m := w.open(second)
		w.heal()
		time.Sleep(time.Minute)
		require.NoError(t, m.Status().Err)
		require.NotEqual(t, "leader", w.member(third).Status().State)
	})
}

// The first members wait for each other.
func TestTheFirstStartWaitsForAll(t *testing.T) {
	inBubble(t, 3, Config{}, func(t *testing.T, w *world) {
		w.open("1")
		w.open("2")
		time.Sleep(time.Minute)
		for _, m := range w.members {
			s := m.Status()
			require.NoError(t, s.Err)
			require.Zero(t, s.Last)
			require.Zero(t, s.Term)
			require.Equal(t, "follower", s.State)
		}
		w.stop("1")
		w.open("1")
		w.open("3")
		_, err := w.leader().Do(within(t, time.Hour), line)
		require.NoError(t, err)
		w.close()
		w.open("1")
		w.open("2")
		_, err = w.leader().Do(within(t, time.Hour), booking("a"))
		require.NoError(t, err, "later starts need a majority")
	})
}

// A slow first member still takes part: before the others went on, they have told it that they have no state.
func TestASlowFirstMember(t *testing.T) {
	inBubble(t, 3, Config{}, func(t *testing.T, w *world) {
		w.between = func(from, _ string, l leaderAPI) leaderAPI {
			if from == "3" {
				return nobody{} // the question of member 3 is always lost
			}
			return l
		}
		w.start()
		ctx := within(t, time.Hour)
		_, err := w.leader().Do(ctx, line)
		require.NoError(t, err)
		time.Sleep(time.Minute)
		require.NoError(t, w.member("3").Status().Err)
		_, err = w.member("3").Read(ctx, Local)
		require.NoError(t, err)
		require.Equal(t, w.leader().Status().Last, w.member("3").Status().Last)
		w.kill(w.other(w.member("3")).config.ID)
		_, err = w.leader().Do(ctx, booking("a"))
		require.NoError(t, err, "it counts")
	})
}

// A member that answers at the address of another one is not taken for it: otherwise the desk would begin without the
// other one being seen.
func TestAFirstMemberAtAWrongAddress(t *testing.T) {
	inBubble(t, 3, Config{}, func(t *testing.T, w *world) {
		w.between = func(from, to string, l leaderAPI) leaderAPI {
			switch {
			case from == "1" && to == "3":
				return w.members["2"]
			case from == "3":
				return nobody{} // the question of member 3 is always lost
			}
			return l
		}
		w.open("2")
		w.open("3")
		m := w.open("1")
		time.Sleep(time.Minute)
		require.ErrorIs(t, m.Status().Err, ErrStopped)
		require.ErrorContains(t, m.Status().Err, "member \"3\" has the address at-3, but member \"2\" answers there")
	})
}

// The only voter of a desk, with an emptied folder, stops if a member that watches has a state. It would otherwise
// forget commands that were answered.
func TestTheOnlyVoterWasEmptied(t *testing.T) {
	inBubble(t, 2, Config{}, func(t *testing.T, w *world) {
		w.peers[1].Watches = true
		w.start()
		ctx := within(t, time.Hour)
		_, err := w.leader().Do(ctx, line)
		require.NoError(t, err)
		_, err = w.leader().Do(ctx, booking("answered"))
		require.NoError(t, err)
		time.Sleep(time.Minute)
		w.kill("1")
		delete(w.disks, "1")
		m := w.open("1")
		w.heal()
		time.Sleep(time.Minute)
		require.ErrorIs(t, m.Status().Err, ErrStopped)
		require.ErrorContains(t, m.Status().Err, "member \"2\" has a state")
		v, err := w.member("2").Read(ctx, Local)
		require.NoError(t, err)
		_, err = v.ByKey("answered")
		require.NoError(t, err)
	})
}

// A watcher that is away does not delay the first start. A watcher that is fast does not stop a slow voter.
func TestAFirstStartBesideOneThatWatches(t *testing.T) {
	for _, away := range []bool{true, false} {
		inBubble(t, 3, Config{}, func(t *testing.T, w *world) {
			w.peers = append(w.peers, Peer{ID: "0", Address: "at-0", Watches: true})
			w.between = func(from, to string, l leaderAPI) leaderAPI {
				if from == "3" && to == "0" {
					return badLine{l}
				}
				return l
			}
			if !away {
				w.open("0")
			}
			for _, id := range []string{"3", "1", "2"} {
				w.open(id)
			}
			w.heal()
			ctx := within(t, time.Hour)
			_, err := w.leader().Do(ctx, line)
			require.NoError(t, err)
			time.Sleep(time.Minute)
			for _, m := range w.members {
				require.NoError(t, m.Status().Err)
				require.Equal(t, w.leader().Status().Last, m.Status().Last)
			}
			require.Len(t, w.leader().Status().Peers, 4)
		})
	}
}

// badLine is a member whose answers about its status take 5 s.
type badLine struct{ leaderAPI }

func (s badLine) status(ctx context.Context, by bootstrapper) (Status, error) {
	time.Sleep(5 * time.Second)
	return s.leaderAPI.status(ctx, by)
}

// lostAnswers is a member whose questions arrive, and whose answers are lost until some time.
type lostAnswers struct {
	leaderAPI
	until time.Time
}

func (l lostAnswers) status(ctx context.Context, by bootstrapper) (Status, error) {
	s, err := l.leaderAPI.status(ctx, by)
	if time.Now().Before(l.until) {
		return Status{}, &NotLeaderError{}
	}
	return s, err
}

// At the first start, no bytes reach member 1 for some seconds, but the others get its questions. They found the desk, and
// have a state when member 1 asks again. Member 1 is healthy, and takes part.
func TestAnswersAreLostAtTheFirstStart(t *testing.T) {
	inBubble(t, 3, Config{}, func(t *testing.T, w *world) {
		healed := time.Now().Add(5 * time.Second)
		w.between = func(from, to string, l leaderAPI) leaderAPI {
			switch {
			case from == "1":
				return lostAnswers{l, healed}
			case to == "1" && time.Now().Before(healed):
				return nobody{}
			}
			return l
		}
		w.cut("1")
		w.start()
		ctx := within(t, time.Hour)
		_, err := w.member("2").Do(ctx, line)
		require.NoError(t, err)
		require.True(t, time.Now().Before(healed), "the others have a state while member 1 asks")
		time.Sleep(time.Minute)
		w.heal()
		_, err = w.member("1").Do(ctx, booking("a"))
		require.NoError(t, err)
		require.NoError(t, w.member("1").Status().Err)
		w.kill(w.other(w.member("1")).config.ID)
		_, err = w.member("1").Do(ctx, booking("b"))
		require.NoError(t, err, "member 1 counts for a majority")
	})
}

// A member repeats the answer that it gave without a state, but only to the same run of the asking process. After a
// restart the folder of that process may have been emptied.
func TestAnAnswerIsRepeatedToTheSameRunOnly(t *testing.T) {
	f := newBootstrap()
	without, with := Status{ID: "2"}, Status{ID: "2", Desk: "d", Last: 9}
	require.Equal(t, without, f.answer(bootstrapper{"1", 7}, without))
	require.Equal(t, without, f.answer(bootstrapper{"1", 7}, with))
	require.Equal(t, with, f.answer(bootstrapper{"1", 8}, with), "another run")
	require.Equal(t, with, f.answer(bootstrapper{"3", 7}, with), "another member")
	require.NotEqual(t, newBootstrap().run, f.run)
}
