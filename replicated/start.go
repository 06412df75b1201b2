package replicated

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"

	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/replicated/internal/disklog"
	"github.com/bookahead/bookahead/replicated/internal/peerlink"
)

// Open starts a member. It returns once the state on the disk is read back. The error wraps bookahead.ErrInvalid if a
// field of Config is wrong: nothing on the disk is touched then. It wraps ErrDamaged, with the place, if the log or a
// snapshot is not as it was written, and ErrVersion if it is of another version. All entries, the votes and the newest
// snapshot stay as they are with these two.
func Open(c Config) (*Member, error) { return openWith(c, seam{}) }

// seam lets tests replace parts of a member: stores in memory, and other members that are called without a network.
type seam struct {
	disk   func(dir string, l *slog.Logger) (*disk, error)
	others func(Peer) leaderAPI
	// version replaces Version, unless it is 0.
	version uint32
	// carry replaces the call of desk.Desk.Do, unless it is nil: tests poison commands.
	carry carrier
}

func openDisk(dir string, l *slog.Logger) (*disk, error) {
	s, err := disklog.Open(dir, l, newRaftLog(l))
	if err != nil {
		return nil, err
	}
	return &disk{s.Log(), s.Votes(), s.Snapshots(), s.Free, s.Close}, nil
}

// openWith is Open with parts replaced.
func openWith(c Config, s seam) (*Member, error) {
	c, err := c.withDefaults(s.disk != nil)
	if err != nil {
		return nil, err
	}
	m := &Member{
		config: c, jump: -1, hashed: make(chan fingerprint, 1), panicked: make(chan struct{}, 1), wakeDiskWatch: make(chan struct{}, 1), membersChanged: make(chan struct{}, 1),
		ended: make(chan struct{}), abandoned: make(chan struct{}), snapshotter: newSnapshotter(), handover: newFullHandover(), bootstrap: newBootstrap(),
	}
	m.watchdog.m = m
	m.life, m.stop = context.WithCancel(context.Background())
	m.closing = m.life.Done()
	m.abandon = sync.OnceFunc(func() { close(m.abandoned) })
	m.propose = newProposer(m)
	// Each member has a pool. With a quarter of the room each, a few members do not drive out each other's sessions
	// in use.
	m.pool = newSessionPool(max(1, c.Sessions/4), m.NewSession)
	err = m.open(s)
	if err != nil {
		m.stop()
		return nil, err
	}
	err = cmp.Or(m.recover(), m.cause())
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// open makes all parts and starts them. An error closes the parts that are open.
func (m *Member) open(s seam) error {
	var err error
	if m.config.Clock != nil {
		m.jump, err = m.config.Clock.Ticks(m.config.MaxJump)
		if err != nil {
			return limits.Invalid("Config.Clock", *m.config.Clock, err.Error())
		}
	}
	m.machine, err = newMachine(&m.config)
	if err != nil {
		return err
	}
	m.machine.version = cmp.Or(s.version, Version)
	if s.carry != nil {
		m.machine.carry = s.carry
	}
	m.hook()
	if s.disk == nil {
		s.disk = openDisk
	}
	m.disk, err = s.disk(m.config.Dir, m.config.Log)
	if err != nil {
		return err
	}
	err = m.start(s)
	if err != nil {
		m.machine.close()
		return errors.Join(err, m.disk.close())
	}
	return nil
}

// hook makes the machine tell the member of fingerprints, seals, snapshots and troubles.
func (m *Member) hook() {
	m.machine.on = hooks{
		hashed: func(index uint64, sum [32]byte) {
			select {
			case m.hashed <- fingerprint{index, sum}:
			default: // the fingerprint of an earlier mark still waits to be reported
			}
		},
		voters: func() []string { return m.electors() },
		compared: func(index uint64, equal bool) {
			m.config.Metrics.Check(equal)
			if !equal {
				m.config.Log.Warn("the members do not have the same state", "id", m.config.ID, "entry", index)
			}
		},
		troubled: m.logTrouble,
		reread:   m.reread,
		sealed:   func() { notify(m.snapshotter.wake) },
		carried:  m.config.Metrics.Entry,
		wrote:    m.config.Metrics.Snapshot,
	}
}

// start reads the state back, starts Raft, and then the goroutines beside Raft. No message of Raft and no call is taken
// before up is set.
func (m *Member) start(s seam) error {
	err := checkDiverged(m.disk.stable)
	if err != nil {
		return err
	}
	raftLog := newRaftLog(m.config.Log)
	err = m.connect(s, raftLog)
	if err != nil {
		return err
	}
	err = m.readDeskID(guardedVotes{m.disk.stable, m.guard()})
	if err == nil {
		err = m.loadSnapshot()
	}
	if err == nil {
		err = m.checkEntries(m.disk.log)
	}
	if err == nil {
		err = m.writeFirstMembers(m.disk.log, m.disk.stable)
	}
	if err == nil {
		m.raft, err = m.engine(raftLog)
	}
	if err != nil {
		return errors.Join(err, m.disconnect(), m.lease.Close())
	}
	heard := make(chan raft.Observation, 256)
	m.raft.RegisterObserver(raft.NewObserver(heard, false, func(o *raft.Observation) bool {
		switch o.Data.(type) {
		case raft.RaftState, raft.LeaderObservation:
			return true
		}
		return false
	}))
	m.config.Metrics.State(stateName(raft.Follower), m.raft.CurrentTerm())
	m.noteMembers()
	m.up.Store(true)
	m.propose.start()
	m.routines.Go(func() { m.observe(heard) })
	m.routines.Go(m.duties)
	m.routines.Go(m.watchDisk)
	m.routines.Go(func() { m.snapshotter.run(m) })
	if m.bootstrap.waits.Load() {
		m.routines.Go(func() { m.runBootstrap(m.firstMembers()) })
	}
	return nil
}

// guard returns the acts of this member on writes and errors of its disk.
func (m *Member) guard() *storeGuard {
	return &storeGuard{
		failed: m.diskFailed.Load, fail: m.failDisk,
		write: m.watchdog.run, erred: func() { notify(m.wakeDiskWatch) },
	}
}

// engine starts Raft. Raft reads entries meanwhile; a read that fails stops the member and ends its goroutine
// (guardedLog), so Raft is started in a goroutine of its own.
func (m *Member) engine(raftLog hclog.Logger) (r *raft.Raft, err error) {
	cache, err := raft.NewLogCache(cached, guardedLog{m.disk.log, m.guard()})
	if err != nil {
		return nil, err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		r, err = raft.NewRaft(m.settings(raftLog), fsm{m.machine, m}, cache, guardedVotes{m.disk.stable, m.guard()}, m.disk.snaps, m.lease)
	}()
	<-done
	if r == nil && err == nil {
		err = m.cause()
	}
	return r, err
}

// cached is how many of the last entries stay in memory. Raft reads them for each follower, and again to carry them
// out. At 512 calls of 50 bytes they take 3 MiB.
const cached = 128

// connect makes the transport of Raft, and the calls to other members.
func (m *Member) connect(s seam, raftLog hclog.Logger) error {
	var t raft.Transport
	switch {
	case m.config.Transport != nil:
		t = m.config.Transport
	case m.config.Bind != "":
		n, err := openNetwork(&m.config, m, m.machine.id.Load, m.config.Log, raftLog)
		if err != nil {
			return err
		}
		t = n.transport
		m.others = func(p Peer) leaderAPI { return n.peers.at(p.Address) }
		m.disconnected = n.close
	default:
		address, alone := raft.NewInmemTransport(raft.ServerAddress(m.config.ID))
		alone.Connect(address, alone)
		t = alone
	}
	m.lease = peerlink.NewLease(t, m.machine.id.Load, m.mayLead, m.checkMessage)
	if s.others != nil {
		m.others = s.others
	}
	return nil
}

// recover waits until a member that is alone has carried out its log. There is no leader whose silence it must wait
// out, so it tells itself to start an election, as a leader that hands over would.
func (m *Member) recover() error {
	if !m.onlyVoter.Load() {
		return m.machine.err()
	}
	self := m.lease.LocalAddr()
	id := raft.ServerID(m.config.ID)
	q := raft.TimeoutNowRequest{RPCHeader: raft.RPCHeader{ProtocolVersion: raft.ProtocolVersionMax, ID: []byte(id), Addr: m.lease.EncodePeer(id, self)}}
	m.routines.Go(func() {
		err := m.lease.TimeoutNow(id, self, &q, &raft.TimeoutNowResponse{})
		if err != nil {
			m.config.Log.Debug("the first election takes its time", "err", err)
		}
	})
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
			m.config.Log.Warn("the only voter does not lead yet: is its disk full?", "id", m.config.ID)
			return nil
		}
	}
	return m.machine.err()
}

// logTrouble logs a command that panics, or that has used up its steps.
func (m *Member) logTrouble(t trouble) {
	list := []any{"id", m.config.ID, "entry", t.index, "err", t.err}
	if t.from != nil {
		list = append(list, "session", fmt.Sprintf("%016x", uint64(t.from.session)), "number", t.from.number)
	}
	if t.command != nil {
		list = append(list, "owner", t.owner(), "command", commandText(t.command))
	}
	if t.stack == nil {
		m.config.Log.Warn("a command has used up its steps, and is refused", list...)
		return
	}
	m.config.Log.Error("a command panics, and is refused", append(list, "stack", string(t.stack))...)
	notify(m.panicked)
}
