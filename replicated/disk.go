package replicated

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/hashicorp/raft-wal/fs"
	"github.com/hashicorp/raft-wal/types"
)

// logDisk is the folder of the log as raft-wal sees it. It adds two things to raft-wal's own view, which the look at the
// log after a crash relies on:
//
//   - A segment appears in its full length and under its name in one step, so a shorter file is damage.
//   - The end of the last batch that was synced is known. A batch whose write has failed is cleared before the next one
//     is written, so all bytes behind the last batch are 0.
type logDisk struct {
	by    syncer
	made  func() error          // tells the meta file that a segment is there
	fault func(op string) error // in tests: the disk refuses to create, write or sync

	mu   sync.Mutex
	mark logMark
	ends map[uint64]int64 // of segments that were looked at before they are opened
	tail *segmentFile     // the one that is written
}

var _ types.VFS = (*logDisk)(nil)

func (d *logDisk) faulty(op string) error {
	if d.fault == nil {
		return nil
	}
	return d.fault(op)
}

// at returns how far the log is on the disk.
func (d *logDisk) at() logMark {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.mark
}

func (d *logDisk) reached(segment uint64, end int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.mark = logMark{made: true, segment: segment, end: end}
}

// expect says where the log ends in a segment that is opened next.
func (d *logDisk) expect(segment uint64, end int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ends[segment] = end
}

// clear takes a batch away that was refused.
func (d *logDisk) clear() error {
	d.mu.Lock()
	tail := d.tail
	d.mu.Unlock()
	if tail == nil {
		return nil
	}
	return tail.clear()
}

// ListDir returns the names of the files in a folder.
func (d *logDisk) ListDir(dir string) ([]string, error) { return fs.New().ListDir(dir) }

// Create makes a segment of size zeros, and returns once it is on the disk.
func (d *logDisk) Create(dir, name string, size uint64) (types.WritableFile, error) {
	err := d.faulty("create")
	if err != nil {
		return nil, err
	}
	temp := filepath.Join(dir, name+".tmp")
	err = os.Remove(temp)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	// raft-wal reserves the room, where the system has a call for it: a write into the file finds no full disk then.
	made, err := fs.New().Create(dir, name+".tmp", size)
	if err != nil {
		_ = os.Remove(temp)
		return nil, err
	}
	_ = made.Close()
	err = publish(d.by, dir, name)
	if err != nil {
		_ = os.Remove(temp)
		return nil, err
	}
	id, err := segmentID(name)
	if err != nil {
		return nil, err
	}
	d.expect(id, 0)
	f, err := d.open(dir, name)
	if err != nil {
		return nil, err
	}
	d.reached(id, 0)
	err = d.made()
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// Delete removes a segment. Nothing is synced: one that is back after a crash is in no list, and raft-wal removes it.
func (d *logDisk) Delete(dir, name string) error { return os.Remove(filepath.Join(dir, name)) }

// OpenReader opens a segment that is sealed.
func (d *logDisk) OpenReader(dir, name string) (types.ReadableFile, error) {
	return os.Open(filepath.Join(dir, name))
}

// OpenWriter opens the last segment, which was looked at.
func (d *logDisk) OpenWriter(dir, name string) (types.WritableFile, error) {
	f, err := d.open(dir, name)
	if err != nil {
		return nil, err // not a *segmentFile that is nil
	}
	return f, nil
}

func (d *logDisk) open(dir, name string) (*segmentFile, error) {
	id, err := segmentID(name)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	end := d.ends[id]
	d.tail = &segmentFile{File: f, disk: d, id: id, end: end, next: end, high: end}
	return d.tail, nil
}

// segmentFile is a segment that is written, by one goroutine at a time, and read by any.
type segmentFile struct {
	*os.File
	disk *logDisk
	id   uint64
	end  int64 // behind the last byte that was written and synced
	next int64 // behind the last write
	high int64 // behind the last byte that may not be 0
}

// WriteAt writes a batch.
func (f *segmentFile) WriteAt(b []byte, at int64) (int, error) {
	f.next = at + int64(len(b))
	f.high = max(f.high, f.next)
	err := f.disk.faulty("write")
	if err != nil {
		half := at + int64(len(b))/2
		_, _ = f.File.WriteAt(b[:max(0, half-half%sector-at)], at)
		return 0, err
	}
	n, err := f.File.WriteAt(b, at)
	if err != nil {
		_ = f.clear() // a full disk may cut a write at any byte, which would look like damage after a crash
	}
	return n, err
}

// Sync puts the batch onto the disk.
func (f *segmentFile) Sync() error {
	err := f.disk.faulty("sync")
	if err == nil {
		err = f.disk.by.syncFile(f.File)
	}
	if err != nil {
		return err
	}
	f.end, f.high = f.next, f.next
	f.disk.reached(f.id, f.end)
	return nil
}

// clear takes a batch away whose write or sync has failed: it was refused, and must not come back.
func (f *segmentFile) clear() error {
	if f.high == f.end {
		return nil
	}
	err := zeroFile(f.disk.by, f.File, f.end, f.high)
	if err != nil {
		return err
	}
	f.next, f.high = f.end, f.end
	return nil
}

// segmentID returns the number in the name of a segment.
func segmentID(name string) (uint64, error) {
	var base, id uint64
	_, err := fmt.Sscanf(name, "%d-%x.wal", &base, &id)
	if err != nil {
		return 0, fmt.Errorf("replicated: %s is not the name of a segment: %w", name, err)
	}
	return id, nil
}
