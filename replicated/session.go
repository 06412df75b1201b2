package replicated

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/internal/limits"
)

// NewSession opens a session for a caller that numbers its calls, because it may die before an answer comes, and ask
// again after that. Member.Do needs no session of the caller.
func (m *Member) NewSession(ctx context.Context) (SessionID, error) {
	a := m.send(ctx, call{op: openSession})
	return a.session, a.err
}

// DoOnce carries out a call, or returns the answer that it was given before. A session and a number stand for one
// command: for another command the error wraps bookahead.ErrInvalid. The error wraps ErrSession if the members have
// forgotten the session, or have carried out a call of it with a higher number.
func (m *Member) DoOnce(ctx context.Context, c Call) (desk.Outcome, error) {
	err := c.check()
	if err != nil {
		return desk.Outcome{}, err
	}
	body, err := m.encode(c.Command)
	if err != nil {
		return desk.Outcome{}, err
	}
	a := m.send(ctx, call{op: doCommand, session: c.Session, number: c.Number, body: body})
	return a.outcome, a.err
}

// check returns an error that wraps bookahead.ErrInvalid if the call has no session or no number.
func (c *Call) check() error {
	switch {
	case c.Session == 0:
		return limits.Invalid("Call.Session", 0, "is no session: NewSession opens one")
	case c.Number == 0:
		return limits.Invalid("Call.Number", 0, "is no number: calls are numbered from 1")
	}
	return nil
}

// send sends a call to the leader until there is an answer. Sending again is safe: the session of a command shows
// that it was carried out, and the other calls do no harm twice.
func (m *Member) send(ctx context.Context, c call) (a answer) {
	err := m.try(ctx, func() error {
		a = m.once(ctx, c)
		return a.err
	})
	if err != nil {
		a.err = err
	}
	return a
}

// once sends a call to the leader once. The leader here returns a copy of the answer, since its own is shared with
// the desk.
func (m *Member) once(ctx context.Context, c call) answer {
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

// leader returns the calls of the leader. The error is a NotLeaderError if no leader is known, or none can be
// reached. It is ErrFull if this member is the only voter, and has lost the lead because its disk has no room.
func (m *Member) leader() (leaderCalls, error) {
	at := m.notLeader()
	if m.others != nil && m.givesWay() {
		at.Leader = m.guess()
	}
	switch {
	case m.full.Load() && m.sole.Load():
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

// lead carries a call out on the leader.
func (m *Member) lead(ctx context.Context, c call) answer {
	if m.full.Load() {
		return answer{err: m.fullness()}
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

// pool has sessions for Do. Each session serves one call at a time. The session that was used last is taken first, so
// the others stay idle and are forgotten when room is short.
type pool struct {
	open func(context.Context) (SessionID, error)
	room chan struct{} // one token for each session in use
	mu   sync.Mutex
	idle []session
}

// session is a session that this pool has opened.
type session struct {
	id   SessionID
	last uint64 // the highest number that was used
}

// newPool returns a pool that has at most most sessions.
func newPool(most int, open func(context.Context) (SessionID, error)) *pool {
	return &pool{open: open, room: make(chan struct{}, most)}
}

// do carries out a command in a session of the pool. send sends the call until there is an answer.
func (p *pool) do(ctx context.Context, body []byte, send func(context.Context, call) answer) (desk.Outcome, error) {
	for {
		s, err := p.take(ctx)
		if err != nil {
			return desk.Outcome{}, err
		}
		a := send(ctx, call{op: doCommand, session: s.id, number: s.last + 1, body: body})
		forgotten := p.give(s, a.err)
		if forgotten {
			continue // the session was idle for too long; the call was not carried out, so a new session may carry it out
		}
		return a.outcome, a.err
	}
}

// take returns a session that is idle, or a new one.
func (p *pool) take(ctx context.Context) (session, error) {
	select {
	case p.room <- struct{}{}:
	case <-ctx.Done():
		return session{}, fmt.Errorf("replicated: no session is free: %w", ctx.Err())
	}
	p.mu.Lock()
	n := len(p.idle)
	if n > 0 {
		s := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return s, nil
	}
	p.mu.Unlock()
	id, err := p.open(ctx)
	if err != nil {
		<-p.room
		return session{}, withoutSession(err)
	}
	return session{id: id}, nil
}

// withoutSession returns the error of a call whose session could not be opened. An ErrUnknown speaks of the session
// only: the call itself was not carried out, so the error must not be an ErrUnknown.
func withoutSession(err error) error {
	if !errors.Is(err, ErrUnknown) {
		return err
	}
	return noSession{err}
}

// noSession wraps an error, and is no ErrUnknown.
type noSession struct{ of error }

func (e noSession) Error() string { return fmt.Sprintf("replicated: no session is open: %v", e.of) }

func (e noSession) Is(target error) bool { return target != ErrUnknown && errors.Is(e.of, target) }

func (e noSession) As(target any) bool { return errors.As(e.of, target) }

// give returns a session to the pool. The number of the call counts as used, also if the call was refused or its fate
// is unknown: numbers may skip. give reports whether the members have forgotten the session; the call was then not
// carried out, and the session is dropped.
func (p *pool) give(s session, err error) (forgotten bool) {
	<-p.room
	if errors.Is(err, ErrSession) {
		return !errors.Is(err, ErrUnknown)
	}
	s.last++
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, s)
	return false
}
