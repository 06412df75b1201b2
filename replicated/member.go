package replicated

import (
	"context"

	"github.com/bookahead/bookahead/desk"
)

// Member is one of those that keep a desk. Any number of goroutines may call its methods.
type Member struct{}

// Open starts a member. It returns once the state that was on the disk is back; the error wraps ErrDamaged, with the
// place, if the log or a snapshot is not as it was written, ErrVersion if it is of another version, or
// bookahead.ErrInvalid if a field of Config is wrong. Nothing is changed on the disk then.
func Open(c Config) (*Member, error) { panic("not yet") }

// Do carries out a command, once: it is sent again until it has an answer or ctx ends, also to another leader. It is on
// the disks of most members when Do returns. Errors of the desk are as desk.Desk.Do has them; the error wraps ErrUnknown
// and that of ctx if ctx ends first.
func (m *Member) Do(ctx context.Context, c desk.Command) (desk.Outcome, error) { panic("not yet") }

// Close hands leadership over, if the member leads, and ends it. Calls under way end with an error. What was answered
// is on the disk.
func (m *Member) Close() error { panic("not yet") }
