package disklog

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"
)

const (
	lockName = "lock"
	logName  = "log"
	// logSegment is the length of a segment of the log. raft-wal reserves it at once.
	logSegment = 16 << 20
)

// Store is the folder of a member.
//
//	lock         held while it is open
//	meta         the vote, the term, the list of segments: meta.go
//	log/         segments of raft-wal: log_check.go, segment_check.go, wal_files.go, journal.go
//	snapshots/   the newest two: snapshots.go
//
// Nothing is answered before it is synced: syncer.go.
type Store struct {
	dir     string
	by      syncer
	lock    *os.File
	meta    *meta
	journal *journal
	snaps   *snapshots
}

// Open locks a folder, checks each byte of it, and opens it. It makes a folder that does not exist. If the error wraps
// ErrDamaged, nothing has changed in the log, the meta file and the snapshots. The error wraps ErrInUse while the
// folder is open elsewhere. l hears of repairs, and h of the work of raft-wal. O(n) for n bytes in the folder.
func Open(dir string, l *slog.Logger, h hclog.Logger) (*Store, error) {
	return openWith(dir, logSegment, system{}, l, h)
}

// openWith is Open with a length of segments and a syncer.
func openWith(dir string, segment int, by syncer, l *slog.Logger, h hclog.Logger) (*Store, error) {
	for _, name := range []string{logName, snapsName} {
		err := os.MkdirAll(filepath.Join(dir, name), 0o755)
		if err != nil {
			return nil, err
		}
	}
	lock, err := lockFile(filepath.Join(dir, lockName))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	s := &Store{dir: dir, by: by, lock: lock}
	err = s.open(segment, l, h)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Log returns the log. After an error of the disk it goes on by itself, once the disk works again.
func (s *Store) Log() raft.LogStore { return s.journal }

// Votes returns the term, the vote, and the other values that a member keeps.
func (s *Store) Votes() raft.StableStore { return s.meta }

// Snapshots returns the snapshots. Only the newest one is listed.
func (s *Store) Snapshots() raft.SnapshotStore { return s.snaps }

// Free returns how many bytes the disk has left for this process.
func (s *Store) Free() (int64, error) { return freeBytes(s.dir) }

func (s *Store) open(segment int, l *slog.Logger, h hclog.Logger) error {
	logDir := filepath.Join(s.dir, logName)
	err := s.names()
	if err != nil {
		return err
	}
	snaps, err := checkSnapshots(s.dir, l)
	if err != nil {
		return err
	}
	err = s.openMeta(logDir, snaps)
	if err != nil {
		return err
	}
	c, err := checkLog(logDir, s.meta.state.segs, s.meta.state.mark, true)
	if err != nil {
		return err
	}
	if c.first > snaps.index+1 {
		return damaged(filepath.Join(s.dir, snapsName), 0, fmt.Sprintf("the log begins with entry %d, and the newest snapshot ends with entry %d", c.first, snaps.index))
	}

	// The folder is not damaged. From here on it changes.
	if c.grown != "" {
		err := syncPath(s.by, c.grown) // a killed process may have left a batch that is readable, but not on the disk
		if err != nil {
			return err
		}
	}
	for _, path := range snaps.debris {
		err := os.RemoveAll(path)
		if err != nil {
			return err
		}
	}
	s.journal, err = newJournal(s.by, c, s.meta, segment, h)
	if err != nil {
		return err
	}
	if c.last > 0 && c.last < snaps.index {
		// A crash came after a snapshot of the leader was stored, and before the log that it replaces was removed.
		// The log must not go on behind the snapshot with a gap.
		err := s.journal.DeleteRange(c.first, c.last)
		if err != nil {
			return err
		}
	}
	s.snaps, err = newSnapshots(s.by, s.dir, h)
	return err
}

// names syncs the names in the folder, the name of the folder, and the names of all folders above it. They may be
// new, or a killed process may have made them and not synced them. A folder above that this process may not read is
// passed over: somebody else has made it.
func (s *Store) names() error {
	list := []string{filepath.Join(s.dir, logName), filepath.Join(s.dir, snapsName), filepath.Clean(s.dir)}
	for dir := list[2]; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		list = append(list, filepath.Dir(dir))
	}
	for i, dir := range list {
		err := s.by.syncDir(dir)
		if err != nil && (i < 3 || !errors.Is(err, fs.ErrPermission)) {
			return err
		}
	}
	return nil
}

// openMeta opens the meta file. It makes the file in a folder that has neither a log nor a snapshot.
func (s *Store) openMeta(logDir string, snaps snapCheck) error {
	_, err := os.Stat(filepath.Join(s.dir, metaName))
	if errors.Is(err, os.ErrNotExist) {
		files, err := os.ReadDir(logDir)
		if err != nil {
			return err
		}
		for _, f := range files {
			if strings.HasSuffix(f.Name(), ".wal") {
				return damaged(filepath.Join(s.dir, metaName), 0, "the file is missing, and there is a log")
			}
		}
		if snaps.index > 0 {
			return damaged(filepath.Join(s.dir, metaName), 0, "the file is missing, and there is a snapshot")
		}
		err = createMeta(s.by, s.dir)
		if err != nil {
			return err
		}
	}
	s.meta, err = openMeta(s.by, s.dir)
	return err
}

// Close closes all files, and unlocks the folder. Shut Raft down before.
func (s *Store) Close() error {
	var errs []error
	if s.journal != nil && s.journal.wal != nil {
		errs = append(errs, s.journal.close())
	}
	if s.meta != nil {
		errs = append(errs, s.meta.close())
	}
	return errors.Join(append(errs, s.lock.Close())...)
}
