package replicated

import (
	"errors"
	"io"
	"sync"

	"github.com/hashicorp/raft"
)

// ears is the transport of a member. It notes the answers of other members to heartbeats, and sends nothing while the
// member gives way.
//
// A linearizable read must know that the member led after the read began. The VerifyLeader of Raft is not enough: it
// counts any answer that comes after the read began. The heartbeat may have been sent long before, and the peer may
// have voted for another leader since:
//
//	leader      heartbeat 1 ─────┐         read begins        ┌── answer 1 comes: VerifyLeader says yes
//	peer                         └─ yes                        │
//	peer                              votes for another, whose calls are answered
//
// The ears know when each heartbeat was sent. So a read waits for the answer to a heartbeat that was sent after the
// read began.
type ears struct {
	raft.Transport
	door  door
	desk  func() uint64 // the desk ID for each message; nil is 0
	quiet func() bool   // reports whether to send nothing by which a member leads or comes to lead; nil is never
	mu    sync.Mutex
	count uint64 // heartbeats that were sent, and marks
	heard map[raft.ServerID]heard
	more  broadcast

	ending sync.Once
}

// heard is the last answer of a peer.
type heard struct {
	last uint64 // last index of its log
	term uint64 // the term in which the peer follows this member
	sent uint64 // count when the newest heartbeat with an answer was sent
}

func newEars(t raft.Transport) *ears {
	return &ears{Transport: t, door: door{over: make(chan struct{})}, heard: map[raft.ServerID]heard{}}
}

// next returns the next value of count: a mark, or the number of a heartbeat.
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

// AppendEntries sends entries, or a heartbeat, which has none, and notes the answer.
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
	// Raft sends heartbeats beside entries, so answers may come out of order: an older one must not replace a newer one.
	if a.Success && (h.term != a.Term || h.sent < sent) {
		h.term, h.sent = a.Term, sent
	}
	e.heard[id] = h
	e.mu.Unlock()
	e.more.tell()
	return nil
}

// last returns the last index of the log of a peer, as the peer said; 0 if the peer has said nothing.
func (e *ears) last(id raft.ServerID) uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.heard[id].last
}

// forget forgets the answers of a peer: its disk may have been replaced.
func (e *ears) forget(id raft.ServerID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.heard, id)
}

// follow reports whether a majority of the voters follows self in a term. It counts self, and the voters that have
// answered a heartbeat sent after mark.
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

// InstallSnapshot sends a snapshot, unless the member gives way.
func (e *ears) InstallSnapshot(id raft.ServerID, to raft.ServerAddress, q *raft.InstallSnapshotRequest, a *raft.InstallSnapshotResponse, data io.Reader) error {
	err := e.mayLead()
	if err != nil {
		return err
	}
	return e.Transport.InstallSnapshot(id, to, q, a, data)
}

// RequestVote asks a peer for its vote, unless the member gives way.
func (e *ears) RequestVote(id raft.ServerID, to raft.ServerAddress, q *raft.RequestVoteRequest, a *raft.RequestVoteResponse) error {
	err := e.mayLead()
	if err != nil {
		return err
	}
	return e.Transport.RequestVote(id, to, q, a)
}

// RequestPreVote asks a peer whether it would vote for this member, unless the member gives way. If the transport
// cannot ask, the error is the one that Raft knows from peers without pre-votes.
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
