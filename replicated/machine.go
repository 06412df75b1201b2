package replicated

import (
	"io"

	"github.com/hashicorp/raft"

	"github.com/bookahead/bookahead/desk"
)

// machine is what Raft carries entries out on: a desk, and the last answers to its callers. It is a raft.BatchingFSM.
type machine struct{ desk *desk.Desk }

var _ raft.BatchingFSM = (*machine)(nil)

func newMachine(c *Config) (*machine, error) { panic("not yet") }

// Apply returns what came of an entry, a []answer, or an error with which the machine has failed.
func (x *machine) Apply(e *raft.Log) any { panic("not yet") }

// ApplyBatch is Apply for several entries.
func (x *machine) ApplyBatch(list []*raft.Log) []any { panic("not yet") }

// Snapshot returns a clone that is written beside further entries.
func (x *machine) Snapshot() (raft.FSMSnapshot, error) { panic("not yet") }

// Restore takes a snapshot in the place of the state.
func (x *machine) Restore(r io.ReadCloser) error { panic("not yet") }

// failed is closed once the machine can go on no more; err says why.
func (x *machine) failed() <-chan struct{} { panic("not yet") }
func (x *machine) err() error              { panic("not yet") }

// view returns a clone of the desk, and the index of the last entry in it.
func (x *machine) view() View { panic("not yet") }

// applied returns the index of the last entry.
func (x *machine) applied() uint64 { panic("not yet") }

// sealed reports whether commands are refused until a newer version.
func (x *machine) sealed() bool { panic("not yet") }
