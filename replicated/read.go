package replicated

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/hashicorp/raft"

	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/internal/limits"
)

// Freshness is how fresh the state of a Read is.
type Freshness uint8

const (
	// Linearizable reads a state with all commands that were answered, to any caller, before the Read began. The
	// leader asks its peers whether it still leads, once for all reads that wait.
	Linearizable Freshness = iota
	// Leading reads the state of a member that takes itself for the leader. Another leader may have replaced it for
	// as long as an election takes.
	Leading
	// Local reads the state of this member, however old.
	Local
)

// View is a state that was read. Its desk belongs to the caller, who may try out commands on it. But the slices that
// the desk returns must not be changed, as with any desk: the member shares them.
type View struct {
	*desk.Desk
	// Applied is the index of the last entry in the state.
	Applied uint64
}

// Read returns the state. It clones the desk, O(s) for s schedules, and commands on this member wait for that. For a
// Linearizable read, a member that follows asks the leader for an index, and waits until it has carried out that
// entry itself: states are never sent.
func (m *Member) Read(ctx context.Context, f Freshness) (View, error) {
	begun := time.Now()
	err := m.stale(ctx, f)
	if err != nil {
		return View{}, err
	}
	m.config.Metrics.Read(f, time.Since(begun))
	return m.machine.view(), nil
}

// stale waits until the state here is fresh enough, or returns an error if it will not be.
func (m *Member) stale(ctx context.Context, f Freshness) error {
	switch f {
	case Linearizable:
		return m.catchUp(ctx)
	case Leading:
		err := m.leading()
		if err == nil || errors.Is(err, ErrNotLeader) && m.readySole.Load() {
			err = m.isReady(ctx)
		}
		return err
	case Local:
		err := m.refusal()
		if errors.Is(err, ErrStopped) {
			return err
		}
		return ended(m.closing)
	}
	return limits.Invalid("freshness", f, "is unknown")
}

// ended returns ErrClosed once c is closed.
func ended(c <-chan struct{}) error {
	select {
	case <-c:
		return ErrClosed
	default:
		return nil
	}
}

// catchUp waits until the state here has all commands that were answered before the call.
func (m *Member) catchUp(ctx context.Context) error {
	var index uint64
	err := m.ask(ctx, func(l leaderCalls) error {
		var err error
		index, err = l.readIndex(ctx)
		return err
	})
	if err != nil {
		return err
	}
	if m.machine.applied() >= index {
		return nil
	}
	waits, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(m.life, stop)()
	err = m.machine.await(waits, index)
	if err != nil && ctx.Err() == nil {
		return m.refusalOr(ErrStopped)
	}
	return err
}

// readIndex returns an index whose state has all commands that were answered before the call. A majority of the
// voters must confirm, after the call, that it follows this leader.
//
// The index is that of the last entry carried out here. A leader answers a command only after it has carried the
// command out, and it has carried out all commands of its predecessors before it was ready.
func (m *Member) readIndex(ctx context.Context) (uint64, error) {
	err := m.leading()
	if err == nil {
		err = m.isReady(ctx)
	}
	if err != nil {
		return 0, err
	}
	return m.reads.join(ctx, m)
}

// isReady waits until this leader has carried out all entries of earlier terms.
func (m *Member) isReady(ctx context.Context) error {
	for {
		change := m.change.wait()
		term := m.ready.Load()
		if term == m.raft.CurrentTerm() || m.readySole.Load() {
			return nil
		}
		err := m.leading()
		if err != nil {
			return err
		}
		select {
		case <-change:
		case <-m.closing:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// reads lets waiting reads share a check of leadership. A read that comes during a check waits for the next one,
// since the peers may have answered the running check before the read began:
//
//	check 1   ├── asks ── answers ──┤
//	reads        2     3     4       ├── check 2, for 2, 3 and 4 ──┤
type reads struct {
	mu      sync.Mutex
	next    *check
	running bool
}

// check is one check of leadership, and its result.
type check struct {
	done  chan struct{}
	index uint64
	err   error
}

// join waits for the next check. The wait ends early when the member gives way.
func (r *reads) join(ctx context.Context, m *Member) (uint64, error) {
	late := m.writes.told.wait()
	if m.givesWay() {
		return 0, m.notLeader()
	}
	r.mu.Lock()
	if r.next == nil {
		r.next = &check{done: make(chan struct{})}
	}
	c := r.next
	if !r.running {
		if !m.begin() {
			r.mu.Unlock()
			return 0, m.refusalOr(ErrClosed)
		}
		r.running = true
		go r.run(m)
	}
	r.mu.Unlock()
	select {
	case <-c.done:
		return c.index, c.err
	case <-late:
		return 0, m.notLeader()
	case <-m.given:
		return 0, ErrClosed
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// run makes checks until no read waits.
func (r *reads) run(m *Member) {
	defer m.futures.Done()
	for {
		r.mu.Lock()
		c := r.next
		r.next = nil
		r.running = c != nil
		r.mu.Unlock()
		if c == nil {
			return
		}
		c.index, c.err = m.check()
		close(c.done)
	}
}

// check checks that the member still leads, and returns the index of the last entry that was carried out before the
// check.
func (m *Member) check() (uint64, error) {
	term := m.ready.Load()
	index := m.machine.applied()
	mark := m.ears.next()
	err := m.raft.VerifyLeader().Error() // sends heartbeats at once, whose answers ears notes
	patience := time.NewTimer(m.config.Election)
	defer patience.Stop()
	for err == nil {
		more := m.ears.more.wait()
		if m.raft.CurrentTerm() != term || m.raft.State() != raft.Leader {
			break
		}
		if m.ears.follow(raft.ServerID(m.config.ID), m.servers(), term, mark) {
			return index, nil
		}
		select {
		case <-more:
		case <-m.closing:
			return 0, m.refusalOr(ErrClosed)
		case <-patience.C:
			return 0, &NotLeaderError{}
		}
	}
	return 0, m.refusalOr(m.notLeader())
}
