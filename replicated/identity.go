package replicated

import (
	"fmt"
	"sync"

	"github.com/hashicorp/raft"
)

// ownDesk is the ID of the desk on the disk. The machine learns the ID from the first entry or from a snapshot. A
// member without an ID learns it from the first leader that sends it entries, or from a candidate that is a member by
// its log. It keeps the ID on the disk from then on, so that no second desk can add the member, too.
type ownDesk struct {
	mu     sync.Mutex
	stable raft.StableStore
	kept   uint64 // the ID on the disk; 0 if there is none
}

// keyDesk is the key of the ID in the stable store.
const keyDesk = "Desk"

// recall reads the ID from the disk.
func (m *Member) recall(stable raft.StableStore) error {
	id, err := stable.GetUint64([]byte(keyDesk))
	if err != nil && err.Error() != "not found" {
		return err
	}
	m.desk.stable, m.desk.kept = stable, id
	m.machine.id.Store(id)
	m.ears.desk = m.machine.id.Load
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

// keepDesk writes the ID to the disk if it is new. An error does no harm, since the log has the ID, too.
func (m *Member) keepDesk() {
	err := m.desk.keep(m.machine.id.Load())
	if err != nil {
		m.config.Log.Warn("the ID of the desk is not kept yet", "err", err)
	}
}

func (d *ownDesk) keep(id uint64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if id == d.kept {
		return nil
	}
	err := d.stable.SetUint64([]byte(keyDesk), id)
	if err == nil {
		d.kept = id
	}
	return err
}

// sameDesk returns an error if a message of Raft comes from another desk. Once a member knows its desk, it refuses
// messages that name no desk as well.
func (m *Member) sameDesk(rpc raft.RPC) error {
	from, ok := rpc.Command.(raft.WithRPCHeader)
	if !ok {
		return nil
	}
	_, theirs := splitPeer(from.GetRPCHeader().Addr)
	ours := m.machine.id.Load()
	if theirs == ours {
		return nil
	}
	if ours == 0 {
		if !m.learnsFrom(rpc) {
			return fmt.Errorf("replicated: the member has no desk yet, and does not take the desk %s from %q", deskText(theirs), from.GetRPCHeader().ID)
		}
		err := m.desk.keep(theirs)
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
