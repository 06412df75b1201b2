package replicated

import (
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/hashicorp/raft"
)

// driven is the machine as Raft calls it. It tells the member of entries and snapshots.
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
			f.m.config.Metrics.Entry(len(calls), 0) // a leader counts the entry where it knows the time, in answer
		}
	}
	if !f.machine.sealed() {
		f.m.saves.saved.Store(notSealed)
	}
	f.m.keepDesk()
	return out
}

// Restore replaces the state by a snapshot.
func (f driven) Restore(r io.ReadCloser) error {
	err := f.machine.Restore(r)
	f.m.keepDesk()
	if err == nil && f.machine.sealed() {
		f.m.saves.saved.Store(f.m.saves.seal.Load()) // the restored snapshot has the sealed state
	}
	return err
}

// watched is the log of a member. It tells the member of errors, and of writes that hang. Once the disk of the member
// has failed (parted), it refuses all writes.
type watched struct {
	raft.LogStore
	m *Member
}

// GetLog reads an entry. Raft panics if it cannot read a committed entry. So an error stops the member, and ends the
// goroutine that reads before Raft sees the error.
func (w watched) GetLog(index uint64, e *raft.Log) error {
	err := w.LogStore.GetLog(index, e)
	if err == nil || errors.Is(err, raft.ErrLogNotFound) {
		return err
	}
	w.m.part(fmt.Errorf("entry %d could not be read: %w", index, err))
	runtime.Goexit()
	return err
}

func (w watched) StoreLog(e *raft.Log) error { return w.StoreLogs([]*raft.Log{e}) }

func (w watched) StoreLogs(list []*raft.Log) error {
	if w.m.parted.Load() {
		return ErrClosed
	}
	err := w.m.writes.run(func() error { return w.LogStore.StoreLogs(list) })
	if err != nil {
		notify(w.m.worried)
	}
	return err
}

func (w watched) DeleteRange(from, to uint64) error {
	if w.m.parted.Load() {
		return ErrClosed
	}
	return w.LogStore.DeleteRange(from, to)
}

// IsMonotonic reports whether the log has no holes, for Raft.
func (w watched) IsMonotonic() bool {
	l, ok := w.LogStore.(raft.MonotonicLogStore)
	return ok && l.IsMonotonic()
}

// votes is the store of the term and the vote, watched like the log.
type votes struct {
	raft.StableStore
	m *Member
}

func (v votes) Set(key, value []byte) error {
	if v.m.parted.Load() {
		return ErrClosed
	}
	return v.m.writes.run(func() error { return v.StableStore.Set(key, value) })
}

// SetUint64 stores a number. Raft panics if it cannot store a term. So an error of a term stops the member, and Raft
// gets no error: without the vote and the log, which refuse all writes then, Raft does nothing in that term.
func (v votes) SetUint64(key []byte, value uint64) error {
	parted := v.m.parted.Load()
	if parted && string(key) != keyTerm {
		return ErrClosed
	}
	if parted {
		return nil
	}
	err := v.m.writes.run(func() error { return v.StableStore.SetUint64(key, value) })
	if err != nil && string(key) == keyTerm {
		v.m.part(fmt.Errorf("term %d could not be written: %w", value, err))
		return nil
	}
	return err
}

// keyTerm is the key of the term in the stable store of Raft.
const keyTerm = "CurrentTerm"
