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

// Freshness says how fresh a Read is.
type Freshness uint8

const (
	// Linearizable is a state that has all that was answered, by whomever, before the Read began. The leader asks its peers
	// whether it still leads, once for many reads.
	Linearizable Freshness = iota
	// Leading is the state of a member that takes itself for the leader: it may have been replaced for as long as an
	// election takes.
	Leading
	// Local is the state of this member, of whatever age.
	Local
)

// View is a state that was read: a desk of the caller's own, who may try out commands on it. As with each desk, the slices
// of what it returns must not be changed: the member shares them.
type View struct {
	*desk.Desk
	// Applied is the index of the last entry in it.
	Applied uint64
}

// Read returns the state. It costs a Clone of the desk, O(s) for s schedules, for which the commands here wait. A member that is not the leader forwards
// nothing for a Linearizable read: it asks the leader for its index, and waits until it is there itself.
func (m *Member) Read(ctx context.Context, f Freshness) (View, error) {
	begun := time.Now()
	err := m.stale(ctx, f)
	if err != nil {
		return View{}, err
	}
	m.config.Metrics.Read(f, time.Since(begun))
	return m.machine.view(), nil
}

// stale waits until the state here is as fresh as is wanted, or returns why it does not get so.
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

// ended returns ErrClosed once a channel is closed.
func ended(c <-chan struct{}) error {
	select {
	case <-c:
		return ErrClosed
	default:
		return nil
	}
}

// catchUp waits until all that was answered before is here.
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

// readIndex returns an index that has all that was answered before the call, once a majority has said, after the call,
// that it knows no other leader.
//
// The index is that of the last entry that was carried out here: a leader answers a call only after that, and its
// predecessors' calls were carried out here before it was ready.
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

// isReady waits until a leader has carried out all entries of earlier terms.
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

// reads gathers those who wait for a check of leadership. Whoever comes while a check is under way waits for the next
// one, as that one may have heard of the peers before:
//
//	check 1   ├── asks ── answers ──┤
//	reads        2     3     4       ├── check 2, for 2, 3 and 4 ──┤
type reads struct {
	mu      sync.Mutex
	next    *check
	running bool
}

// check is a check of leadership.
type check struct {
	done  chan struct{}
	index uint64
	err   error
}

// join waits for the next check, but no longer than the member may lead.
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

// run checks until nobody waits.
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

// check checks that the member still leads, and returns the index of the last entry that was carried out before.
func (m *Member) check() (uint64, error) {
	term := m.ready.Load()
	index := m.machine.applied()
	mark := m.ears.next()
	err := m.raft.VerifyLeader().Error() // sends heartbeats at once
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
