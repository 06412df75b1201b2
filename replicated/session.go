package replicated

import (
	"context"

	"github.com/bookahead/bookahead/desk"
)

// NewSession opens a session for a caller who numbers calls: one who may die before the answer comes, and ask again.
// Member.Do needs none.
func (m *Member) NewSession(ctx context.Context) (SessionID, error) { panic("not yet") }

// DoOnce carries out a call, or answers it as it was answered before. The same session and number stand for the
// same command: another one is answered as the first. The error wraps ErrSession if the members have forgotten the session,
// or have answered a later call of it.
func (m *Member) DoOnce(ctx context.Context, c Call) (desk.Outcome, error) { panic("not yet") }
