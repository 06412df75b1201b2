package replicated

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// leading returns an error if this member does not lead, or takes no calls.
func (m *Member) leading() error {
	err := m.refusal()
	if err == nil && !m.isLeader() {
		return m.notLeader()
	}
	return err
}

// send sends a call to the leader until there is an answer. Sending again is safe: the session of a command shows
// that it was carried out, and the other calls do no harm twice.
func (m *Member) send(ctx context.Context, c call) (a answer) {
	err := m.try(ctx, func() error {
		a = m.sendOnce(ctx, c)
		return a.err
	})
	if err != nil {
		a.err = err
	}
	return a
}

// ask calls the leader until there is an answer. A call whose answer was lost is repeated, since these calls do no
// harm twice.
func (m *Member) ask(ctx context.Context, call func(leaderAPI) error) error {
	return m.try(ctx, func() error { return m.askOnce(call) })
}

// sendOnce sends a call to the leader once. The leader here returns a copy of the answer, since its own is shared with
// the desk.
func (m *Member) sendOnce(ctx context.Context, c call) answer {
	err := m.refusal()
	if err != nil {
		return answer{err: err}
	}
	if m.isLeader() {
		a := m.lead(ctx, c)
		a.outcome = copyOf(a.outcome)
		return a
	}
	to, err := m.leader()
	if err != nil {
		return answer{err: err}
	}
	return fromAnother(to.carryOut(ctx, c))
}

// askOnce calls the leader once.
func (m *Member) askOnce(call func(leaderAPI) error) error {
	err := m.refusal()
	if err != nil {
		return err
	}
	if m.isLeader() {
		return call(m)
	}
	to, err := m.leader()
	if err != nil {
		return err
	}
	return fromAnother(answer{err: call(to)}).err
}

// leader returns the calls of the leader. The error is a NotLeaderError if no leader is known, or none can be
// reached. It is ErrFull if this member is the only voter, and has lost the lead because its disk has no room.
func (m *Member) leader() (leaderAPI, error) {
	at := m.notLeader()
	if m.others != nil && m.stepsAside() {
		at.Leader = m.guessLeader()
	}
	switch {
	case m.full.Load() && m.onlyVoter.Load():
		return nil, ErrFull
	case m.others == nil, at.Leader.ID == "", at.Leader.ID == m.config.ID:
		return nil, at
	}
	return m.others(at.Leader), nil
}

// fromAnother makes an error of a member that has ended into ErrNotLeader, so that the caller asks another member.
func fromAnother(a answer) answer {
	if errors.Is(a.err, ErrUnknown) {
		return a
	}
	if errors.Is(a.err, ErrClosed) || errors.Is(a.err, ErrStopped) {
		a.err = &NotLeaderError{}
	}
	return a
}

// try repeats a call to the leader until there is an answer, and tells Metrics of a refusal.
func (m *Member) try(ctx context.Context, call func() error) error {
	err := retry(call, m.isRetryable, func(try int, cause error) error { return m.waitToRetry(ctx, try, cause) })
	if isRefusal(err) {
		m.config.Metrics.Refused(refusalName(err))
	}
	return err
}

// isRetryable reports whether another try may have a better answer than err: from another leader, or from this member a
// moment later.
func (m *Member) isRetryable(err error) bool {
	var at *NotLeaderError
	return errors.Is(err, ErrUnknown) || errors.Is(err, errNotReached) ||
		errors.Is(err, ErrNotLeader) && (m.others != nil || errors.As(err, &at) && at.Leader.ID == m.config.ID)
}

// waitToRetry waits before the next try. The wait ends early if the leader changes. The error ends the tries: ctx has
// ended.
func (m *Member) waitToRetry(ctx context.Context, try int, cause error) error {
	change := m.change.wait()
	wait := min(time.Millisecond<<min(try, 10), 100*time.Millisecond)
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-change:
	case <-m.closing:
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", ctx.Err(), cause)
	}
	return nil
}

// lead carries a call out on the leader.
func (m *Member) lead(ctx context.Context, c call) answer {
	if m.full.Load() {
		return answer{err: m.fullError()}
	}
	if c.op == openSession {
		c.session = drawSession()
	}
	return m.propose.do(ctx, c)
}

// carryOut carries out a call that another member has forwarded.
func (m *Member) carryOut(ctx context.Context, c call) answer {
	err := m.leading()
	if err != nil {
		return answer{err: err}
	}
	return m.lead(ctx, c)
}
