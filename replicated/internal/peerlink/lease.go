package peerlink

import (
	"errors"
	"io"
	"sync"

	"github.com/hashicorp/raft"
)

// Lease is the transport of a member. It notes the answers of other members to heartbeats, and sends nothing while the
// member is quiet.
//
// A linearizable read must know that the member led after the read began. The VerifyLeader of Raft is not enough: it
// counts any answer that comes after the read began. The heartbeat may have been sent long before, and the peer may
// have voted for another leader since:
//
//	leader      heartbeat 1 ─────┐         read begins        ┌── answer 1 comes: VerifyLeader says yes
//	peer                         └─ yes                        │
//	peer                              votes for another, whose calls are answered
//
// The Lease knows when each heartbeat was sent. So a read takes a Mark, and waits until a majority has answered a
// heartbeat that was sent after the Mark.
type Lease struct {
	raft.Transport
	group   func() uint64
	quiet   func() error
	inbound inboundFilter

	mu      sync.Mutex
	count   uint64 // heartbeats that were sent, and marks
	answers map[raft.ServerID]lastAnswer
	more    chan struct{} // closed by the next answer; nil if nobody waits

	ending sync.Once
}

// lastAnswer is the last answer of a peer.
type lastAnswer struct {
	last uint64 // last index of its log
	term uint64 // the term in which the peer follows this member
	sent uint64 // count when the newest heartbeat with an answer was sent
}

// NewLease returns a transport over t. group returns the number of the member's group, which each message names.
// While quiet returns an error, the member sends nothing by which it leads or comes to lead, and Raft gets that error.
// admit returns why a message of another member is refused, or nil if Raft gets the message.
func NewLease(t raft.Transport, group func() uint64, quiet func() error, admit func(raft.RPC) error) *Lease {
	return &Lease{
		Transport: t, group: group, quiet: quiet, inbound: inboundFilter{admit: admit, over: make(chan struct{})},
		answers: map[raft.ServerID]lastAnswer{},
	}
}

// Mark returns a number between those of the heartbeats sent so far and those of the next ones.
func (l *Lease) Mark() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count++
	return l.count
}

// More returns a channel that the next answer closes. Call it before Follow: an answer may come between the two.
func (l *Lease) More() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.more == nil {
		l.more = make(chan struct{})
	}
	return l.more
}

// AppendEntries sends entries, or a heartbeat, which has none, and notes the answer.
func (l *Lease) AppendEntries(id raft.ServerID, to raft.ServerAddress, q *raft.AppendEntriesRequest, a *raft.AppendEntriesResponse) error {
	err := l.quiet()
	if err != nil {
		return err
	}
	sent := l.Mark()
	err = l.Transport.AppendEntries(id, to, l.regrouped(q), a)
	if err != nil || a.Term != q.Term {
		return err
	}
	l.mu.Lock()
	h := l.answers[id]
	h.last = a.LastLog
	// Raft sends heartbeats beside entries, so answers may come out of order: an older one must not replace a newer one.
	if a.Success && (h.term != a.Term || h.sent < sent) {
		h.term, h.sent = a.Term, sent
	}
	l.answers[id] = h
	if l.more != nil {
		close(l.more)
		l.more = nil
	}
	l.mu.Unlock()
	return nil
}

// Last returns the last index of the log of a peer, as the peer said; 0 if the peer has said nothing.
func (l *Lease) Last(id raft.ServerID) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.answers[id].last
}

// Forget forgets the answers of a peer: its disk may have been replaced.
func (l *Lease) Forget(id raft.ServerID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.answers, id)
}

// Follow reports whether a majority of the voters follows self in a term. It counts self, and the voters that have
// answered a heartbeat sent after mark.
func (l *Lease) Follow(self raft.ServerID, members []raft.Server, term, mark uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	voters, yes := 0, 0
	for _, s := range members {
		if s.Suffrage != raft.Voter {
			continue
		}
		voters++
		h := l.answers[s.ID]
		if s.ID == self || h.term == term && h.sent > mark {
			yes++
		}
	}
	return yes > voters/2
}

// InstallSnapshot sends a snapshot, unless the member is quiet.
func (l *Lease) InstallSnapshot(id raft.ServerID, to raft.ServerAddress, q *raft.InstallSnapshotRequest, a *raft.InstallSnapshotResponse, data io.Reader) error {
	err := l.quiet()
	if err != nil {
		return err
	}
	return l.Transport.InstallSnapshot(id, to, q, a, data)
}

// RequestVote asks a peer for its vote, unless the member is quiet.
func (l *Lease) RequestVote(id raft.ServerID, to raft.ServerAddress, q *raft.RequestVoteRequest, a *raft.RequestVoteResponse) error {
	err := l.quiet()
	if err != nil {
		return err
	}
	return l.Transport.RequestVote(id, to, q, a)
}

// RequestPreVote asks a peer whether it would vote for this member, unless the member is quiet. If the transport
// cannot ask, the error is the one that Raft knows from peers without pre-votes.
func (l *Lease) RequestPreVote(id raft.ServerID, to raft.ServerAddress, q *raft.RequestPreVoteRequest, a *raft.RequestPreVoteResponse) error {
	t, ok := l.Transport.(raft.WithPreVote)
	if !ok {
		return errors.New("unexpected command")
	}
	err := l.quiet()
	if err != nil {
		return err
	}
	return t.RequestPreVote(id, to, q, a)
}

// Close closes the transport.
func (l *Lease) Close() error {
	l.ending.Do(func() { close(l.inbound.over) })
	t, ok := l.Transport.(raft.WithClose)
	if !ok {
		return nil
	}
	return t.Close()
}
