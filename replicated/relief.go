package replicated

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/hashicorp/raft"
)

// relief hands leadership over while the disk of the leader is full, since the disk of another voter may have room. The
// other voters are asked in the order of the members, beginning behind the one that was asked last. So full members hand
// leadership round once, and the last one keeps it for a while:
//
//	a is full ─► b is full ─► c is full ─► a waits, and its callers hear ErrFull
//
// Each waits longer after each time that it handed over or could not, until its disk has room again.
type relief struct {
	mu    sync.Mutex
	next  backoff
	under bool // somebody is asked

	// asked is the voter that was asked last. It belongs to guard.
	asked raft.ServerID
}

func newRelief() relief { return relief{next: backoff{least: 5 * time.Second, most: time.Minute}} }

// isNear reports whether leadership is handed over, or will be in a moment.
func (r *relief) isNear() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.under || r.next.isDue(time.Now())
}

// forget begins anew, as the disk has room: full members ask their neighbours first, which makes them a ring.
func (r *relief) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.next.succeed()
	r.asked = ""
}

// begin reports whether leadership is to be handed over now.
func (r *relief) begin() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.under = r.next.isDue(time.Now())
	return r.under
}

// end begins the waiting.
func (r *relief) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.under = false
	r.next.fail(time.Now())
}

// relieve asks the other voters to lead, one after the other, until one does.
func (m *Member) relieve(ctx context.Context) {
	if !m.isLeader() || m.voters() == 1 || !m.relief.begin() {
		return
	}
	defer m.relief.end()
	for _, s := range m.othersBehind(m.relief.asked) {
		err := m.await(ctx, func() error { return m.raft.LeadershipTransferToServer(s.ID, s.Address).Error() })
		if errors.Is(err, raft.ErrLeadershipTransferInProgress) {
			return // the one before has not said yet that it cannot: this one is the first next time
		}
		m.relief.asked = s.ID
		m.config.Log.Warn("the disk is full, and leadership is handed over", "to", s.ID, "err", err)
		if !m.isLeader() || ctx.Err() != nil {
			return
		}
	}
}

// othersBehind returns the other voters in the order of the members, beginning behind one of them, or behind this member.
func (m *Member) othersBehind(last raft.ServerID) []raft.Server {
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

// fullness returns why a leader whose disk is full takes no call: ErrFull, unless another member is about to lead, or does.
func (m *Member) fullness() error {
	if m.voters() > 1 && (m.relief.isNear() || !m.isLeader()) { // in this order: it hands over in between
		return &NotLeaderError{}
	}
	return ErrFull
}
