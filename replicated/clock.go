package replicated

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// ConfirmClock lets the clock go ahead to a tick at once. An operator calls it after a JumpError, if the clock is
// right. The error wraps bookahead.ErrInvalid if there is no Config.Clock, or if the tick is ahead of the leader's
// clock.
func (m *Member) ConfirmClock(ctx context.Context, to bookahead.Time) error {
	return m.ask(ctx, func(l leaderAPI) error { return l.confirmClock(ctx, to) })
}

// confirmClock puts an entry into the log whose clock may jump.
func (m *Member) confirmClock(ctx context.Context, to bookahead.Time) error {
	err := m.leading()
	now := m.now()
	switch {
	case err != nil:
		return err
	case m.config.Clock == nil:
		return limits.Invalid("clock", to, "needs a Config.Clock: without one, callers move the clock by desk.Advance")
	case to > now:
		return limits.Invalid("clock", to, fmt.Sprintf("is ahead of the leader's clock, %d", now))
	}
	e := m.entry(to, -1)
	return m.enter(ctx, &e)
}

// now returns the tick of this member's clock. It is -1 if there is no Config.Clock, or if the time is before its
// epoch.
func (m *Member) now() bookahead.Time {
	if m.config.Clock == nil {
		return -1
	}
	now, err := m.config.Clock.Floor(time.Now())
	if err != nil {
		return -1 // too far from the epoch for ticks
	}
	return max(now, -1)
}

// tick puts the clock into the log if the clock has moved, and if no entry has carried it for ticks. A clock that may
// not jump is tried once. Then tick waits until the desk moves, by ConfirmClock or by hand; callers meanwhile get
// JumpErrors.
func (m *Member) tick(ctx context.Context) {
	now, at := m.now(), m.machine.now()
	jumps := bookahead.Duration(now-at) > m.jump && m.jumped.Load() == int64(at)
	if now <= at || jumps || time.Since(time.Unix(0, m.lastEntry.Load())) < ticks || m.full.Load() || m.machine.sealed() {
		return
	}
	e := m.entry(now, m.jump)
	err := m.enter(ctx, &e)
	if errors.Is(err, ErrJump) {
		m.jumped.Store(int64(at))
		m.config.Log.Warn("the clock stands still", "err", err)
	}
}

// now returns the clock of the desk.
func (x *machine) now() bookahead.Time {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.desk.Now()
}

// ticks is how often a leader without calls looks at its clock.
const ticks = time.Second

// enter puts an entry into the log, and waits until the entry is carried out.
func (m *Member) enter(ctx context.Context, e *entry) error {
	if m.full.Load() {
		return m.fullError()
	}
	return m.await(ctx, func() error {
		m.lastEntry.Store(time.Now().UnixNano())
		future := m.raft.Apply(m.bytes(e), 0)
		err := future.Error()
		if err != nil {
			return m.outcomeOf(err)
		}
		switch came := future.Response().(type) {
		case []answer:
			return came[0].err
		case error:
			return unknown(fmt.Errorf("%w: %w", ErrStopped, came))
		}
		return nil
	})
}
