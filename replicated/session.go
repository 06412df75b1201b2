package replicated

import (
	"context"

	"github.com/bookahead/bookahead/desk"
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
