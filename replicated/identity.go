package replicated

import (
	"errors"
	"fmt"
	"sync"

	"github.com/hashicorp/raft"

	"github.com/bookahead/bookahead/replicated/internal/peerlink"
)

// ownDesk is the ID of the desk on the disk. The machine learns the ID from the first entry or from a snapshot. A
// member without an ID learns it from the first leader that sends it entries, or from a candidate that is a member by
// its log. It keeps the ID on the disk from then on, so that no second desk can add the member, too.
type ownDesk struct {
	mu     sync.Mutex
	stable raft.StableStore
	stored uint64 // the ID on the disk; 0 if there is none
}

// keyDesk is the key of the ID in the stable store.
const keyDesk = "Desk"

// readDeskID reads the ID from the disk.
func (m *Member) readDeskID(stable raft.StableStore) error {
	id, err := stable.GetUint64([]byte(keyDesk))
	if err != nil && err.Error() != "not found" {
		return err
	}
	m.desk.stable, m.desk.stored = stable, id
	m.machine.id.Store(id)
	return nil
}

// deskID returns the ID as text; "" if there is none.
func (m *Member) deskID() string {
	id := m.machine.id.Load()
	if id == 0 {
		return ""
	}
	return deskText(id)
}

// storeDeskID writes the ID to the disk if it is new. An error does no harm, since the log has the ID, too.
func (m *Member) storeDeskID() {
	err := m.desk.store(m.machine.id.Load())
	if err != nil {
		m.config.Log.Warn("the ID of the desk is not kept yet", "err", err)
	}
}

func (d *ownDesk) store(id uint64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if id == d.stored {
		return nil
	}
	err := d.stable.SetUint64([]byte(keyDesk), id)
	if err == nil {
		d.stored = id
	}
	return err
}

// checkDesk returns an error if a message of Raft comes from another desk. Once a member knows its desk, it refuses
// messages that name no desk as well.
func (m *Member) checkDesk(rpc raft.RPC) error {
	from, theirs, ok := peerlink.Sender(rpc)
	if !ok {
		return nil
	}
	ours := m.machine.id.Load()
	if theirs == ours {
		return nil
	}
	if ours == 0 {
		if !m.learnsFrom(rpc) {
			return fmt.Errorf("replicated: the member has no desk yet, and does not take the desk %s from %q", deskText(theirs), from)
		}
		err := m.desk.store(theirs)
		if err != nil {
			return err
		}
		m.machine.id.CompareAndSwap(0, theirs)
		ours = m.machine.id.Load()
		if theirs == ours {
			return nil
		}
	}
	return fmt.Errorf("replicated: the member keeps the desk %s, and the message is of the desk %s", deskText(ours), deskText(theirs))
}

// learnsFrom reports whether a member without a desk ID may learn it from a message. A leader that sends entries or a
// snapshot has added this member. A candidate must be a known member: anybody who once had the address of this member
// may ask for its vote.
func (m *Member) learnsFrom(rpc raft.RPC) bool {
	switch q := rpc.Command.(type) {
	case *raft.AppendEntriesRequest, *raft.InstallSnapshotRequest:
		return true
	case *raft.RequestVoteRequest:
		_, known := m.find(string(q.ID))
		return known
	case *raft.RequestPreVoteRequest:
		_, known := m.find(string(q.ID))
		return known
	}
	return false
}

// Reasons to refuse messages of Raft.
var (
	errBootstrapping = errors.New("replicated: the member has no state, and waits for the other first members")
	errEmpty         = errors.New("replicated: the member has no state, and so no vote")
	errNotUp         = errors.New("replicated: the member is not up yet")
)

// checkMessage returns why a message of Raft is refused; nil if it is taken.
func (m *Member) checkMessage(rpc raft.RPC) error {
	switch {
	case !m.up.Load():
		return errNotUp
	case m.bootstrap.waits.Load():
		return errBootstrapping
	}
	switch rpc.Command.(type) {
	case *raft.RequestVoteRequest, *raft.RequestPreVoteRequest:
		if m.raft.LastIndex() == 0 {
			return errEmpty // comes before checkDesk: the member must not learn a desk from a candidate that it gives no vote
		}
	}
	return m.checkDesk(rpc)
}
