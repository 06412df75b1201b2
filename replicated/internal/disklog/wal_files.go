package disklog

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/hashicorp/raft-wal/fs"
	"github.com/hashicorp/raft-wal/types"
)

// walFiles is the folder of the log as raft-wal sees it. The check of the log after a crash (segment_check.go) relies on two
// promises that raft-wal alone does not keep:
//
//   - A segment appears in its full length and under its name in one step, so a shorter file is damage.
//   - All bytes behind the last batch are 0. A batch whose write or sync has failed is cleared before the next one is written.
//
// It also knows the end of the last batch that was synced, for the mark in the meta file.
type walFiles struct {
	by    syncer
	made  func() error          // writes into the meta file that a segment is there
	fault func(op string) error // for tests: the disk refuses to create, write or sync

	mu   sync.Mutex
	mark logMark
	ends map[uint64]int64 // where the log ends in a segment, before the segment is opened
	tail *segmentFile     // the segment that is being written
}

var _ types.VFS = (*walFiles)(nil)

func (d *walFiles) faulty(op string) error {
	if d.fault == nil {
		return nil
	}
	return d.fault(op)
}

// at returns how far the log is on the disk.
func (d *walFiles) at() logMark {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.mark
}

func (d *walFiles) reached(segment uint64, end int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.mark = logMark{made: true, segment: segment, end: end}
}

// expect notes where the log ends in a segment that will be opened next.
func (d *walFiles) expect(segment uint64, end int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ends[segment] = end
}

// clear removes a batch that was refused.
func (d *walFiles) clear() error {
	d.mu.Lock()
	tail := d.tail
	d.mu.Unlock()
	if tail == nil {
		return nil
	}
	return tail.clear()
}

// ListDir returns the names of the files in a folder.
func (d *walFiles) ListDir(dir string) ([]string, error) { return fs.New().ListDir(dir) }

// Create makes a segment of zeros, and returns once the segment is on the disk.
func (d *walFiles) Create(dir, name string, size uint64) (types.WritableFile, error) {
	err := d.faulty("create")
	if err != nil {
		return nil, err
	}
	temp := filepath.Join(dir, name+".tmp")
	err = os.Remove(temp)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	// raft-wal reserves the room, on systems with a call for that, so a later write into the file finds no full disk.
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

// Delete removes a segment. The name need not be synced: a file that comes back after a crash is in no list, and
// raft-wal removes it.
func (d *walFiles) Delete(dir, name string) error { return os.Remove(filepath.Join(dir, name)) }

// OpenReader opens a sealed segment.
func (d *walFiles) OpenReader(dir, name string) (types.ReadableFile, error) {
	return os.Open(filepath.Join(dir, name))
}

// OpenWriter opens the last segment, whose end expect has noted.
func (d *walFiles) OpenWriter(dir, name string) (types.WritableFile, error) {
	f, err := d.open(dir, name)
	if err != nil {
		return nil, err // the plain nil: a nil *segmentFile would be no nil interface
	}
	return f, nil
}

func (d *walFiles) open(dir, name string) (*segmentFile, error) {
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

// segmentFile is a segment that one goroutine at a time writes, and any goroutine reads.
type segmentFile struct {
	*os.File
	disk *walFiles
	id   uint64
	end  int64 // behind the last byte that was synced
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
		_ = f.clear() // a full disk may cut a write at any byte, which a later check would take for damage
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

// clear writes zeros over a batch whose write or sync has failed. The batch was refused, so it must not come back
// after a crash.
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
