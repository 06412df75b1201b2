package peerlink

import (
	"io"

	"github.com/hashicorp/raft"
)

// inboundFilter stands before Raft, and answers the messages that the member refuses by an error. Raft never sees them.
type inboundFilter struct {
	admit func(raft.RPC) error // returns why a message is refused
	over  chan struct{}        // closed with the transport
}

// Consumer returns the messages that are taken. Raft calls it once.
func (l *Lease) Consumer() <-chan raft.RPC {
	from, to := l.Transport.Consumer(), make(chan raft.RPC)
	go func() {
		for {
			var rpc raft.RPC
			select {
			case rpc = <-from:
			case <-l.inbound.over:
				return
			}
			if l.inbound.refuse(rpc) {
				continue
			}
			select {
			case to <- rpc:
			case <-l.inbound.over:
				return
			}
		}
	}()
	return to
}

// SetHeartbeatHandler lets heartbeats pass the queue of the other messages, but not the filter.
func (l *Lease) SetHeartbeatHandler(handle func(raft.RPC)) {
	l.Transport.SetHeartbeatHandler(func(rpc raft.RPC) {
		if !l.inbound.refuse(rpc) {
			handle(rpc)
		}
	})
}

// refuse reports whether a message is refused, and answers it in that case.
func (f *inboundFilter) refuse(rpc raft.RPC) bool {
	err := f.admit(rpc)
	if err == nil {
		return false
	}
	var answer any // transports expect a response beside the error
	switch rpc.Command.(type) {
	case *raft.AppendEntriesRequest:
		answer = &raft.AppendEntriesResponse{}
	case *raft.RequestVoteRequest:
		answer = &raft.RequestVoteResponse{}
	case *raft.RequestPreVoteRequest:
		answer = &raft.RequestPreVoteResponse{}
	case *raft.InstallSnapshotRequest:
		answer = &raft.InstallSnapshotResponse{}
	case *raft.TimeoutNowRequest:
		answer = &raft.TimeoutNowResponse{}
	}
	if rpc.Reader == nil {
		rpc.Respond(answer, err)
		return true
	}
	go func() { // the bytes of the snapshot are on their way already; the peer reads the answer behind them
		_, _ = io.Copy(io.Discard, rpc.Reader)
		rpc.Respond(answer, err)
	}()
	return true
}
