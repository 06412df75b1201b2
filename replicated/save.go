package replicated

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/hashicorp/raft"
)

// saves writes snapshots: when the log has grown by Config.SnapshotEvery, when the state is sealed, or when somebody asks.
type saves struct {
	wake   chan struct{}
	asked  chan chan error
	grown  atomic.Int64 // bytes of entries since the last snapshot was begun
	total  atomic.Int64 // bytes of entries since the start
	sealed atomic.Bool  // the last snapshot is of a sealed state
	begun  bool         // the snapshot that is written is of a sealed state
	told   broadcast
	past   []sample
}

// sample is how long the log was at a time.
type sample struct {
	at    time.Time
	index uint64
	bytes int64
}

// run writes snapshots until the member ends. One that fails is tried again a while later.
func (s *saves) run(m *Member) {
	again := time.NewTicker(time.Second)
	defer again.Stop()
	for {
		var who chan error
		select {
		case <-m.closing:
			return
		case who = <-s.asked:
		case <-s.wake:
		case <-again.C:
			s.sample(m)
		}
		if who == nil && !s.due(m) {
			continue
		}
		err := s.write(m)
		if who != nil {
			who <- err
		} else if err != nil {
			m.config.Log.Warn("no snapshot is written", "err", err)
		}
	}
}

// due reports whether a snapshot is wanted.
func (s *saves) due(m *Member) bool {
	return s.grown.Load() >= m.config.SnapshotEvery || m.machine.sealed() && !s.sealed.Load()
}

// write writes a snapshot. The log before it goes, but for a minute's entries, so that a member that was away for so long
// is sent entries, and no snapshot.
func (s *saves) write(m *Member) error {
	settings := m.raft.ReloadableConfig()
	settings.TrailingLogs = s.trailing(m, time.Now())
	err := m.raft.ReloadConfig(settings)
	if err != nil {
		return err
	}
	if !m.begin() {
		return m.refusalOr(ErrClosed)
	}
	defer m.futures.Done()
	err = m.raft.Snapshot().Error()
	if errors.Is(err, raft.ErrNothingNewToSnapshot) {
		err = nil // the last one has all
	}
	if err != nil {
		notify(m.worried)
		return fmt.Errorf("replicated: %w", err)
	}
	s.told.tell()
	return nil
}

// The log keeps entries of a minute behind a snapshot, but not more than some times SnapshotEvery.
const (
	keepFor   = time.Minute
	keepTimes = 4
)

// sample remembers how long the log is now.
func (s *saves) sample(m *Member) {
	now := time.Now()
	s.past = append(s.past, sample{now, m.machine.applied(), s.total.Load()})
	for len(s.past) > 1 && now.Sub(s.past[0].at) > keepFor {
		s.past = s.past[1:]
	}
}

// trailing returns how many entries stay in the log behind a snapshot.
func (s *saves) trailing(m *Member, now time.Time) uint64 {
	index, bytes := m.machine.applied(), s.total.Load()
	for _, p := range s.past {
		if now.Sub(p.at) <= keepFor && bytes-p.bytes <= keepTimes*m.config.SnapshotEvery {
			return max(index-p.index, leastTrailing)
		}
	}
	return leastTrailing
}

// leastTrailing is how many entries stay at least: those of a few seconds.
const leastTrailing = 1024

// wait writes a snapshot now.
func (s *saves) wait(ctx context.Context, m *Member) error {
	done := make(chan error, 1)
	select {
	case s.asked <- done:
	case <-m.closing:
		return m.refusalOr(ErrClosed)
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// whenSealed waits until a snapshot of the sealed state is there.
func (s *saves) whenSealed(ctx context.Context, m *Member) error {
	for {
		told, change := s.told.wait(), m.change.wait()
		if m.machine.sealed() && s.sealed.Load() {
			return nil
		}
		err := m.refusal()
		if err != nil {
			return err
		}
		notify(s.wake)
		select {
		case <-told:
		case <-change:
		case <-time.After(100 * time.Millisecond):
		case <-m.closing:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// never is a number of entries that no log has: Raft itself never decides to write a snapshot.
const never = math.MaxUint64
