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

// snapshotter writes snapshots: when the log has grown by Config.SnapshotEvery, when the state is sealed, and when a caller
// asks.
type snapshotter struct {
	wake    chan struct{}
	asked   chan chan error
	saved   atomic.Uint64 // machine.sealedAt in the newest snapshot
	written broadcast     // each snapshot that was written

	// past and next belong to run.
	past []sample
	next backoff
}

// sample is the index of the last entry that was carried out, at a time.
type sample struct {
	at    time.Time
	index uint64
}

func newSnapshotter() snapshotter {
	return snapshotter{wake: make(chan struct{}, 1), asked: make(chan chan error), next: backoff{least: time.Second, most: time.Minute}}
}

// run writes snapshots until the member ends. A snapshot that fails is tried again a while later, since each try may
// write as much as the disk takes, perhaps most of a snapshot. A snapshot for a caller is tried at once.
func (s *snapshotter) run(m *Member) {
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
			s.sampleIndex(m)
		}
		if who == nil && !(s.isDue(m) && s.next.isDue(time.Now())) {
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

// isDue reports whether a snapshot should be written: the log has grown, or the sealed state is in no snapshot yet.
func (s *snapshotter) isDue(m *Member) bool {
	return m.machine.pending() >= m.config.SnapshotEvery || m.machine.sealed() && !s.hasSealed(m)
}

// errUnsealed means that a Seal was undone while it waited for its snapshot.
var errUnsealed = errors.New("replicated: another caller has unsealed the state")

// hasSealed reports whether the state is sealed, and in a snapshot.
func (s *snapshotter) hasSealed(m *Member) bool {
	at := m.machine.sealedAt.Load()
	return at != 0 && s.saved.Load() == at
}

// write writes a snapshot, and shortens the log. The entries of the last minute stay in the log: a member that was
// away for less is sent entries, and needs no snapshot.
func (s *snapshotter) write(m *Member) error {
	settings := m.raft.ReloadableConfig()
	settings.TrailingLogs = s.trailing(m, time.Now())
	err := m.raft.ReloadConfig(settings)
	if err != nil {
		return err
	}
	sealed := m.machine.sealedAt.Load() // if an entry unseals the state meanwhile, no later seal has this index
	err = m.await(context.Background(), func() error { return m.raft.Snapshot().Error() })
	if errors.Is(err, raft.ErrNothingNewToSnapshot) {
		err = nil // the snapshot before has the whole state
	}
	if err != nil {
		notify(m.wakeDiskWatch)
		return fmt.Errorf("replicated: %w", err)
	}
	s.saved.Store(sealed)
	s.written.tell()
	return nil
}

// keepFor is the time whose entries stay in the log behind a snapshot; leastTrailing entries more stay always.
const (
	keepFor       = time.Minute
	leastTrailing = 1024
)

// sampleIndex notes the index of the last entry that was carried out, and forgets samples that are older than keepFor.
func (s *snapshotter) sampleIndex(m *Member) {
	now := time.Now()
	s.past = append(s.past, sample{at: now, index: m.machine.applied()})
	for len(s.past) > 1 && now.Sub(s.past[0].at) > keepFor {
		s.past = s.past[1:]
	}
}

// trailing returns how many entries stay in the log behind a snapshot.
func (s *snapshotter) trailing(m *Member, now time.Time) uint64 {
	index := m.machine.applied()
	for _, p := range s.past {
		if now.Sub(p.at) <= keepFor {
			return index - p.index + leastTrailing
		}
	}
	return leastTrailing
}

// writeNow makes run write a snapshot now, and returns the error of that.
func (s *snapshotter) writeNow(ctx context.Context, m *Member) error {
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

// awaitSealed waits until the sealed state is in a snapshot. The error says so if the state is sealed no more.
func (s *snapshotter) awaitSealed(ctx context.Context, m *Member) error {
	for {
		told := s.written.wait()
		if s.hasSealed(m) {
			return nil
		}
		err := m.refusal()
		if err != nil {
			return err
		}
		if !m.machine.sealed() {
			return errUnsealed
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

// never is more entries than any log has: Raft itself never decides to write a snapshot.
const never = math.MaxUint64
