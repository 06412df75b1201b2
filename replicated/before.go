package replicated

import (
	"errors"
	"fmt"

	"github.com/hashicorp/raft"
)

// restore reads the newest snapshot. Raft would take an older one if that fails, and lose all between the two.
func (m *Member) restore() error {
	list, err := m.disk.snaps.List()
	if err != nil || len(list) == 0 {
		return err
	}
	_, from, err := m.disk.snaps.Open(list[0].ID)
	if err != nil {
		return err
	}
	err = driven{m.machine, m}.Restore(from)
	return errors.Join(err, from.Close())
}

// readable checks that this version can carry out the entries behind the snapshot, before anything is written.
func (m *Member) readable(log raft.LogStore) error {
	first, err := log.FirstIndex()
	if err != nil {
		return err
	}
	last, err := log.LastIndex()
	before := m.machine.older
	for i := max(first, m.machine.applied()+1); i <= last && err == nil; i++ {
		var e raft.Log
		err = log.GetLog(i, &e)
		if err == nil && e.Type == raft.LogCommand {
			err = m.machine.readable(&e)
		}
	}
	m.machine.older = before
	return err
}

// readable checks an entry that is carried out later. Entries come in their order.
func (x *machine) readable(l *raft.Log) error {
	e, err := readEntry(l.Data, x.room[:0])
	if err == nil {
		_, err = x.passes(&e)
	}
	if err != nil {
		return fmt.Errorf("log: entry %d: %w", l.Index, err)
	}
	return nil
}

// bootstrap writes the first members into an empty log, each of them the same. A crash may have left the term without the
// entry, so this looks at both.
func (m *Member) bootstrap(log raft.LogStore, stable raft.StableStore) error {
	last, err := log.LastIndex()
	if err != nil || last > 0 {
		return err
	}
	snapshots, err := m.disk.snaps.List()
	if err != nil || len(snapshots) > 0 {
		return err
	}
	term, err := stable.GetUint64([]byte(keyTerm))
	if err != nil && err.Error() != "not found" {
		return err
	}
	servers := m.first()
	if term > 1 || servers == nil {
		return nil // it has heard of others, who will tell it more
	}
	err = stable.SetUint64([]byte(keyTerm), 1)
	if err != nil {
		return err
	}
	data := raft.EncodeConfiguration(raft.Configuration{Servers: servers})
	return log.StoreLog(&raft.Log{Index: 1, Term: 1, Type: raft.LogConfiguration, Data: data})
}

// first returns the first members; nil if this one waits for them.
func (m *Member) first() []raft.Server {
	self := Peer{ID: m.config.ID, Address: string(m.ears.LocalAddr())}
	peers := m.config.Peers
	if len(peers) == 0 {
		peers = []Peer{self}
	}
	var servers []raft.Server
	votes := false
	for _, p := range peers {
		s := raft.Server{ID: raft.ServerID(p.ID), Address: raft.ServerAddress(p.Address), Suffrage: raft.Voter}
		if p.Watches {
			s.Suffrage = raft.Nonvoter
		} else if p.ID == self.ID {
			votes = true
		}
		servers = append(servers, s)
	}
	if !votes {
		return nil
	}
	return servers
}
