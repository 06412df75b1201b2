package replicated

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"github.com/hashicorp/raft"
)

// observe notes changes of the state and of the leader, until the member ends.
func (m *Member) observe(heard <-chan raft.Observation) {
	for {
		select {
		case <-m.closing:
			return
		case <-m.machine.failed():
			m.fail(m.machine.err())
			return
		case <-m.membersChanged:
		case o := <-heard:
			state, ok := o.Data.(raft.RaftState)
			if ok {
				notify(m.wakeDiskWatch) // a new leader whose disk is full hands over without waiting for the next look at the disk
				m.config.Metrics.State(stateName(state), m.raft.CurrentTerm())
			}
		}
		m.noteMembers()
	}
}

// noteMembers notes who the members are, and wakes all who wait for a change.
func (m *Member) noteMembers() {
	self, ok := m.find(m.config.ID)
	_, leader := m.raft.LeaderWithID()
	if ok {
		m.wasMember.Store(true)
	}
	m.removed.Store(!ok && leader == "" && m.wasMember.Load())
	m.onlyVoter.Store(ok && self.Suffrage == raft.Voter && m.voters() == 1)
	if !m.onlyVoter.Load() {
		m.readyAlone.Store(false)
	}
	m.change.tell()
}

// duties does the work of a leader while this member leads: the clock, and requests for fingerprints.
func (m *Member) duties() {
	ctx := m.life
	again := time.NewTicker(ticks)
	defer again.Stop()
	var asked time.Time // when this leader last asked for fingerprints, or began to lead; zero for others
	every := m.config.CheckEvery
	for {
		change := m.change.wait()
		if m.raft.State() == raft.Leader {
			m.becomeReady()
			m.tick(ctx)
			if asked.IsZero() {
				asked = time.Now()
			}
			if time.Since(asked) >= every {
				asked, every = time.Now(), m.config.CheckEvery
				m.propose.quietly(ctx, call{op: mark})
			}
		} else {
			asked, every = time.Time{}, m.config.CheckEvery
		}
		select {
		case <-m.closing:
			return
		case <-change:
		case <-again.C:
		case <-m.panicked:
			every = min(every, afterPanic)
		case f := <-m.hashed:
			m.routines.Go(func() { m.report(f) })
		}
	}
}

// afterPanic is the most time between the last request for fingerprints and the next one, once a command has panicked on
// the leader: a command that does not panic on the others has made the states differ.
const afterPanic = time.Minute

// report puts the fingerprint of this member into the log, if it is a voter. A report that is lost is only missing in
// one comparison.
func (m *Member) report(f fingerprint) {
	if !slices.Contains(m.electors(), m.config.ID) || m.machine.sealed() {
		return
	}
	ctx, stop := context.WithTimeout(m.life, 10*m.config.Election)
	defer stop()
	body := append(binary.LittleEndian.AppendUint64(nil, f.index), f.sum[:]...)
	a := m.sendOnce(ctx, call{op: report, body: append(body, m.config.ID...)})
	if a.err != nil {
		m.config.Log.Info("the fingerprint of this member is not reported", "err", a.err)
	}
}

// becomeReady makes a new leader ready: all entries of earlier terms are carried out first. Then the leader corrects its
// own address, which may have changed since the others learned it.
func (m *Member) becomeReady() {
	term := m.raft.CurrentTerm()
	if m.ready.Load() == term {
		return
	}
	err := m.await(m.life, func() error { return m.raft.Barrier(0).Error() })
	if err != nil || m.raft.CurrentTerm() != term || m.raft.State() != raft.Leader {
		return
	}
	m.readyAlone.Store(m.onlyVoter.Load())
	m.ready.Store(term)
	m.change.tell()
	self, ok := m.find(m.config.ID)
	if !ok || self.Address == m.lease.LocalAddr() || self.Suffrage != raft.Voter {
		return
	}
	err = m.await(m.life, func() error {
		return m.raft.AddVoter(self.ID, m.lease.LocalAddr(), 0, m.config.Election).Error()
	})
	if err != nil && !errors.Is(err, raft.ErrNotLeader) && !errors.Is(err, ErrUnknown) {
		m.config.Log.Warn("the new address of the leader is not known to the others", "err", err)
	}
}

// watchDisk looks at the disk each second, after an error of the log, and when the state of Raft changes, until the
// member ends.
func (m *Member) watchDisk() {
	again := time.NewTicker(ticks)
	defer again.Stop()
	for {
		m.checkFreeRoom()
		select {
		case <-m.closing:
			return
		case <-again.C:
		case <-m.wakeDiskWatch:
		}
	}
}

// checkFreeRoom notes whether the disk is full. A leader whose disk is full hands over.
func (m *Member) checkFreeRoom() {
	left, err := m.disk.space()
	if err != nil {
		m.config.Log.Warn("the free room on the disk is not known", "err", err)
		return
	}
	full := left < m.config.Reserve
	before := m.full.Swap(full)
	if before != full {
		m.config.Log.Warn("the room on the disk has changed", "full", full, "bytes", left)
	}
	if full {
		m.handOver(m.life)
	} else {
		m.handover.reset()
	}
}
