package replicated

import (
	"context"
	"errors"
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
	ended    chan struct{} // is closed when nothing is left
	endErr   error
	stopped  atomic.Pointer[error] // why it has stopped itself
	dropped  atomic.Bool           // a test has dropped it: nothing reaches its disk any more
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

// Close hands leadership over, if the member leads, and ends it. Calls under way end with an error. What was answered
// is on the disk.
func (m *Member) Close() error {
	m.end(true)
	<-m.ended
	return m.endErr
}

// end ends the member, once. Leadership is handed over if that is wanted and possible.
func (m *Member) end(handOver bool) {
	m.ending.Do(func() {
		m.stop()
		go func() {
			defer close(m.ended)
			m.endErr = m.shutdown(handOver)
		}()
	})
}

// shutdown stops all parts, those first that need the others. Raft never answers a future that it holds when it is
// shut down, so all of them are answered first: a leader that reaches no majority steps down before long, which
// answers them.
func (m *Member) shutdown(handOver bool) error {
	if handOver && m.raft.State() == raft.Leader && m.voters() > 1 {
		err := m.raft.LeadershipTransfer().Error()
		if err != nil {
			m.config.Log.Info("leadership is not handed over", "err", err)
		}
	}
	m.propose.close()
	m.mu.Lock()
	m.over = true
	m.mu.Unlock()
	m.futures.Wait()
	err := m.raft.Shutdown().Error()
	m.config.Metrics.State(stateName(raft.Shutdown), m.raft.CurrentTerm())
	err = errors.Join(err, m.disconnect())
	m.routines.Wait()
	m.machine.close()
	return errors.Join(err, m.disk.close())
}

// fail ends the member by itself. It keeps its Status.
func (m *Member) fail(cause error) {
	err := fmt.Errorf("%w: %w", ErrStopped, cause)
	if !m.stopped.CompareAndSwap(nil, &err) {
		return
	}
	m.config.Log.Error("the member has stopped itself", "id", m.config.ID, "err", cause)
	m.change.tell()
	m.end(false)
}

// refusal returns why the member takes no calls; nil if it does.
func (m *Member) refusal() error {
	if !m.up.Load() {
		return &NotLeaderError{}
	}
	cause := m.stopped.Load()
	if cause != nil {
		return *cause
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

// await runs a call of Raft that knows no context, and waits for it or for ctx, whichever ends first. The error wraps
// ErrUnknown if that is ctx.
func (m *Member) await(ctx context.Context, call func() error) error {
	if !m.begin() {
		return m.refusalOr(ErrClosed)
	}
	done := make(chan error, 1)
	go func() {
		defer m.futures.Done()
		done <- call()
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", ErrUnknown, ctx.Err())
	}
}

// begin reports whether a future may be made; futures.Done is called once it is answered.
func (m *Member) begin() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.over {
		return false
	}
	m.futures.Add(1)
	return true
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
