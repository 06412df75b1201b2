package replicated

import (
	"errors"
	"io"
	"sync"

	"github.com/hashicorp/raft"
)

// ears is the transport of a member, which notes the answers of others to heartbeats, and is silent while the member gives
// way.
//
// Raft's own VerifyLeader is not enough for a linearizable read: it counts an answer that comes after the read began,
// also if the heartbeat was sent long before, and the peer has made another the leader since. The ears know when a
// heartbeat was sent:
//
//	leader      heartbeat 1 ─────┐         read begins        ┌── answer 1 comes: VerifyLeader says yes
//	peer                         └─ yes                        │
//	peer                              votes for another, whose calls are answered
//
// So the read waits for the answer to a heartbeat that was sent after it began.
type ears struct {
	raft.Transport
	door  door
	desk  func() uint64 // the ID that each message names; nil is 0
	quiet func() bool   // nothing is sent by which a member leads, or comes to lead, while it returns true; nil is never
	mu    sync.Mutex
	count uint64 // of heartbeats that were sent, and of marks
	heard map[raft.ServerID]heard
	more  broadcast

	ending sync.Once
}

// heard is the last answer of a peer.
type heard struct {
	last uint64 // index of the last entry in its log
	term uint64 // in which it follows this member
	sent uint64 // count when the heartbeat was sent
}

func newEars(t raft.Transport) *ears {
	return &ears{Transport: t, door: door{over: make(chan struct{})}, heard: map[raft.ServerID]heard{}}
}

// next counts.
func (e *ears) next() uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.count++
	return e.count
}

// mayLead returns an error while the member gives way.
func (e *ears) mayLead() error {
	if e.quiet != nil && e.quiet() {
		return errGivesWay
	}
	return nil
}

// AppendEntries sends entries, or a heartbeat, which has none.
func (e *ears) AppendEntries(id raft.ServerID, to raft.ServerAddress, q *raft.AppendEntriesRequest, a *raft.AppendEntriesResponse) error {
	err := e.mayLead()
	if err != nil {
		return err
	}
	sent := e.next()
	err = e.Transport.AppendEntries(id, to, e.named(q), a)
	if err != nil || a.Term != q.Term {
		return err
	}
	e.mu.Lock()
	h := e.heard[id]
	h.last = a.LastLog
	if a.Success && (h.term != a.Term || h.sent < sent) {
		h.term, h.sent = a.Term, sent
	}
	e.heard[id] = h
	e.mu.Unlock()
	e.more.tell()
	return nil
}

// last returns the index of the last entry in the log of a peer, as the peer has said; 0 if it has said nothing.
func (e *ears) last(id raft.ServerID) uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.heard[id].last
}

// forget forgets the answers of a peer, whose disk may be another one since.
func (e *ears) forget(id raft.ServerID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.heard, id)
}

// follow reports whether a majority of the members follows one of them in a term, by their answers to
// requests that were sent after a mark.
func (e *ears) follow(self raft.ServerID, members []raft.Server, term, mark uint64) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	voters, yes := 0, 0
	for _, s := range members {
		if s.Suffrage != raft.Voter {
			continue
		}
		voters++
		h := e.heard[s.ID]
		if s.ID == self || h.term == term && h.sent > mark {
			yes++
		}
	}
	return yes > voters/2
}

// InstallSnapshot sends a snapshot.
func (e *ears) InstallSnapshot(id raft.ServerID, to raft.ServerAddress, q *raft.InstallSnapshotRequest, a *raft.InstallSnapshotResponse, data io.Reader) error {
	err := e.mayLead()
	if err != nil {
		return err
	}
	return e.Transport.InstallSnapshot(id, to, q, a, data)
}

// RequestVote asks a peer for its vote.
func (e *ears) RequestVote(id raft.ServerID, to raft.ServerAddress, q *raft.RequestVoteRequest, a *raft.RequestVoteResponse) error {
	err := e.mayLead()
	if err != nil {
		return err
	}
	return e.Transport.RequestVote(id, to, q, a)
}

// RequestPreVote asks a peer whether it would vote for this member. A transport that cannot ask is treated by Raft as a
// peer that does not understand.
func (e *ears) RequestPreVote(id raft.ServerID, to raft.ServerAddress, q *raft.RequestPreVoteRequest, a *raft.RequestPreVoteResponse) error {
	t, ok := e.Transport.(raft.WithPreVote)
	if !ok {
		return errors.New("unexpected command")
	}
	err := e.mayLead()
	if err != nil {
		return err
	}
	return t.RequestPreVote(id, to, q, a)
}

// Close closes the transport.
func (e *ears) Close() error {
	e.ending.Do(func() { close(e.door.over) })
	t, ok := e.Transport.(raft.WithClose)
	if !ok {
		return nil
	}
	return t.Close()
}
