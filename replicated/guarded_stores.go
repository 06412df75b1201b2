package replicated

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/hashicorp/raft"
)

// guardedLog is the log of a member. It tells the member of errors, and of writes that hang. Once the disk of the member
// has failed (diskFailed), it refuses all writes.
type guardedLog struct {
	raft.LogStore
	m *Member
}

// GetLog reads an entry. Raft panics if it cannot read a committed entry. So an error stops the member, and ends the
// goroutine that reads before Raft sees the error.
func (w guardedLog) GetLog(index uint64, e *raft.Log) error {
	err := w.LogStore.GetLog(index, e)
	if err == nil || errors.Is(err, raft.ErrLogNotFound) {
		return err
	}
	w.m.failDisk(fmt.Errorf("entry %d could not be read: %w", index, err))
	runtime.Goexit()
	return err
}

func (w guardedLog) StoreLog(e *raft.Log) error { return w.StoreLogs([]*raft.Log{e}) }

func (w guardedLog) StoreLogs(list []*raft.Log) error {
	if w.m.diskFailed.Load() {
		return ErrClosed
	}
	err := w.m.watchdog.run(func() error { return w.LogStore.StoreLogs(list) })
	if err != nil {
		notify(w.m.wakeDiskWatch)
	}
	return err
}

func (w guardedLog) DeleteRange(from, to uint64) error {
	if w.m.diskFailed.Load() {
		return ErrClosed
	}
	return w.LogStore.DeleteRange(from, to)
}

// IsMonotonic reports whether the log has no holes, for Raft.
func (w guardedLog) IsMonotonic() bool {
	l, ok := w.LogStore.(raft.MonotonicLogStore)
	return ok && l.IsMonotonic()
}

// guardedVotes is the store of the term and the vote, guardedLog like the log.
type guardedVotes struct {
	raft.StableStore
	m *Member
}

func (v guardedVotes) Set(key, value []byte) error {
	if v.m.diskFailed.Load() {
		return ErrClosed
	}
	return v.m.watchdog.run(func() error { return v.StableStore.Set(key, value) })
}

// SetUint64 stores a number. Raft panics if it cannot store a term. So an error of a term stops the member, and Raft
// gets no error: without the vote and the log, which refuse all writes then, Raft does nothing in that term.
func (v guardedVotes) SetUint64(key []byte, value uint64) error {
	parted := v.m.diskFailed.Load()
	if parted && string(key) != keyTerm {
		return ErrClosed
	}
	if parted {
		return nil
	}
	err := v.m.watchdog.run(func() error { return v.StableStore.SetUint64(key, value) })
	if err != nil && string(key) == keyTerm {
		v.m.failDisk(fmt.Errorf("term %d could not be written: %w", value, err))
		return nil
	}
	return err
}

// keyTerm is the key of the term in the stable store of Raft.
const keyTerm = "CurrentTerm"
