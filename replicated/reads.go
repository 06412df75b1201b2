package replicated

import (
	"context"
	"sync"
	"time"

	"github.com/hashicorp/raft"
)

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

// join waits for the next check. The wait ends early when the member gives way.
func (r *reads) join(ctx context.Context, m *Member) (uint64, error) {
	late := m.watchdog.steppedAside.wait()
	if m.stepsAside() {
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
	case <-m.abandoned:
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

// check is one check of leadership, and its result.
type check struct {
	done  chan struct{}
	index uint64
	err   error
}

// check checks that the member still leads, and returns the index of the last entry that was carried out before the
// check.
func (m *Member) check() (uint64, error) {
	term := m.ready.Load()
	index := m.machine.applied()
	mark := m.lease.Mark()
	err := m.raft.VerifyLeader().Error() // sends heartbeats at once, whose answers lease notes
	patience := time.NewTimer(m.config.Election)
	defer patience.Stop()
	for err == nil {
		more := m.lease.More()
		if m.raft.CurrentTerm() != term || m.raft.State() != raft.Leader {
			break
		}
		if m.lease.Follow(raft.ServerID(m.config.ID), m.servers(), term, mark) {
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
