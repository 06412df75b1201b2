package replicated

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/hashicorp/raft"
)

// storeGuard has the acts of a member on writes and errors of its disk. Once the disk has failed, all writes are
// refused.
type storeGuard struct {
	failed func() bool              // reports whether the disk has failed
	fail   func(error)              // ends the member, because the disk has failed
	write  func(func() error) error // runs a write, which may hang
	erred  func()                   // hears that the log has refused a write
}

// guardedLog is the log of a member as Raft calls it.
type guardedLog struct {
	raft.LogStore
	*storeGuard
}

// GetLog reads an entry. Raft panics if it cannot read a committed entry. So an error stops the member, and ends the
// goroutine that reads before Raft sees the error.
func (w guardedLog) GetLog(index uint64, e *raft.Log) error {
	err := w.LogStore.GetLog(index, e)
	if err == nil || errors.Is(err, raft.ErrLogNotFound) {
		return err
	}
	w.fail(fmt.Errorf("entry %d could not be read: %w", index, err))
	runtime.Goexit()
	return err
}

func (w guardedLog) StoreLog(e *raft.Log) error { return w.StoreLogs([]*raft.Log{e}) }

func (w guardedLog) StoreLogs(list []*raft.Log) error {
	if w.failed() {
		return ErrClosed
	}
	err := w.write(func() error { return w.LogStore.StoreLogs(list) })
	if err != nil {
		w.erred()
	}
	return err
}

func (w guardedLog) DeleteRange(from, to uint64) error {
	if w.failed() {
		return ErrClosed
	}
	return w.LogStore.DeleteRange(from, to)
}

// IsMonotonic reports whether the log has no holes, for Raft.
func (w guardedLog) IsMonotonic() bool {
	l, ok := w.LogStore.(raft.MonotonicLogStore)
	return ok && l.IsMonotonic()
}

// guardedVotes is the store of the term and the vote as Raft calls it.
type guardedVotes struct {
	raft.StableStore
	*storeGuard
}

func (v guardedVotes) Set(key, value []byte) error {
	if v.failed() {
		return ErrClosed
	}
	return v.write(func() error { return v.StableStore.Set(key, value) })
}

// SetUint64 stores a number. Raft panics if it cannot store a term. So an error of a term stops the member, and Raft
// gets no error: without the vote and the log, which refuse all writes then, Raft does nothing in that term.
func (v guardedVotes) SetUint64(key []byte, value uint64) error {
	failed := v.failed()
	if failed && string(key) != keyTerm {
		return ErrClosed
	}
	if failed {
		return nil
	}
	err := v.write(func() error { return v.StableStore.SetUint64(key, value) })
	if err != nil && string(key) == keyTerm {
		v.fail(fmt.Errorf("term %d could not be written: %w", value, err))
		return nil
	}
	return err
}

// keyTerm is the key of the term in the stable store of Raft.
const keyTerm = "CurrentTerm"
