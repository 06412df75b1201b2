package replicated

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// seam is for tests: stores in memory, and other members that are called without a network.
type seam struct {
	disk   func(dir string, l *slog.Logger) (*disk, error)
	others func(Peer) leaderCalls
	// version takes the place of Version, unless it is 0.
	version uint32
}

// disk is where a member keeps its log, its vote and its snapshots.
type disk struct {
	log    raft.LogStore
	stable raft.StableStore
	snaps  raft.SnapshotStore
	space  func() (int64, error)
	close  func() error
}

func openDisk(dir string, l *slog.Logger) (*disk, error) {
	s, err := openStore(dir, l)
	if err != nil {
		return nil, err
	}
	return &disk{s.log, s.stable, s.snaps, s.space, s.close}, nil
}

// openWith is Open with other parts.
func openWith(c Config, s seam) (*Member, error) {
	c, err := c.filled(s.disk != nil)
	if err != nil {
		return nil, err
	}
	m := &Member{
		config: c, jump: -1, hashed: make(chan fingerprint, 1), worried: make(chan struct{}, 1), moved: make(chan struct{}, 1),
		closing: make(chan struct{}), ended: make(chan struct{}), saves: newSaves(),
	}
	// There are at most a quarter of the sessions that the members remember, so that several members together do not drive
	// out sessions in use.
	m.pool, m.propose = newPool(max(1, c.Sessions/4), m.NewSession), newProposer(m)
	if c.Clock != nil {
		m.jump, err = c.Clock.Ticks(c.MaxJump)
		if err != nil {
			return nil, limits.Invalid("Config.Clock", *c.Clock, err.Error())
		}
	}
	m.machine, err = newMachine(&m.config)
	if err != nil {
		return nil, err
	}
	m.machine.version = cmp.Or(s.version, Version)
	m.hook()
	if s.disk == nil {
		s.disk = openDisk
	}
	m.disk, err = s.disk(c.Dir, c.Log)
	if err != nil {
		return nil, err
	}
	err = m.start(s)
	if err != nil {
		m.machine.close()
		return nil, errors.Join(err, m.disk.close())
	}
	err = m.recover()
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// filled returns the settings with their defaults.
func (c Config) filled(inMemory bool) (Config, error) {
	clock := bookahead.Clock{}
	if c.Clock != nil {
		clock = *c.Clock
		c.Clock = &clock
	}
	c.ID = cmp.Or(c.ID, "1")
	c.MaxJump = cmp.Or(c.MaxJump, 24*time.Hour)
	c.Sessions = cmp.Or(c.Sessions, 1<<14)
	c.SnapshotEvery = cmp.Or(c.SnapshotEvery, 64<<20)
	c.CheckEvery = cmp.Or(c.CheckEvery, 10*time.Minute)
	c.Reserve = cmp.Or(c.Reserve, 256<<20)
	c.Election = cmp.Or(c.Election, time.Second)
	c.Log = cmp.Or(c.Log, slog.Default())
	if c.Metrics == nil {
		c.Metrics = silent{}
	}
	switch {
	case c.Dir == "" && !inMemory:
		return c, limits.Invalid("Config.Dir", c.Dir, "is empty: name the folder of this member")
	case c.Bind != "" && c.Transport != nil:
		return c, limits.Invalid("Config.Bind", c.Bind, "is there, and a Transport too")
	case clock.Tick < 0:
		return c, limits.Invalid("Config.Clock.Tick", clock.Tick, "is negative")
	case c.MaxJump < 0:
		return c, limits.Invalid("Config.MaxJump", c.MaxJump, "is negative")
	case c.Sessions < 0:
		return c, limits.Invalid("Config.Sessions", c.Sessions, "is negative")
	case c.SnapshotEvery < 0:
		return c, limits.Invalid("Config.SnapshotEvery", c.SnapshotEvery, "is negative")
	case c.CheckEvery < 0:
		return c, limits.Invalid("Config.CheckEvery", c.CheckEvery, "is negative")
	case c.Reserve < 0:
		return c, limits.Invalid("Config.Reserve", c.Reserve, "is negative")
	case c.Election < leastElection:
		return c, limits.Invalid("Config.Election", c.Election, fmt.Sprintf("is less than %v", leastElection))
	}
	return c, c.checkPeers()
}

// leastElection is that of Raft, whose lease is half of it.
const leastElection = 10 * time.Millisecond

func (c *Config) checkPeers() error {
	ids, addresses := map[string]bool{}, map[string]bool{}
	voters := 0
	for i, p := range c.Peers {
		field := fmt.Sprintf("Config.Peers[%d]", i)
		switch {
		case p.ID == "":
			return limits.Invalid(field+".ID", p.ID, "is empty")
		case p.Address == "":
			return limits.Invalid(field+".Address", p.Address, "is empty")
		case ids[p.ID]:
			return limits.Invalid(field+".ID", p.ID, "is that of another peer")
		case addresses[p.Address]:
			return limits.Invalid(field+".Address", p.Address, "is that of another peer")
		}
		ids[p.ID], addresses[p.Address] = true, true
		if !p.Watches {
			voters++
		}
	}
	switch {
	case len(c.Peers) > 0 && c.Bind == "" && c.Transport == nil:
		return limits.Invalid("Config.Peers", len(c.Peers), "peers are named, but neither Bind nor Transport")
	case len(c.Peers) > 0 && voters == 0:
		return limits.Invalid("Config.Peers", len(c.Peers), "peers only watch: one has to count for a majority")
	}
	return nil
}

// silent is told nothing.
type silent struct{}

func (silent) Entry(int, time.Duration)                     {}
func (silent) Refused(string)                               {}
func (silent) Read(Freshness, time.Duration)                {}
func (silent) Snapshot(int64, time.Duration, time.Duration) {}
func (silent) State(string, uint64)                         {}
func (silent) Check(bool)                                   {}

// hook lets the machine tell the member what happens.
func (m *Member) hook() {
	m.machine.on = hooks{
		hashed: func(index uint64, sum [32]byte) {
			select {
			case m.hashed <- fingerprint{index, sum}:
			default: // one is proposed already
			}
		},
		compared: func(_ uint64, equal bool) { m.config.Metrics.Check(equal) },
		sealed: func(index uint64) {
			m.saves.seal.Store(index)
			notify(m.saves.wake)
		},
		wrote: m.config.Metrics.Snapshot,
	}
}

// start starts Raft, and all that runs beside it.
func (m *Member) start(s seam) error {
	raftLog := newRaftLog(m.config.Log)
	err := m.connect(s, raftLog)
	if err != nil {
		return err
	}
	stable, log := votes{m.disk.stable, m}, watched{m.disk.log, m}
	err = m.restore()
	if err == nil {
		err = m.readable(log)
	}
	if err == nil {
		err = m.bootstrap(log, stable)
	}
	var cache *raft.LogCache
	if err == nil {
		cache, err = raft.NewLogCache(cached, log)
	}
	if err == nil {
		m.raft, err = raft.NewRaft(m.settings(raftLog), driven{m.machine, m}, cache, stable, m.disk.snaps, m.ears)
	}
	if err != nil {
		return errors.Join(err, m.disconnect(), m.ears.Close())
	}
	heard := make(chan raft.Observation, 256)
	m.raft.RegisterObserver(raft.NewObserver(heard, false, func(o *raft.Observation) bool {
		switch o.Data.(type) {
		case raft.RaftState, raft.LeaderObservation:
			return true
		}
		return false
	}))
	m.leads.Store(m.raft.State() == raft.Leader)
	m.look()
	m.up.Store(true)
	m.propose.start()
	m.routines.Go(func() { m.observe(heard) })
	m.routines.Go(m.duties)
	m.routines.Go(m.guard)
	m.routines.Go(func() { m.saves.run(m) })
	return nil
}

// cached is how many of the last entries are kept in memory: they are read for each follower, and to be carried out on
// one. At 512 calls of 100 bytes they take 12 MiB.
const cached = 256

// connect makes the transport, and what reaches the other members.
func (m *Member) connect(s seam, raftLog hclog.Logger) error {
	switch {
	case m.config.Transport != nil:
		m.ears = newEars(m.config.Transport)
	case m.config.Bind != "":
		n, err := openNetwork(&m.config, m, m.config.Log, raftLog)
		if err != nil {
			return err
		}
		m.ears = newEars(n.transport)
		m.others = func(p Peer) leaderCalls { return n.peers.at(p.Address) }
		m.disconnected = n.close
	default:
		address, t := raft.NewInmemTransport(raft.ServerAddress(m.config.ID))
		t.Connect(address, t)
		m.ears = newEars(t)
	}
	if s.others != nil {
		m.others = s.others
	}
	return nil
}

func (m *Member) disconnect() error {
	if m.disconnected == nil {
		return nil
	}
	return m.disconnected()
}

// settings returns those of Raft. Members count bytes, and not entries, to decide when a snapshot is written.
func (m *Member) settings(raftLog hclog.Logger) *raft.Config {
	s := raft.DefaultConfig()
	s.LocalID = raft.ServerID(m.config.ID)
	s.Logger = raftLog
	s.HeartbeatTimeout, s.ElectionTimeout = m.config.Election, m.config.Election
	s.LeaderLeaseTimeout = m.config.Election / 2
	s.CommitTimeout = commitTimeout
	s.BatchApplyCh = true
	s.MaxAppendEntries = appendEntries
	s.ShutdownOnRemove = false
	s.SnapshotThreshold, s.SnapshotInterval = never, 24*time.Hour
	s.TrailingLogs = leastTrailing
	s.NoLegacyTelemetry = true
	s.NoSnapshotRestoreOnStart = true // restore has done it
	return s
}

const (
	// commitTimeout is when a follower hears at the latest that an entry is committed, if no other one follows: between
	// once and twice so long after.
	commitTimeout = 10 * time.Millisecond
	// appendEntries is how many entries are sent, written and carried out at once. Each may have 512 calls.
	appendEntries = 64
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

// recover waits until a member that is alone has carried out its log. It need not wait for a leader that is silent, and
// so becomes one at once, as if another had handed over.
func (m *Member) recover() error {
	if !m.sole.Load() {
		return m.machine.err()
	}
	self := m.ears.LocalAddr()
	id := raft.ServerID(m.config.ID)
	q := raft.TimeoutNowRequest{RPCHeader: raft.RPCHeader{ProtocolVersion: raft.ProtocolVersionMax, ID: []byte(id), Addr: m.ears.EncodePeer(id, self)}}
	err := m.ears.TimeoutNow(id, self, &q, &raft.TimeoutNowResponse{})
	if err != nil {
		m.config.Log.Debug("the first election takes its time", "err", err)
	}
	patience := time.NewTimer(10 * m.config.Election)
	defer patience.Stop()
	for m.ready.Load() == 0 {
		change := m.change.wait()
		if m.ready.Load() != 0 {
			break
		}
		select {
		case <-change:
		case <-m.machine.failed():
			return m.machine.err()
		case <-patience.C:
			m.config.Log.Warn("the member is alone, and does not lead yet: is its disk full?", "id", m.config.ID)
			return nil
		}
	}
	return m.machine.err()
}
