package replicated

import (
	"errors"
	"fmt"

	"github.com/hashicorp/raft"
)

// reread brings a new machine to the state before an entry, from the newest snapshot and the entries behind it. Only
// entries that this member has carried out are read. A snapshot that is written meanwhile may take entries out of the
// log, so reread then begins again with that snapshot.
func (m *Member) reread(fresh *machine, index uint64) error {
	err := m.readTo(fresh, index)
	for range 2 {
		if !errors.Is(err, raft.ErrLogNotFound) {
			break
		}
		err = m.readTo(fresh, index)
	}
	return err
}

// readTo is one try of reread. The error wraps raft.ErrLogNotFound if entries are missing.
func (m *Member) readTo(fresh *machine, index uint64) error {
	behind, err := m.readNewest(fresh)
	if err != nil {
		return err
	}
	if fresh.applied() >= index {
		return fmt.Errorf("the newest snapshot is already that behind entry %d", fresh.applied())
	}
	first, err := m.disk.log.FirstIndex()
	if err != nil {
		return err
	}
	if first > behind+1 {
		return fmt.Errorf("entry %d: %w", behind+1, raft.ErrLogNotFound)
	}
	return m.carryOutLog(fresh, first, index)
}

// carryOutLog carries out the entries of the log behind the state of a machine: from the first in the log, up to an index, without
// that.
func (m *Member) carryOutLog(fresh *machine, first, index uint64) error {
	for i := max(first, fresh.applied()+1); i < index; i++ {
		var e raft.Log
		err := m.disk.log.GetLog(i, &e)
		if err == nil && e.Type == raft.LogCommand {
			fresh.Apply(&e)
			err = fresh.err()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readNewest reads the newest snapshot, and returns its index; 0 if there is none.
func (m *Member) readNewest(fresh *machine) (uint64, error) {
	list, err := m.disk.snaps.List()
	if err != nil || len(list) == 0 {
		return 0, err
	}
	_, from, err := m.disk.snaps.Open(list[0].ID)
	if err != nil {
		return 0, err
	}
	err = fresh.Restore(from)
	return list[0].Index, errors.Join(err, from.Close())
}
