package replicated

import (
	"errors"
	"fmt"

	"github.com/hashicorp/raft"
)

// loadSnapshot reads the newest snapshot. If that fails the member does not start: Raft would take an older snapshot, and
// lose the entries between the two.
func (m *Member) loadSnapshot() error {
	list, err := m.disk.snaps.List()
	if err != nil || len(list) == 0 {
		return err
	}
	_, from, err := m.disk.snaps.Open(list[0].ID)
	if err != nil {
		return err
	}
	err = fsm{m.machine, m}.Restore(from)
	return errors.Join(err, from.Close())
}

// checkEntries checks that this version can carry out the entries behind the snapshot, with the settings of this member.
// It checks this before anything is written. The entries change the version, the settings and the seal by which later
// entries are checked; they are put back in the end.
func (m *Member) checkEntries(log raft.LogStore) error {
	first, err := log.FirstIndex()
	if err != nil {
		return err
	}
	last, err := log.LastIndex()
	x := m.machine
	before, settled, sealed, id := x.older, x.agreed, x.sealedAt.Load(), x.id.Load()
	for i := max(first, x.applied()+1); i <= last && err == nil; i++ {
		var e raft.Log
		err = log.GetLog(i, &e)
		if err == nil && e.Type == raft.LogCommand {
			err = x.checkEntry(&e)
		}
	}
	x.older = before
	x.id.Store(id) // an entry may name a desk, and never be committed
	x.setAgreed(settled)
	x.sealedAt.Store(sealed)
	return err
}

// checkEntry checks one entry, without carrying it out. The entries come in the order of the log.
func (x *machine) checkEntry(l *raft.Log) error {
	e, err := readEntry(l.Data, x.room[:0])
	passes := false
	if err == nil {
		passes, err = x.skipsOlder(&e)
	}
	if err == nil && !passes {
		err = x.checkAgreed(l.Index, &e)
	}
	if err != nil {
		return fmt.Errorf("log: entry %d: %w", l.Index, err)
	}
	return nil
}

// checkAgreed checks that this member has the settings that an entry settles, and notes the settings, seals and unseals of
// the entry for the check of the next one.
func (x *machine) checkAgreed(index uint64, e *entry) error {
	err := x.adopt(e)
	if err != nil {
		return err
	}
	for i := range e.calls {
		switch e.calls[i].op {
		case seal:
			x.seal(index)
		case unseal:
			x.unseal()
			err := x.adopt(e)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// writeFirstMembers writes the first members into an empty log, the same list on each of them. Several first members must ask
// each other before that, which runBootstrap does. A crash may have left the term without the entry, so writeFirstMembers looks at
// both.
func (m *Member) writeFirstMembers(log raft.LogStore, stable raft.StableStore) error {
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
	servers := m.firstMembers()
	if term > 1 || servers == nil {
		return nil // a term above 1 comes from other members, which will send the log
	}
	if term == 0 && m.others != nil && len(servers) > 1 {
		m.bootstrap.waits.Store(true)
		return nil
	}
	err = stable.SetUint64([]byte(keyTerm), 1)
	if err != nil {
		return err
	}
	data := raft.EncodeConfiguration(raft.Configuration{Servers: servers})
	return log.StoreLog(&raft.Log{Index: 1, Term: 1, Type: raft.LogConfiguration, Data: data})
}

// firstMembers returns the first members, or nil if this member is no voter among them and waits for them.
func (m *Member) firstMembers() []raft.Server {
	return m.config.firstMembers(string(m.lease.LocalAddr()))
}

// firstMembers is the list of the first members, for a member that has an address.
func (c *Config) firstMembers(address string) []raft.Server {
	self := Peer{ID: c.ID, Address: address}
	peers := c.Peers
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
