package replicated

import (
	"context"

	"github.com/bookahead/bookahead"
)

// leaderCalls are the calls that a member takes from others, and carries out itself: it forwards none of them again. If it
// does not lead, the error is a NotLeaderError. If the answer is lost on its way, the caller sees an error that
// wraps ErrUnknown.
type leaderCalls interface {
	// carryOut puts a call into the log: doCommand, openSession, seal or unseal. It is retried by the caller alone. Its
	// body is not checked yet.
	carryOut(ctx context.Context, c call) answer
	// readIndex returns the index up to which a state must be applied to have all that was answered before: the leader
	// has verified that it leads.
	readIndex(ctx context.Context) (uint64, error)
	add(ctx context.Context, p Peer) error
	remove(ctx context.Context, id string) error
	transfer(ctx context.Context, id string) error
	confirmClock(ctx context.Context, to bookahead.Time) error
}
