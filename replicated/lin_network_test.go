package replicated

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/hashicorp/raft"
)

// wires decide which messages between members arrive: messages of Raft, and calls to the leader. A message that is
// lost on the way there has no effect. If its answer is lost on the way back, it has an effect that the sender does
// not know of:
//
//	leader ──── entries ──► x    peer               lost on the way there
//	leader ──── entries ────────► peer              lost on the way back: the peer has the entries, and the leader
//	       x ◄──────── yes ─────                    does not know
type wires struct {
	mu     sync.Mutex
	chance *rand.Rand
	closed map[[2]string]bool // keys: from, to
	loss   int                // lost messages of 100
}

var errLost = errors.New("the message is lost")

// lostFor is how long a sender waits before a message counts as lost.
const lostFor = 40 * time.Millisecond

func newWires(seed uint64) *wires {
	return &wires{chance: rand.New(rand.NewPCG(seed, 11)), closed: map[[2]string]bool{}}
}

// loses decides whether a message is lost.
func (n *wires) loses(from, to string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.closed[[2]string{from, to}] || n.loss > 0 && n.chance.IntN(100) < n.loss
}

// half reports true for half of the messages.
func (n *wires) half() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.chance.IntN(2) == 0
}

// lose sets how many of 100 messages are lost.
func (n *wires) lose(loss int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.loss = loss
}

// shut closes one direction.
func (n *wires) shut(from, to string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed[[2]string{from, to}] = true
}

// open opens all directions, and loses no more messages.
func (n *wires) open() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.loss = 0
	clear(n.closed)
}

// pass sends a message, and returns its answer.
func (n *wires) pass(from, to string, send func() error) error {
	if n.loses(from, to) {
		time.Sleep(lostFor)
		return errLost
	}
	err := send()
	if err == nil && n.loses(to, from) {
		time.Sleep(lostFor)
		return errLost
	}
	return err
}

// lossy is a transport that loses messages. It has no pipelines, in which single messages could not be lost.
type lossy struct {
	*raft.InmemTransport
	from string
	n    *wires
}

func (l lossy) AppendEntriesPipeline(raft.ServerID, raft.ServerAddress) (raft.AppendPipeline, error) {
	return nil, raft.ErrPipelineReplicationNotSupported
}

func (l lossy) AppendEntries(id raft.ServerID, to raft.ServerAddress, q *raft.AppendEntriesRequest, a *raft.AppendEntriesResponse) error {
	return l.n.pass(l.from, string(id), func() error { return l.InmemTransport.AppendEntries(id, to, q, a) })
}

func (l lossy) RequestVote(id raft.ServerID, to raft.ServerAddress, q *raft.RequestVoteRequest, a *raft.RequestVoteResponse) error {
	return l.n.pass(l.from, string(id), func() error { return l.InmemTransport.RequestVote(id, to, q, a) })
}

func (l lossy) RequestPreVote(id raft.ServerID, to raft.ServerAddress, q *raft.RequestPreVoteRequest, a *raft.RequestPreVoteResponse) error {
	return l.n.pass(l.from, string(id), func() error { return l.InmemTransport.RequestPreVote(id, to, q, a) })
}

// forwarded are the calls of a leader as another member reaches them.
type forwarded struct {
	leaderAPI
	from, to string
	n        *wires
}

// carryOut loses a call as a connection would. A refused connection shows that the call has not arrived; a broken one
// leaves the call unknown.
func (f forwarded) carryOut(ctx context.Context, c call) answer {
	if f.n.loses(f.from, f.to) {
		if f.n.half() {
			return answer{err: notReached(f.to, errLost)}
		}
		return f.broken(ctx)
	}
	a := f.leaderAPI.carryOut(ctx, c)
	if f.n.loses(f.to, f.from) {
		return f.broken(ctx)
	}
	return a
}

func (f forwarded) broken(ctx context.Context) answer {
	select {
	case <-time.After(lostFor):
		return answer{err: unknown(errLost)}
	case <-ctx.Done():
		return answer{err: unknown(ctx.Err())}
	}
}

func (f forwarded) readIndex(ctx context.Context) (uint64, error) {
	if f.n.loses(f.from, f.to) {
		return 0, notReached(f.to, errLost)
	}
	index, err := f.leaderAPI.readIndex(ctx)
	if f.n.loses(f.to, f.from) {
		return 0, notReached(f.to, errLost)
	}
	return index, err
}
