package replicated

import (
	"errors"

	"github.com/hashicorp/raft"
)

// Reasons to refuse messages of Raft.
var (
	errNotUp    = errors.New("replicated: the member is not up yet")
	errFounding = errors.New("replicated: the member has no state, and waits for the other first members")
	errEmpty    = errors.New("replicated: the member has no state, and so no vote")
)

// admits returns why a message of Raft is refused; nil if it is taken.
func (m *Member) admits(rpc raft.RPC) error {
	switch {
	case !m.up.Load():
		return errNotUp
	case m.founding.waits.Load():
		return errFounding
	}
	switch rpc.Command.(type) {
	case *raft.RequestVoteRequest, *raft.RequestPreVoteRequest:
		if m.raft.LastIndex() == 0 {
			return errEmpty // comes before sameDesk: the member must not learn a desk from a candidate that it gives no vote
		}
	}
	return m.sameDesk(rpc)
}
