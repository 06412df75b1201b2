package replicated

import (
	"context"
	"errors"
	"time"

	"github.com/bookahead/bookahead/internal/limits"
)

// Read returns the state. It clones the desk, O(s) for s schedules, and commands on this member wait for that. For a
// Linearizable read, a member that follows asks the leader for an index, and waits until it has carried out that
// entry itself: states are never sent.
func (m *Member) Read(ctx context.Context, f Freshness) (View, error) {
	begun := time.Now()
	err := m.stale(ctx, f)
	if err != nil {
		return View{}, err
	}
	m.config.Metrics.Read(f, time.Since(begun))
	return m.machine.view(), nil
}

// stale waits until the state here is fresh enough, or returns an error if it will not be.
func (m *Member) stale(ctx context.Context, f Freshness) error {
	switch f {
	case Linearizable:
		return m.catchUp(ctx)
	case Leading:
		err := m.leading()
		if err == nil || errors.Is(err, ErrNotLeader) && m.readyAlone.Load() {
			err = m.isReady(ctx)
		}
		return err
	case Local:
		err := m.refusal()
		if errors.Is(err, ErrStopped) {
			return err
		}
		return ended(m.closing)
	}
	return limits.Invalid("freshness", f, "is unknown")
}

// ended returns ErrClosed once c is closed.
func ended(c <-chan struct{}) error {
	select {
	case <-c:
		return ErrClosed
	default:
		return nil
	}
}

// catchUp waits until the state here has all commands that were answered before the call.
func (m *Member) catchUp(ctx context.Context) error {
	var index uint64
	err := m.ask(ctx, func(l leaderAPI) error {
		var err error
		index, err = l.readIndex(ctx)
		return err
	})
	if err != nil {
		return err
	}
	if m.machine.applied() >= index {
		return nil
	}
	waits, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(m.life, stop)()
	err = m.machine.await(waits, index)
	if err != nil && ctx.Err() == nil {
		return m.refusalOr(ErrStopped)
	}
	return err
}

// readIndex returns an index whose state has all commands that were answered before the call. A majority of the
// voters must confirm, after the call, that it follows this leader.
//
// The index is that of the last entry carried out here. A leader answers a command only after it has carried the
// command out, and it has carried out all commands of its predecessors before it was ready.
func (m *Member) readIndex(ctx context.Context) (uint64, error) {
	err := m.leading()
	if err == nil {
		err = m.isReady(ctx)
	}
	if err != nil {
		return 0, err
	}
	return m.reads.join(ctx, m)
}

// isReady waits until this leader has carried out all entries of earlier terms.
func (m *Member) isReady(ctx context.Context) error {
	for {
		change := m.change.wait()
		term := m.ready.Load()
		if term == m.raft.CurrentTerm() || m.readyAlone.Load() {
			return nil
		}
		err := m.leading()
		if err != nil {
			return err
		}
		select {
		case <-change:
		case <-m.closing:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
