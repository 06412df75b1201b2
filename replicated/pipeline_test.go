package replicated

import (
	"testing"
	"time"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

// After Raft has stopped reading the answers of a peer, it sends one more request. That request must not wait for
// room among the answers: Close would wait for it for ever, and the peer would get no entries although it hears
// heartbeats.
func TestRequestsDoNotWaitForReadersOfAnswers(t *testing.T) {
	one, two := newPair(t, &fakeLeader{}, nil)
	go func() {
		for range 20 {
			rpc := <-one.transport.Consumer()
			rpc.Respond(&raft.AppendEntriesResponse{Term: rpc.Command.(*raft.AppendEntriesRequest).Term}, nil)
		}
	}()
	p, err := NewLease(two.transport).AppendEntriesPipeline("1", one.transport.LocalAddr())
	require.NoError(t, err)
	sent := make(chan error, 20)
	go func() {
		for i := range 20 {
			_, err := p.AppendEntries(&raft.AppendEntriesRequest{Term: uint64(i)}, new(raft.AppendEntriesResponse))
			sent <- err
		}
	}()
	for range 20 {
		select {
		case err := <-sent:
			require.NoError(t, err)
		case <-time.After(5 * time.Second):
			_ = p.Close()
			t.Fatal("a request waits for a reader")
		}
	}
	for i := range 20 {
		f := <-p.Consumer()
		require.NoError(t, f.Error())
		require.Equal(t, uint64(i), f.Response().Term, "answers come in order")
	}
	require.NoError(t, p.Close())
	require.NoError(t, p.Close())
}
