package replicated

import (
	"io"
	"time"

	"github.com/hashicorp/raft"
)

// follower is the machine as Raft drives it: it tells the member about all that the machine does.
type follower struct {
	*machine
	m *Member
}

var _ raft.BatchingFSM = follower{}

// Apply carries out one entry.
func (f follower) Apply(e *raft.Log) any { return f.ApplyBatch([]*raft.Log{e})[0] }

// ApplyBatch carries out entries, and wakes those who wait for them.
func (f follower) ApplyBatch(list []*raft.Log) []any {
	m := f.m
	leads := m.raft != nil && m.raft.State() == raft.Leader
	out := f.machine.ApplyBatch(list)
	bytes := int64(0)
	for i, e := range list {
		bytes += int64(len(e.Data)) + entryHead
		calls, ok := out[i].([]answer)
		if ok && !leads {
			m.config.Metrics.Entry(len(calls), 0) // the leader tells it with the time
		}
		if e.Type == raft.LogConfiguration {
			m.readyAlone.Store(m.readyAlone.Load() && m.only())
			m.change.tell()
		}
	}
	m.saves.total.Add(bytes)
	if m.saves.grown.Add(bytes) >= m.config.SnapshotEvery || m.machine.sealed() && !m.saves.sealed.Load() {
		notify(m.saves.wake)
	}
	m.applied.tell()
	return out
}

// entryHead is about how many bytes the log needs for an entry beside its data.
const entryHead = 64

// Snapshot returns the state as it is now, to be written beside further entries.
func (f follower) Snapshot() (raft.FSMSnapshot, error) {
	begun := time.Now()
	sealed := f.machine.sealed()
	s, err := f.machine.Snapshot()
	if err != nil {
		return nil, err
	}
	f.m.saves.grown.Store(0)
	return &saving{FSMSnapshot: s, m: f.m, sealed: sealed, begun: begun, stopped: time.Since(begun)}, nil
}

// Restore takes a snapshot in the place of the state.
func (f follower) Restore(r io.ReadCloser) error {
	err := f.machine.Restore(r)
	if err != nil {
		return err
	}
	f.m.saves.grown.Store(0)
	f.m.saves.sealed.Store(f.machine.sealed())
	f.m.applied.tell()
	return nil
}

// saving is a snapshot that is written, and tells how it went.
type saving struct {
	raft.FSMSnapshot
	m       *Member
	sealed  bool
	begun   time.Time
	stopped time.Duration
}

// Persist writes the snapshot.
func (s *saving) Persist(to raft.SnapshotSink) error {
	counted := &counting{SnapshotSink: to}
	err := s.FSMSnapshot.Persist(counted)
	if err == nil {
		s.m.saves.sealed.Store(s.sealed)
		s.m.config.Metrics.Snapshot(counted.bytes, time.Since(s.begun), s.stopped)
	}
	return err
}

// counting counts the bytes of a snapshot.
type counting struct {
	raft.SnapshotSink
	bytes int64
}

func (c *counting) Write(p []byte) (int, error) {
	n, err := c.SnapshotSink.Write(p)
	c.bytes += int64(n)
	return n, err
}
