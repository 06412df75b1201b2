package replicated

import (
	"errors"
	"io"

	"github.com/hashicorp/raft"
)

// door lets the messages of Raft in that the member takes. All others are answered by an error, and Raft never sees them.
type door struct {
	admit func(raft.RPC) error // why a message is not taken
	over  chan struct{}        // is closed when the transport is
}

// Consumer returns the messages that are taken. Raft calls it once.
func (e *ears) Consumer() <-chan raft.RPC {
	from, to := e.Transport.Consumer(), make(chan raft.RPC)
	go func() {
		for {
			var rpc raft.RPC
			select {
			case rpc = <-from:
			case <-e.door.over:
				return
			}
			if e.door.turnsAway(rpc) {
				continue
			}
			select {
			case to <- rpc:
			case <-e.door.over:
				return
			}
		}
	}()
	return to
}

// SetHeartbeatHandler hands heartbeats over past the queue of the other messages.
func (e *ears) SetHeartbeatHandler(handle func(raft.RPC)) {
	e.Transport.SetHeartbeatHandler(func(rpc raft.RPC) {
		if !e.door.turnsAway(rpc) {
			handle(rpc)
		}
	})
}

// turnsAway reports whether a message is not taken, and answers it then.
func (d *door) turnsAway(rpc raft.RPC) bool {
	if d.admit == nil {
		return false
	}
	err := d.admit(rpc)
	if err == nil {
		return false
	}
	var answer any // transports expect one beside the error
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
	go func() { // the snapshot is on its way already, and the answer comes behind it
		_, _ = io.Copy(io.Discard, rpc.Reader)
		rpc.Respond(answer, err)
	}()
	return true
}

// admits returns why a message of Raft is not taken; nil if it is.
func (m *Member) admits(rpc raft.RPC) error {
	switch {
	case !m.up.Load():
		return errNotUp
	case m.founding.waits.Load():
		return errFounding
	}
	switch rpc.Command.(type) {
	case *raft.RequestVoteRequest, *raft.RequestPreVoteRequest:
		if m.raft.LastIndex() == 0 {
			return errEmpty // before the member learns of a desk that it does not vote in
		}
	}
	return m.sameDesk(rpc)
}

// Why messages of Raft are not taken.
var (
	errNotUp    = errors.New("replicated: the member is not up yet")
	errFounding = errors.New("replicated: the member has no state, and waits for the other first members")
	errEmpty    = errors.New("replicated: the member has no state, and so no vote")
)
