package peerlink

import (
	"io"
	"testing"
	"time"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

// After Raft has stopped reading the answers of a peer, it sends one more request. That request must not wait for
// room among the answers: Close would wait for it for ever, and the peer would get no entries although it hears
// heartbeats.
func TestRequestsDoNotWaitForReadersOfAnswers(t *testing.T) {
	one, two := tcp(t), tcp(t)
	go func() {
		for range 20 {
			rpc := <-one.Consumer()
			rpc.Respond(&raft.AppendEntriesResponse{Term: rpc.Command.(*raft.AppendEntriesRequest).Term}, nil)
		}
	}()
	p, err := newLease(two).AppendEntriesPipeline("1", one.LocalAddr())
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

// tcp returns a transport of Raft over TCP, as members have it.
func tcp(t *testing.T) *raft.NetworkTransport {
	n, err := raft.NewTCPTransport("127.0.0.1:0", nil, 3, 5*time.Second, io.Discard)
	require.NoError(t, err)
	t.Cleanup(func() { _ = n.Close() })
	return n
}

// newLease returns a Lease of a member that speaks, takes all messages, and has the group 7.
func newLease(t raft.Transport) *Lease {
	return NewLease(t, func() uint64 { return 7 }, func() error { return nil }, func(raft.RPC) error { return nil })
}
