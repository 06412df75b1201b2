package replicated

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/hashicorp/raft"
)

// fullHandover hands leadership over while the disk of the leader is full, since the disk of another voter may have room.
// The leader asks the other voters in the order of the members, from the one behind the voter that it asked last. So
// members whose disks are all full pass the lead round once, and the last one keeps it for a while:
//
//	a is full ─► b is full ─► c is full ─► a waits, and its callers hear ErrFull
//
// A member waits longer after each time that it has handed over, or has failed to, until its disk has room again.
type fullHandover struct {
	mu       sync.Mutex
	next     backoff
	underway bool // the other voters are being asked

	// lastAsked is the voter that was asked last. Only watchDisk uses it.
	lastAsked raft.ServerID
}

func newFullHandover() fullHandover {
	return fullHandover{next: backoff{least: 5 * time.Second, most: time.Minute}}
}

// mayStillHandOver reports whether leadership is being handed over, or will be at the next look.
func (r *fullHandover) mayStillHandOver() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.underway || r.next.isDue(time.Now())
}

// reset starts anew, once the disk has room: the next voter to be asked is the neighbour of this member.
func (r *fullHandover) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.next.succeed()
	r.lastAsked = ""
}

// begin reports whether leadership should be handed over now. If so, end must follow.
func (r *fullHandover) begin() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.underway = r.next.isDue(time.Now())
	return r.underway
}

// end notes that the voters were asked. The next attempt waits.
func (r *fullHandover) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.underway = false
	r.next.fail(time.Now())
}

// handOver asks the other voters to lead, one after the other, until this member leads no more.
func (m *Member) handOver(ctx context.Context) {
	if !m.isLeader() || m.voters() == 1 || !m.handover.begin() {
		return
	}
	defer m.handover.end()
	for _, s := range m.votersBehind(m.handover.lastAsked) {
		err := m.await(ctx, func() error { return m.raft.LeadershipTransferToServer(s.ID, s.Address).Error() })
		if errors.Is(err, raft.ErrLeadershipTransferInProgress) {
			return // the transfer before has not failed yet: the next attempt begins with this voter
		}
		m.handover.lastAsked = s.ID
		m.config.Log.Warn("the disk is full, and leadership is handed over", "to", s.ID, "err", err)
		if !m.isLeader() || ctx.Err() != nil {
			return
		}
	}
}

// votersBehind returns the other voters in the order of the members. It begins behind last, or behind this member if
// last is empty.
func (m *Member) votersBehind(last raft.ServerID) []raft.Server {
	var before, behind []raft.Server
	if last == "" {
		last = raft.ServerID(m.config.ID)
	}
	found := false
	for _, s := range m.servers() {
		isOther := s.Suffrage == raft.Voter && string(s.ID) != m.config.ID
		switch {
		case isOther && found:
			behind = append(behind, s)
		case isOther:
			before = append(before, s)
		}
		found = found || s.ID == last
	}
	return append(behind, before...)
}

// fullError returns the error for a call to a leader whose disk is full: ErrFull, or a NotLeaderError while another
// member leads or is about to lead.
func (m *Member) fullError() error {
	if m.voters() > 1 && (m.handover.mayStillHandOver() || !m.isLeader()) { // mayStillHandOver first: between the two looks the lead may be handed over
		return &NotLeaderError{}
	}
	return ErrFull
}
