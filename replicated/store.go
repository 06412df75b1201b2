package replicated

import (
	"log/slog"

	"github.com/hashicorp/raft"
)

// store is the folder of a member.
type store struct {
	log    raft.LogStore
	stable raft.StableStore
	snaps  raft.SnapshotStore
	fresh  bool // there was nothing in it
}

// openStore opens a folder, which it locks, after a look at each byte of it. The error wraps ErrDamaged.
func openStore(dir string, l *slog.Logger) (*store, error) { panic("not yet") }

// close frees the folder.
func (s *store) close() error { panic("not yet") }

// space returns how many bytes the disk has left.
func (s *store) space() (int64, error) { panic("not yet") }
