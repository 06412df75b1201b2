package replicated

import (
	"errors"
	"io"
	"sync"

	"github.com/hashicorp/raft"
)

// Lease is the transport of a member. It notes the answers of other members to heartbeats, and sends nothing while the
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
// The Lease knows when each heartbeat was sent. So a read waits for the answer to a heartbeat that was sent after the
// read began.
type Lease struct {
	raft.Transport
	inbound inboundFilter
	group   func() uint64 // the desk ID for each message; nil is 0
	quiet   func() bool   // reports whether to send nothing by which a member leads or comes to lead; nil is never
	mu      sync.Mutex
	count   uint64 // heartbeats that were sent, and marks
	answers map[raft.ServerID]lastAnswer
	more    broadcast

	ending sync.Once
}

// lastAnswer is the last answer of a peer.
type lastAnswer struct {
	last uint64 // last index of its log
	term uint64 // the term in which the peer follows this member
	sent uint64 // count when the newest heartbeat with an answer was sent
}

func NewLease(t raft.Transport) *Lease {
	return &Lease{Transport: t, inbound: inboundFilter{over: make(chan struct{})}, answers: map[raft.ServerID]lastAnswer{}}
}

// Mark returns the next value of count: a mark, or the number of a heartbeat.
func (e *Lease) Mark() uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.count++
	return e.count
}

// mayLead returns an error while the member gives way.
func (e *Lease) mayLead() error {
	if e.quiet != nil && e.quiet() {
		return errDiskHangs
	}
	return nil
}

// AppendEntries sends entries, or a heartbeat, which has none, and notes the answer.
func (e *Lease) AppendEntries(id raft.ServerID, to raft.ServerAddress, q *raft.AppendEntriesRequest, a *raft.AppendEntriesResponse) error {
	err := e.mayLead()
	if err != nil {
		return err
	}
	sent := e.Mark()
	err = e.Transport.AppendEntries(id, to, e.regrouped(q), a)
	if err != nil || a.Term != q.Term {
		return err
	}
	e.mu.Lock()
	h := e.answers[id]
	h.last = a.LastLog
	// Raft sends heartbeats beside entries, so answers may come out of order: an older one must not replace a newer one.
	if a.Success && (h.term != a.Term || h.sent < sent) {
		h.term, h.sent = a.Term, sent
	}
	e.answers[id] = h
	e.mu.Unlock()
	e.more.tell()
	return nil
}

// Last returns the last index of the log of a peer, as the peer said; 0 if the peer has said nothing.
func (e *Lease) Last(id raft.ServerID) uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.answers[id].last
}

// Forget forgets the answers of a peer: its disk may have been replaced.
func (e *Lease) Forget(id raft.ServerID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.answers, id)
}

// Follow reports whether a majority of the voters follows self in a term. It counts self, and the voters that have
// answered a heartbeat sent after mark.
func (e *Lease) Follow(self raft.ServerID, members []raft.Server, term, mark uint64) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	voters, yes := 0, 0
	for _, s := range members {
		if s.Suffrage != raft.Voter {
			continue
		}
		voters++
		h := e.answers[s.ID]
		if s.ID == self || h.term == term && h.sent > mark {
			yes++
		}
	}
	return yes > voters/2
}

// InstallSnapshot sends a snapshot, unless the member gives way.
func (e *Lease) InstallSnapshot(id raft.ServerID, to raft.ServerAddress, q *raft.InstallSnapshotRequest, a *raft.InstallSnapshotResponse, data io.Reader) error {
	err := e.mayLead()
	if err != nil {
		return err
	}
	return e.Transport.InstallSnapshot(id, to, q, a, data)
}

// RequestVote asks a peer for its vote, unless the member gives way.
func (e *Lease) RequestVote(id raft.ServerID, to raft.ServerAddress, q *raft.RequestVoteRequest, a *raft.RequestVoteResponse) error {
	err := e.mayLead()
	if err != nil {
		return err
	}
	return e.Transport.RequestVote(id, to, q, a)
}

// RequestPreVote asks a peer whether it would vote for this member, unless the member gives way. If the transport
// cannot ask, the error is the one that Raft knows from peers without pre-votes.
func (e *Lease) RequestPreVote(id raft.ServerID, to raft.ServerAddress, q *raft.RequestPreVoteRequest, a *raft.RequestPreVoteResponse) error {
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
func (e *Lease) Close() error {
	e.ending.Do(func() { close(e.inbound.over) })
	t, ok := e.Transport.(raft.WithClose)
	if !ok {
		return nil
	}
	return t.Close()
}
