package replicated

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/bookahead/bookahead/desk"
)

// sessionPool has sessions for Do. Each session serves one call at a time. The session that was used last is taken first, so
// the others stay idle and are forgotten when room is short.
type sessionPool struct {
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

// newSessionPool returns a pool that has at most most sessions.
func newSessionPool(most int, open func(context.Context) (SessionID, error)) *sessionPool {
	return &sessionPool{open: open, room: make(chan struct{}, most)}
}

// do carries out a command in a session of the pool. send sends the call until there is an answer.
func (p *sessionPool) do(ctx context.Context, body []byte, send func(context.Context, call) answer) (desk.Outcome, error) {
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
func (p *sessionPool) take(ctx context.Context) (session, error) {
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

// give returns a session to the pool. The number of the call counts as used, also if the call was refused or its fate
// is unknown: numbers may skip. give reports whether the members have forgotten the session; the call was then not
// carried out, and the session is dropped.
func (p *sessionPool) give(s session, err error) (forgotten bool) {
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
