package peerlink

import (
	"errors"
	"testing"
	"time"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

// held is a transport whose heartbeats are answered when the test says so.
type held struct {
	raft.Transport
	sent chan heartbeat
}

// heartbeat is a heartbeat that waits for its answer.
type heartbeat struct {
	*raft.AppendEntriesRequest
	answer chan raft.AppendEntriesResponse
}

func newHeld() *held {
	_, t := raft.NewInmemTransport("1")
	return &held{Transport: t, sent: make(chan heartbeat)}
}

func (h *held) AppendEntries(_ raft.ServerID, _ raft.ServerAddress, q *raft.AppendEntriesRequest, a *raft.AppendEntriesResponse) error {
	b := heartbeat{q, make(chan raft.AppendEntriesResponse)}
	h.sent <- b
	*a = <-b.answer
	return nil
}

var three = []raft.Server{{ID: "1"}, {ID: "2"}, {ID: "3"}, {ID: "4", Suffrage: raft.Nonvoter}}

// beat sends a heartbeat of term 5 to a member. The function that it returns lets the answer come.
func beat(t *testing.T, l *Lease, h *held, to raft.ServerID) (answer func(raft.AppendEntriesResponse)) {
	done := make(chan error, 1)
	go func() {
		done <- l.AppendEntries(to, "", &raft.AppendEntriesRequest{Term: 5, RPCHeader: raft.RPCHeader{Addr: l.EncodePeer("1", "1")}}, new(raft.AppendEntriesResponse))
	}()
	b := <-h.sent
	return func(a raft.AppendEntriesResponse) {
		b.answer <- a
		require.NoError(t, <-done)
	}
}

// An answer counts for a mark if its heartbeat was sent after the mark. It does not count if the heartbeat was sent
// before and the answer came after.
func TestAnAnswerToAnOlderHeartbeatDoesNotCount(t *testing.T) {
	h := newHeld()
	l := newLease(h)
	yes := raft.AppendEntriesResponse{Term: 5, Success: true, LastLog: 9}
	early := beat(t, l, h, "2")
	mark := l.Mark()
	more := l.More()
	early(yes)
	<-more
	require.False(t, l.Follow("1", three, 5, mark), "sent before the mark")
	require.EqualValues(t, 9, l.Last("2"))

	beat(t, l, h, "4")(yes)
	require.False(t, l.Follow("1", []raft.Server{three[0], three[1], three[3]}, 5, mark), "4 only watches")
	beat(t, l, h, "3")(raft.AppendEntriesResponse{Term: 6})
	require.False(t, l.Follow("1", three, 5, mark), "3 follows another leader")
	beat(t, l, h, "3")(raft.AppendEntriesResponse{Term: 5})
	require.False(t, l.Follow("1", three, 5, mark), "3 has refused")
	late := beat(t, l, h, "2")
	second := l.Mark()
	beat(t, l, h, "2")(yes)
	require.True(t, l.Follow("1", three, 5, second), "1 and 2 are a majority")
	late(yes)
	require.True(t, l.Follow("1", three, 5, second), "an older answer that comes later takes nothing back")
	require.False(t, l.Follow("1", three, 5, l.Mark()))
	require.False(t, l.Follow("1", three, 6, mark), "another term")

	l.Forget("2")
	require.False(t, l.Follow("1", three, 5, mark))
	require.Zero(t, l.Last("2"))
}

// Each message names the group that its sender has at that time, also a heartbeat that was made before.
func TestMessagesNameTheGroup(t *testing.T) {
	h := newHeld()
	group := uint64(0)
	l := NewLease(h, func() uint64 { return group }, func() error { return nil }, func(raft.RPC) error { return nil })
	q := &raft.AppendEntriesRequest{RPCHeader: raft.RPCHeader{ID: []byte("1"), Addr: l.EncodePeer("1", "host:7001")}}
	group = 1 << 63
	go func() { _ = l.AppendEntries("2", "", q, new(raft.AppendEntriesResponse)) }()
	got := <-h.sent
	got.answer <- raft.AppendEntriesResponse{}
	id, theirs, ok := Sender(raft.RPC{Command: got.AppendEntriesRequest})
	require.True(t, ok)
	require.Equal(t, "1", id)
	require.Equal(t, group, theirs)
	require.EqualValues(t, "host:7001", l.DecodePeer(got.Addr))
	_, theirs, ok = Sender(raft.RPC{Command: q})
	require.True(t, ok)
	require.Zero(t, theirs, "the request of Raft is not changed")
	_, _, ok = Sender(raft.RPC{Command: 7})
	require.False(t, ok)
}

// A quiet member sends nothing by which it leads. Messages that it refuses are answered, and never reach Raft.
func TestAQuietMemberAndItsFilter(t *testing.T) {
	quiet, refused := errors.New("quiet"), errors.New("refused")
	_, t1 := raft.NewInmemTransport("1")
	at2, t2 := raft.NewInmemTransport("2")
	t1.Connect(at2, t2)
	is := error(nil)
	l := NewLease(t1, func() uint64 { return 7 }, func() error { return is }, nil)
	far := NewLease(t2, func() uint64 { return 7 }, func() error { return nil }, func(rpc raft.RPC) error {
		_, is := rpc.Command.(*raft.RequestVoteRequest)
		if is {
			return refused
		}
		return nil
	})
	taken := far.Consumer()
	defer func() {
		require.NoError(t, far.Close())
		require.NoError(t, l.Close())
	}()
	require.ErrorIs(t, l.RequestVote("2", at2, &raft.RequestVoteRequest{}, new(raft.RequestVoteResponse)), refused)
	done := make(chan error, 1)
	go func() {
		done <- l.AppendEntries("2", at2, &raft.AppendEntriesRequest{Term: 3}, new(raft.AppendEntriesResponse))
	}()
	select {
	case rpc := <-taken:
		require.IsType(t, &raft.AppendEntriesRequest{}, rpc.Command)
		rpc.Respond(&raft.AppendEntriesResponse{Term: 3}, nil)
	case <-time.After(10 * time.Second):
		t.Fatal("the entries do not come")
	}
	require.NoError(t, <-done)

	is = quiet
	require.ErrorIs(t, l.AppendEntries("2", at2, &raft.AppendEntriesRequest{}, new(raft.AppendEntriesResponse)), quiet)
	require.ErrorIs(t, l.RequestVote("2", at2, &raft.RequestVoteRequest{}, new(raft.RequestVoteResponse)), quiet)
	require.ErrorIs(t, l.RequestPreVote("2", at2, &raft.RequestPreVoteRequest{}, new(raft.RequestPreVoteResponse)), quiet)
	require.ErrorIs(t, l.InstallSnapshot("2", at2, &raft.InstallSnapshotRequest{}, new(raft.InstallSnapshotResponse), nil), quiet)
	_, err := l.AppendEntriesPipeline("2", at2)
	require.ErrorIs(t, err, quiet)
}
