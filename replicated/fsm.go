package replicated

import (
	"errors"
	"fmt"
	"io"
	"runtime"

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
	f.m.keepDesk()
	return out
}

// Restore takes a snapshot in the place of the state.
func (f driven) Restore(r io.ReadCloser) error {
	err := f.machine.Restore(r)
	f.m.keepDesk()
	if err == nil && f.machine.sealed() {
		f.m.saves.saved.Store(f.m.saves.seal.Load()) // this snapshot has it
	}
	return err
}

// watched is a log that tells the member of errors and of writes that hang, and takes nothing more once the member has parted
// with its disk.
type watched struct {
	raft.LogStore
	m *Member
}

// GetLog reads an entry. Raft panics if it cannot read one that is committed; so an error stops the member, and ends the
// goroutine that asks.
func (w watched) GetLog(index uint64, e *raft.Log) error {
	err := w.LogStore.GetLog(index, e)
	if err == nil || errors.Is(err, raft.ErrLogNotFound) {
		return err
	}
	w.m.part(fmt.Errorf("entry %d is not read: %w", index, err))
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
	if v.m.parted.Load() {
		return ErrClosed
	}
	return v.m.writes.run(func() error { return v.StableStore.Set(key, value) })
}

// SetUint64 stores a number. Raft panics if that is the term, and fails; so the error of a term stops the member. Without its
// vote and its log, which part with the disk, Raft does nothing in the term.
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
		v.m.part(fmt.Errorf("term %d is not written: %w", value, err))
		return nil
	}
	return err
}

// keyTerm is the key of the term in Raft's stable store.
const keyTerm = "CurrentTerm"
