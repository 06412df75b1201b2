package replicated

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// twoDesks are two members that are alone, each with a desk and bookings of its own. Both logs have the same indexes
// and terms.
func twoDesks(t *testing.T, w *world) (a, b *Member) {
	ctx := within(t, time.Hour)
	all := []Peer{{ID: "1", Address: "at-1"}, {ID: "2", Address: "at-2"}}
	for i, list := range [][]Peer{all[:1], all[1:]} {
		w.peers = list
		m := w.open(list[0].ID)
		_, err := m.Do(ctx, line)
		require.NoError(t, err)
		for n := range 5 * (i + 1) {
			_, err = m.Do(ctx, booking(fmt.Sprint(m.config.ID, "'s ", n)))
			require.NoError(t, err)
		}
	}
	w.peers = all
	a, b = w.member("1"), w.member("2")
	require.NotEmpty(t, a.Status().Desk)
	require.NotEmpty(t, b.Status().Desk)
	require.NotEqual(t, a.Status().Desk, b.Status().Desk)
	return a, b
}

// A member that keeps another desk is not added. Its desk stays as it is.
func TestAddRefusesAnotherDesk(t *testing.T) {
	inBubble(t, 0, Config{}, func(t *testing.T, w *world) {
		a, b := twoDesks(t, w)
		ctx := within(t, time.Hour)
		before := b.Status().Last
		err := a.Add(ctx, w.peers[1])
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, "another desk")
		require.Len(t, a.Status().Peers, 1)
		_, err = a.Do(ctx, booking("a goes on"))
		require.NoError(t, err)
		require.Equal(t, before, b.Status().Last)
		_, err = b.Do(ctx, booking("b goes on"))
		require.NoError(t, err)
	})
}

// Raft compares only indexes and terms, so it would merge the logs of two desks. A member takes no message of another
// desk, so a leader that counts on such a member answers nothing.
func TestLogsOfTwoDesksAreNotMerged(t *testing.T) {
	inBubble(t, 0, Config{}, func(t *testing.T, w *world) {
		a, b := twoDesks(t, w)
		ctx := within(t, time.Hour)
		before := mustImage(t, b.machine)
		go a.raft.AddVoter("2", "at-2", 0, time.Minute) // as if b had been away when Add asked for its ID
		time.Sleep(time.Minute)
		short, stop := context.WithTimeout(ctx, time.Minute)
		defer stop()
		_, err := a.Do(short, booking("on one disk only"))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NoError(t, b.Status().Err)
		require.True(t, bytes.Equal(before, mustImage(t, b.machine)))
		v, err := b.Read(ctx, Linearizable)
		require.NoError(t, err)
		_, err = v.ByKey("2's 9")
		require.NoError(t, err)
		require.NoError(t, b.Close())
		_, err = w.open("2").Do(ctx, booking("b goes on"))
		require.NoError(t, err, "also behind a restart")
	})
}

// All members have the ID of one desk: also members that come later, and behind restarts, snapshots and a seal.
func TestMembersShareTheirDesk(t *testing.T) {
	inBubble(t, 3, Config{}, func(t *testing.T, w *world) {
		w.start()
		ctx := within(t, time.Hour)
		_, err := w.leader().Do(ctx, line)
		require.NoError(t, err)
		id := w.leader().Status().Desk
		require.Len(t, id, 16)
		same := func() {
			t.Helper()
			time.Sleep(time.Minute)
			for _, m := range w.members {
				require.NoError(t, m.Status().Err)
				require.Equal(t, id, m.Status().Desk)
				kept, err := w.disks[m.config.ID].log.GetUint64([]byte(keyDesk))
				require.NoError(t, err)
				require.Equal(t, id, deskText(kept))
			}
		}
		term := w.leader().Status().Term
		same()
		require.Equal(t, term, w.leader().Status().Term, "heartbeats name it, too")
		w.cut("3") // member 3 has no entry with the ID
		_, err = w.other(w.member("3")).Do(ctx, booking("a"))
		require.NoError(t, err)
		for _, m := range w.members {
			require.NoError(t, m.Snapshot(ctx))
		}
		w.heal()
		same()
		w.close()
		w.start()
		for _, m := range w.members {
			require.Equal(t, id, m.Status().Desk, "before it hears of the others")
		}
		w.peers = append(w.peers, Peer{ID: "4", Address: "at-4"})
		all := w.peers
		w.peers = all[:3]
		w.open("4")
		w.heal()
		require.NoError(t, w.leader().Add(ctx, all[3]))
		w.peers = all
		require.NoError(t, w.leader().Seal(ctx))
		require.NoError(t, w.leader().Unseal(ctx))
		_, err = w.leader().Do(ctx, booking("b"))
		require.NoError(t, err)
		same()
	})
}

// A member that waits to be added takes the desk of the first message from a leader, and keeps to that desk.
func TestAMemberIsAddedByOneDesk(t *testing.T) {
	inBubble(t, 0, Config{}, func(t *testing.T, w *world) {
		a, b := twoDesks(t, w)
		c := w.open("3")
		w.heal()
		ctx := within(t, time.Hour)
		p := Peer{ID: "3", Address: "at-3"}
		require.NoError(t, a.Add(ctx, p))
		require.Equal(t, a.Status().Desk, c.Status().Desk)
		require.ErrorContains(t, b.Add(ctx, p), "another desk")
		time.Sleep(time.Minute)
		before := mustImage(t, c.machine)
		go b.raft.AddNonvoter("3", "at-3", 0, time.Minute)
		time.Sleep(time.Minute)
		require.True(t, bytes.Equal(before, mustImage(t, c.machine)))
		require.NoError(t, c.Status().Err)
	})
}

// asksForVote sends a member the question of a candidate for its vote. The member must refuse.
func asksForVote(t *testing.T, by raft.Transport, from, to string, desk uint64) {
	t.Helper()
	head := raft.RPCHeader{ProtocolVersion: raft.ProtocolVersionMax, ID: []byte(from), Addr: binary.LittleEndian.AppendUint64([]byte("at-"+from), desk)}
	id, at := raft.ServerID(to), raft.ServerAddress("at-"+to)
	q := raft.RequestPreVoteRequest{RPCHeader: head, Term: 9, LastLogIndex: 99, LastLogTerm: 9}
	require.Error(t, by.(raft.WithPreVote).RequestPreVote(id, at, &q, &raft.RequestPreVoteResponse{}))
	v := raft.RequestVoteRequest{RPCHeader: head, Term: 9, LastLogIndex: 99, LastLogTerm: 9}
	require.Error(t, by.RequestVote(id, at, &v, &raft.RequestVoteResponse{}))
}

// A member that waits to be added does not vote, and takes no desk from a candidate.
func TestACandidateNamesNoDeskToAnEmptyMember(t *testing.T) {
	inBubble(t, 0, Config{}, func(t *testing.T, w *world) {
		a, b := twoDesks(t, w)
		c := w.open("3")
		w.heal()
		asksForVote(t, b.lease.Transport, "2", "3", b.machine.id.Load())
		require.Empty(t, c.Status().Desk)
		require.NoError(t, a.Add(within(t, time.Hour), Peer{ID: "3", Address: "at-3"}))
		require.Equal(t, a.Status().Desk, c.Status().Desk)
	})
}

// Members whose desk has no command yet have no desk ID. They take none from a candidate that is no member.
func TestAStrangerNamesNoDesk(t *testing.T) {
	inBubble(t, 3, Config{}, func(t *testing.T, w *world) {
		w.start()
		l := w.leader()
		f := w.other(l)
		asksForVote(t, l.lease.Transport, "x", f.config.ID, 77)
		require.Empty(t, f.Status().Desk)
		_, err := l.Do(within(t, time.Hour), line)
		require.NoError(t, err)
		time.Sleep(time.Minute)
		for _, m := range w.members {
			require.Equal(t, l.Status().Desk, m.Status().Desk)
			require.NoError(t, m.Status().Err)
		}
	})
}

// Over TCP, Add asks the peer for its ID. It refuses an ID at a wrong address, and a member that was opened without
// Peers and has begun a desk of its own.
func TestAddAsksWhoIsThere(t *testing.T) {
	ctx := within(t, time.Minute)
	peers := freePeers(t, 2)
	dir := t.TempDir()
	var list []*Member
	for _, p := range peers {
		m, err := Open(Config{ID: p.ID, Dir: filepath.Join(dir, p.ID), Bind: p.Address, Election: 100 * time.Millisecond, Log: mute, Reserve: 1})
		require.NoError(t, err)
		defer func() { require.NoError(t, m.Close()) }()
		_, err = m.Do(ctx, desk.AddSchedule{Name: "pool", Kind: desk.Pool{Units: 4}})
		require.NoError(t, err)
		list = append(list, m)
	}
	err := list[0].Add(ctx, Peer{ID: "x", Address: peers[1].Address})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.ErrorContains(t, err, fmt.Sprintf("%q", peers[1].ID))
	err = list[0].Add(ctx, peers[1])
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.ErrorContains(t, err, "another desk")
	_, err = list[0].Do(ctx, bookOne("goes on"))
	require.NoError(t, err)
}

// The first of three members was opened without Peers, and has begun a desk of its own. The others, which have the
// list, do not begin another desk beside it.
func TestAFirstMemberThatWasOpenedAlone(t *testing.T) {
	ctx := within(t, time.Minute)
	peers := freePeers(t, 3)
	dir := t.TempDir()
	open := func(i int, list []Peer) *Member {
		m, err := Open(Config{
			ID: peers[i].ID, Dir: filepath.Join(dir, peers[i].ID), Bind: peers[i].Address, Peers: list, Election: 100 * time.Millisecond, Log: mute, Reserve: 1,
		})
		require.NoError(t, err)
		return m
	}
	a := open(0, nil)
	_, err := a.Do(ctx, desk.AddSchedule{Name: "pool", Kind: desk.Pool{Units: 4}})
	require.NoError(t, err)
	require.NoError(t, a.Close())
	all := []*Member{open(0, peers), open(1, peers), open(2, peers)}
	for _, m := range all[1:] {
		require.Eventually(t, func() bool { return m.Status().Err != nil }, 10*time.Second, 10*time.Millisecond)
		require.ErrorContains(t, m.Status().Err, "has a state")
	}
	_, err = all[0].Do(ctx, bookOne("goes on"))
	require.NoError(t, err)
	closeAll(t, all)
}
