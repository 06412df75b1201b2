package disklog

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"
	wal "github.com/hashicorp/raft-wal"
	"github.com/hashicorp/raft-wal/segment"
	"github.com/hashicorp/raft-wal/types"
)

// journal is the log. After an error it opens raft-wal anew, since raft-wal does not recover from some errors: if a
// segment cannot be made for want of room, raft-wal refuses each further entry until it is opened again. Nothing is
// appended until the meta file and the segments agree again. Entries can be read all the time.
//
// Raft appends and deletes from one goroutine each, and reads from several.
type journal struct {
	dir  string
	size int // bytes of a segment
	meta *meta
	disk *walFiles
	log  hclog.Logger

	write    sync.Mutex             // one append or deletion at a time
	failed   error                  // the error of the last change: the log is opened again before the next one
	undoList *types.PersistentState // the list of segments before a deletion that has failed

	read sync.RWMutex // guards wal
	wal  *wal.WAL
}

var (
	_ raft.LogStore          = (*journal)(nil)
	_ raft.MonotonicLogStore = (*journal)(nil)
)

// newJournal opens a log that checkLog has checked.
func newJournal(by syncer, c logCheck, m *meta, size int, l hclog.Logger) (*journal, error) {
	j := &journal{dir: c.dir, size: size, meta: m, log: l}
	j.disk = &walFiles{by: by, mark: m.state.mark, ends: map[uint64]int64{}}
	j.disk.made = func() error { return m.change(func(*metaState) {}) }
	m.mark = j.disk.at
	return j, j.open(c)
}

// open mends the traces of a crash or an error, and opens raft-wal over the log. If it fails, entries are still read
// from the raft-wal that was open before.
func (j *journal) open(c logCheck) error {
	err := j.meta.syncSlots()
	if err != nil {
		return err
	}
	if c.torn > c.end {
		j.log.Warn("the last batch of the log is torn, and is dropped: it was not answered", "file", c.tail, "from", c.end, "to", c.torn)
		f, err := os.OpenFile(c.tail, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		err = errors.Join(zeroFile(j.disk.by, f, c.end, c.torn), f.Close())
		if err != nil {
			return err
		}
	}
	if c.moved {
		err := j.meta.change(func(s *metaState) { s.segs = c.state })
		if err != nil {
			return err
		}
	}
	j.disk.expect(c.id, c.end)
	w, err := wal.Open(j.dir,
		wal.WithMetaStore(walMeta{j.meta}),
		wal.WithSegmentFiler(segment.NewFiler(j.dir, j.disk)),
		wal.WithSegmentSize(j.size),
		wal.WithLogger(j.log))
	if err != nil {
		return err
	}
	last, err := w.LastIndex()
	if err == nil && last != c.last {
		err = fmt.Errorf("replicated: %s: the log ends with entry %d, and raft-wal says %d", j.dir, c.last, last)
	}
	if err != nil {
		return errors.Join(err, w.Close())
	}
	j.read.Lock()
	defer j.read.Unlock()
	if j.wal != nil {
		_ = j.wal.Close()
	}
	j.wal = w
	return nil
}

// reopen opens the log after an error. The order matters:
//
//	clear        zeros over a refused batch, which the check might find whole
//	undoDelete   the list of segments from before a failed deletion, before the check reads the segments of that list
//	checkLog     the last segment
//	open         raft-wal
func (j *journal) reopen() error {
	err := j.disk.clear()
	if err != nil {
		return err
	}
	err = j.undoDelete()
	if err != nil {
		return err
	}
	c, err := checkLog(j.dir, j.meta.segments(), j.disk.at(), false)
	if err != nil {
		return err
	}
	err = j.open(c)
	if err != nil {
		return err
	}
	j.log.Info("the log is open again", "after", j.failed)
	j.failed = nil
	return nil
}

// change runs an append or a deletion, and opens the log before that if the change before has failed.
func (j *journal) change(do func(*wal.WAL) error) error {
	j.write.Lock()
	defer j.write.Unlock()
	if j.failed != nil {
		err := j.reopen()
		if err != nil {
			return fmt.Errorf("replicated: the log has failed: %w; and again: %w", j.failed, err)
		}
	}
	err := do(j.wal)
	if errors.Is(err, wal.ErrSealed) || errors.Is(err, errBehind) {
		// The last append was answered, and then the next segment could not be made. Perhaps it can be made now.
		j.failed = err
		err = j.reopen()
		if err == nil {
			err = do(j.wal)
		}
	}
	if err != nil && !errors.Is(err, wal.ErrClosed) {
		j.failed = err
	}
	return err
}

// StoreLogs appends entries. They are on the disk when it returns nil. After an error none of them is in the log.
func (j *journal) StoreLogs(logs []*raft.Log) error {
	return j.change(func(w *wal.WAL) error { return w.StoreLogs(logs) })
}

// StoreLog appends an entry.
func (j *journal) StoreLog(l *raft.Log) error { return j.StoreLogs([]*raft.Log{l}) }

// DeleteRange removes the first entries, or the last ones. After an error all of them are still there.
func (j *journal) DeleteRange(from, to uint64) error {
	return j.change(func(w *wal.WAL) error {
		before := j.meta.segments()
		err := w.DeleteRange(from, to)
		if err != nil {
			j.undoList = &before
			_ = j.undoDelete()
		}
		return err
	})
}

// undoDelete lists the segments again that a failed deletion has taken from the list. raft-wal writes the new list before
// it deletes, and Raft believes after the error that the entries are still there. The next number is kept, as no
// number is used twice.
func (j *journal) undoDelete() error {
	if j.undoList == nil {
		return nil
	}
	err := j.meta.change(func(s *metaState) {
		next := s.segs.NextSegmentID
		s.segs = *j.undoList
		s.segs.NextSegmentID = next
	})
	if err == nil {
		j.undoList = nil
	}
	return err
}

// GetLog reads an entry.
func (j *journal) GetLog(index uint64, l *raft.Log) error {
	j.read.RLock()
	defer j.read.RUnlock()
	return j.wal.GetLog(index, l)
}

// FirstIndex returns the index of the first entry; 0 if there is none.
func (j *journal) FirstIndex() (uint64, error) {
	j.read.RLock()
	defer j.read.RUnlock()
	return j.wal.FirstIndex()
}

// LastIndex returns the index of the last entry; 0 if there is none.
func (j *journal) LastIndex() (uint64, error) {
	j.read.RLock()
	defer j.read.RUnlock()
	return j.wal.LastIndex()
}

// IsMonotonic tells Raft that the log has no gaps.
func (j *journal) IsMonotonic() bool { return true }

// close waits for an append under way. It writes the mark, the end of the log, into the meta file, so that the next
// opening notices if any part of the log is missing.
func (j *journal) close() error {
	j.write.Lock()
	defer j.write.Unlock()
	err := j.wal.Close()
	if j.failed != nil {
		return err
	}
	return errors.Join(err, j.meta.change(func(*metaState) {}))
}
