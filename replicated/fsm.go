package replicated

import (
	"io"

	"github.com/hashicorp/raft"
)

// driven is the machine as Raft drives it: the member is told of all that happens.
type driven struct {
	*machine
	m *Member
}

var _ raft.BatchingFSM = driven{}

// Apply carries out one entry.
func (f driven) Apply(e *raft.Log) any { return f.ApplyBatch([]*raft.Log{e})[0] }

// ApplyBatch carries out entries.
func (f driven) ApplyBatch(list []*raft.Log) []any {
	out := f.machine.ApplyBatch(list)
	for i, e := range list {
		calls, ok := out[i].([]answer)
		switch {
		case e.Type == raft.LogConfiguration:
			notify(f.m.moved)
		case ok && !f.m.leads.Load():
			f.m.config.Metrics.Entry(len(calls), 0) // the leader tells it with the time
		}
	}
	if !f.machine.sealed() {
		f.m.saves.saved.Store(notSealed)
	}
	return out
}

// Restore takes a snapshot in the place of the state.
func (f driven) Restore(r io.ReadCloser) error {
	err := f.machine.Restore(r)
	if err == nil && f.machine.sealed() {
		f.m.saves.saved.Store(f.m.saves.seal.Load()) // this snapshot has it
	}
	return err
}

// watched is a log that tells the member of errors and of writes that hang, and takes nothing more once a test has dropped the member.
type watched struct {
	raft.LogStore
	m *Member
}

func (w watched) StoreLog(e *raft.Log) error { return w.StoreLogs([]*raft.Log{e}) }

func (w watched) StoreLogs(list []*raft.Log) error {
	if w.m.dropped.Load() {
		return ErrClosed
	}
	err := w.m.writes.run(func() error { return w.LogStore.StoreLogs(list) })
	if err != nil {
		notify(w.m.worried)
	}
	return err
}

// IsMonotonic reports whether the log has no holes, as raft.MonotonicLogStore says.
func (w watched) IsMonotonic() bool {
	l, ok := w.LogStore.(raft.MonotonicLogStore)
	return ok && l.IsMonotonic()
}

// votes is a store of the term and the vote, which is watched too.
type votes struct {
	raft.StableStore
	m *Member
}

func (v votes) Set(key, value []byte) error {
	if v.m.dropped.Load() {
		return ErrClosed
	}
	return v.m.writes.run(func() error { return v.StableStore.Set(key, value) })
}

func (v votes) SetUint64(key []byte, value uint64) error {
	switch {
	case !v.m.dropped.Load():
		return v.m.writes.run(func() error { return v.StableStore.SetUint64(key, value) })
	case string(key) == keyTerm:
		return nil // Raft would panic; without a vote it does nothing in the term
	}
	return ErrClosed
}

// keyTerm is the key of the term in Raft's stable store.
const keyTerm = "CurrentTerm"
