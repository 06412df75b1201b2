package replicated

import (
	"io"

	"github.com/hashicorp/raft"
)

// fsm is the machine as Raft calls it. It tells the member of entries and snapshots.
type fsm struct {
	*machine
	m *Member
}

var _ raft.BatchingFSM = fsm{}

// Apply carries out one entry.
func (f fsm) Apply(e *raft.Log) any { return f.ApplyBatch([]*raft.Log{e})[0] }

// ApplyBatch carries out entries.
func (f fsm) ApplyBatch(list []*raft.Log) []any {
	out := f.machine.ApplyBatch(list)
	for _, e := range list {
		if e.Type == raft.LogConfiguration {
			notify(f.m.membersChanged)
		}
	}
	f.m.storeDeskID()
	return out
}

// Restore replaces the state by a snapshot.
func (f fsm) Restore(r io.ReadCloser) error {
	err := f.machine.Restore(r)
	f.m.storeDeskID()
	if err == nil {
		f.m.snapshotter.saved.Store(f.machine.sealedAt.Load())
	}
	return err
}
