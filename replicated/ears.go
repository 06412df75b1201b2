package replicated

import (
	"sync"

	"github.com/hashicorp/raft"
)

// ears is the transport of a member, which notes what others answer.
type ears struct {
	raft.Transport
	mu    sync.Mutex
	heard map[raft.ServerID]uint64
}

func newEars(t raft.Transport) *ears { return &ears{Transport: t, heard: map[raft.ServerID]uint64{}} }

// AppendEntries sends entries, or a heartbeat, which has none.
func (e *ears) AppendEntries(id raft.ServerID, to raft.ServerAddress, q *raft.AppendEntriesRequest, a *raft.AppendEntriesResponse) error {
	err := e.Transport.AppendEntries(id, to, q, a)
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.heard[id] = a.LastLog
	return nil
}

// last returns the index of the last entry in the log of a peer, as it has said; 0 if it has said nothing.
func (e *ears) last(id raft.ServerID) uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.heard[id]
}

// RequestPreVote asks a peer whether it would vote for this member.
func (e *ears) RequestPreVote(id raft.ServerID, to raft.ServerAddress, q *raft.RequestPreVoteRequest, a *raft.RequestPreVoteResponse) error {
	return e.Transport.(raft.WithPreVote).RequestPreVote(id, to, q, a)
}

// Close closes the transport.
func (e *ears) Close() error {
	t, ok := e.Transport.(raft.WithClose)
	if !ok {
		return nil
	}
	return t.Close()
}
