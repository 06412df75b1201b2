package replicated

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/raft"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// Member is one of those that keep a desk. Any number of goroutines may call its methods.
type Member struct {
	config  Config
	jump    bookahead.Duration // Config.MaxJump in ticks; -1 without a clock
	machine *machine
	disk    *disk
	raft    *raft.Raft
	ears    *ears                  // the transport, which listens
	others  func(Peer) leaderCalls // nil if calls are not forwarded
	propose *proposer
	pool    *pool
	reads   reads
	saves   saves
	writes  writes
	relief  relief

	founding founding
	desk     ownDesk

	disconnected func() error // ends the network; nil if there is none

	hashed  chan fingerprint // of the last mark
	worried chan struct{}    // is told of an error of the log, and of a new state, so that the disk is looked at
	moved   chan struct{}    // is told that members came or went
	change  broadcast        // of the leader, the state, the members or ready

	up        atomic.Bool   // raft is set
	leads     atomic.Bool   // as it was last heard
	full      atomic.Bool   // the disk has less than Config.Reserve
	was       atomic.Bool   // it is a member, or was one
	gone      atomic.Bool   // it was a member, and is none
	sole      atomic.Bool   // it is the only one that counts for a majority
	ready     atomic.Uint64 // the term in which it leads, and has carried out all entries of earlier terms
	readySole atomic.Bool   // it has been the only one ever since it was ready
	lastEntry atomic.Int64  // when an entry was last put into the log, in nanoseconds
	jumped    atomic.Int64  // where the desk stood when its clock could not jump
	guesses   atomic.Uint64 // how often another voter was guessed to lead

	life     context.Context // ends when closing is closed
	closing  <-chan struct{} // is closed when Close begins
	stop     func()          // closes it
	ending   sync.Once
	given    chan struct{} // is closed when the futures of Raft are given up
	giveUp   func()        // closes it
	doing    atomic.Value  // what Close does: a string
	ended    chan struct{} // is closed when nothing is left, or Close has given up
	endErr   error
	stopped  atomic.Pointer[error] // why it has stopped itself
	parted   atomic.Bool           // nothing reaches its disk any more, since the disk has failed
	mu       sync.Mutex            // guards futures against the end
	over     bool                  // no more futures are made
	futures  sync.WaitGroup        // of Raft, which never answers them once it is shut down
	routines sync.WaitGroup
}

// Open starts a member. It returns once the state that was on the disk is back; the error wraps ErrDamaged, with the
// place, if the log or a snapshot is not as it was written, ErrVersion if it is of another version, or
// bookahead.ErrInvalid if a field of Config is wrong. Nothing is changed on the disk then.
func Open(c Config) (*Member, error) { return openWith(c, seam{}) }

// Do carries out a command, once: it is sent again until it has an answer or ctx ends, also to another leader. It is on
// the disks of most members when Do returns. Errors of the desk are as desk.Desk.Do has them; the error wraps ErrUnknown
// and that of ctx if ctx ends first.
func (m *Member) Do(ctx context.Context, c desk.Command) (desk.Outcome, error) {
	body, err := m.encode(c)
	if err != nil {
		return desk.Outcome{}, err
	}
	return m.pool.do(ctx, body, m.send)
}

// fail ends the member by itself, or lets Open end it if that has not returned. It keeps its Status.
func (m *Member) fail(cause error) {
	err := fmt.Errorf("%w: %w", ErrStopped, cause)
	if !m.stopped.CompareAndSwap(nil, &err) {
		return
	}
	m.config.Log.Error("the member has stopped itself", "id", m.config.ID, "err", cause)
	m.change.tell()
	if m.up.Load() {
		m.end(false)
	}
}

// cause returns why the member has stopped itself; nil if it has not.
func (m *Member) cause() error {
	err := m.stopped.Load()
	if err == nil {
		return nil
	}
	return *err
}

// part ends the member since its disk has failed, of which nothing more is asked: Raft would go on with a term that is
// not on the disk, or end the process.
func (m *Member) part(cause error) {
	m.parted.Store(true)
	m.giveUp()
	m.fail(cause)
}

// refusal returns why the member takes no calls; nil if it does.
func (m *Member) refusal() error {
	if !m.up.Load() {
		return &NotLeaderError{}
	}
	err := m.cause()
	if err != nil {
		return err
	}
	select {
	case <-m.closing:
		return ErrClosed
	default:
	}
	if m.gone.Load() {
		return ErrClosed
	}
	return nil
}

func (m *Member) refusalOr(otherwise error) error {
	err := m.refusal()
	if err == nil {
		return otherwise
	}
	return err
}

// broadcast wakes all who wait for the next change.
type broadcast struct {
	mu   sync.Mutex
	next chan struct{}
}

// wait returns a channel that is closed by the next tell.
func (b *broadcast) wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.next = make(chan struct{})
	}
	return b.next
}

func (b *broadcast) tell() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		close(b.next)
		b.next = nil
	}
}
