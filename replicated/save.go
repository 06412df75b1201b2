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
	wake  chan struct{}
	asked chan chan error
	seal  atomic.Uint64 // index of the last entry that has sealed the state
	saved atomic.Uint64 // seal as it was when the last snapshot of a sealed state was begun
	told  broadcast     // of each snapshot

	// These belong to run.
	past []sample
	next backoff
}

// notSealed is an index that no entry has.
const notSealed = math.MaxUint64

// sample is how long the log was at a time.
type sample struct {
	at    time.Time
	index uint64
}

func newSaves() saves {
	return saves{wake: make(chan struct{}, 1), asked: make(chan chan error), next: backoff{least: time.Second, most: time.Minute}}
}

// run writes snapshots until the member ends. One that fails is tried again a while later: each try writes as much as the
// disk takes, which may be most of a snapshot. One that somebody asks for is tried at once.
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
		if who == nil && !(s.due(m) && s.next.isDue(time.Now())) {
			continue
		}
		err := s.write(m)
		if err == nil {
			s.next.succeed()
		} else {
			s.next.fail(time.Now())
		}
		if who != nil {
			who <- err
		} else if err != nil {
			m.config.Log.Warn("no snapshot is written", "err", err, "again after", s.next.wait)
		}
	}
}

// due reports whether a snapshot is wanted.
func (s *saves) due(m *Member) bool {
	return m.machine.pending() >= m.config.SnapshotEvery || m.machine.sealed() && !s.isSaved()
}

// isSaved reports whether a sealed state is in a snapshot.
func (s *saves) isSaved() bool { return s.saved.Load() == s.seal.Load() }

// write writes a snapshot. The log before it goes, but for a minute's entries, so that a member that was away for so long
// is sent entries, and no snapshot.
func (s *saves) write(m *Member) error {
	settings := m.raft.ReloadableConfig()
	settings.TrailingLogs = s.trailing(m, time.Now())
	err := m.raft.ReloadConfig(settings)
	if err != nil {
		return err
	}
	sealed, seal := m.machine.sealed(), s.seal.Load()
	err = m.await(context.Background(), func() error { return m.raft.Snapshot().Error() })
	if errors.Is(err, raft.ErrNothingNewToSnapshot) {
		err = nil // the last one has all
	}
	if err != nil {
		notify(m.worried)
		return fmt.Errorf("replicated: %w", err)
	}
	if sealed {
		s.saved.Store(seal)
	}
	s.told.tell()
	return nil
}

// The log keeps entries of a minute behind a snapshot, and some before them.
const (
	keepFor       = time.Minute
	leastTrailing = 1024
)

// sample remembers how long the log is now.
func (s *saves) sample(m *Member) {
	now := time.Now()
	s.past = append(s.past, sample{at: now, index: m.machine.applied()})
	for len(s.past) > 1 && now.Sub(s.past[0].at) > keepFor {
		s.past = s.past[1:]
	}
}

// trailing returns how many entries stay in the log behind a snapshot.
func (s *saves) trailing(m *Member, now time.Time) uint64 {
	index := m.machine.applied()
	for _, p := range s.past {
		if now.Sub(p.at) <= keepFor {
			return index - p.index + leastTrailing
		}
	}
	return leastTrailing
}

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
		told := s.told.wait()
		if m.machine.sealed() && s.isSaved() {
			return nil
		}
		err := m.refusal()
		if err != nil {
			return err
		}
		notify(s.wake)
		select {
		case <-told:
		case <-time.After(100 * time.Millisecond):
		case <-m.closing:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// never is a number of entries that no log has: Raft itself never decides to write a snapshot.
const never = math.MaxUint64
