package replicated

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/raft"
	"golang.org/x/sync/semaphore"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/internal/limits"
)

// Bounds of an entry that many calls share. While an entry is under way, the next calls wait for company, for at most
// gatherTime. A lone caller never waits.
const (
	entryCalls = 512
	entryBytes = 256 << 10
	gatherTime = time.Millisecond
	// waitingBytes is the memory of the calls without an answer: the command and callBytes for each. Further calls
	// wait for room until their contexts end.
	waitingBytes = 64 << 20
	callBytes    = 512
)

// proposal is a call that waits for its answer.
type proposal struct {
	call  call
	since time.Time
	done  chan answer // has room for one answer
	taken bool        // the call is in an entry
	left  bool        // the caller waits no longer
}

// proposer puts calls into entries, and hands the entries to Raft:
//
//	calls ─► queue ─► run: an entry ─► Raft ─► sent ─► answer: the callers
//
// The log writes one batch of entries at a time. A call that comes during a write would have to wait for it anyway,
// so the call shares its entry with all calls that come during the same write.
type proposer struct {
	m    *Member
	wake chan struct{} // a call has come
	idle chan struct{} // the last entry under way was answered
	sent chan entryBatch
	quit chan struct{}
	done chan struct{}

	room *semaphore.Weighted // in bytes, for calls without an answer

	mu       sync.Mutex
	queue    []*proposal
	bytes    int // of the commands in queue
	underway int // entries under way
	closed   bool
}

// entryBatch is the calls that share an entry.
type entryBatch struct {
	of     []*proposal
	future raft.ApplyFuture
}

func newProposer(m *Member) *proposer {
	return &proposer{
		m: m, wake: make(chan struct{}, 1), idle: make(chan struct{}, 1),
		room: semaphore.NewWeighted(waitingBytes), sent: make(chan entryBatch, 64), quit: make(chan struct{}), done: make(chan struct{}),
	}
}

// start starts the two goroutines. They end after close.
func (p *proposer) start() {
	go p.run()
	go p.answer()
}

// close refuses all calls that are in no entry yet, and waits until the others are answered or given up.
func (p *proposer) close() {
	p.mu.Lock()
	again := p.closed
	p.closed = true
	p.mu.Unlock()
	if !again {
		close(p.quit)
	}
	select {
	case <-p.done:
	case <-p.m.abandoned:
	}
}

// do puts a call into an entry, and waits for its answer. The wait ends early with ctx, when the member gives way
// because its disk hangs, and when Close gives up. The error wraps ErrUnknown if the call was in an entry by then.
func (p *proposer) do(ctx context.Context, c call) answer {
	w := &proposal{call: c, since: time.Now(), done: make(chan answer, 1)}
	late := p.m.watchdog.steppedAside.wait()
	if p.m.stepsAside() {
		return answer{err: p.m.notLeader()}
	}
	if !p.hasRoom(ctx, &c, late) {
		return answer{err: cmp.Or[error](ctx.Err(), p.m.notLeader())}
	}
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		p.room.Release(c.cost())
		return answer{err: p.m.refusalOr(ErrClosed)}
	}
	p.queue = append(p.queue, w)
	p.bytes += len(c.body)
	p.mu.Unlock()
	notify(p.wake)
	var why, cause error // why the wait has ended, and the cause for an ErrUnknown
	select {
	case a := <-w.done:
		return a
	case <-ctx.Done():
		why, cause = ctx.Err(), ctx.Err()
	case <-late:
		why, cause = &NotLeaderError{}, errDiskHangs
	case <-p.m.abandoned:
		why, cause = ErrClosed, ErrClosed
	}
	p.mu.Lock()
	w.left = true
	taken := w.taken
	p.mu.Unlock()
	if !taken {
		return answer{err: why}
	}
	select {
	case a := <-w.done:
		return a
	default:
		return answer{err: unknown(cause)}
	}
}

// hasRoom waits until there is room for a call. It returns false if ctx ends before that, or late is closed.
func (p *proposer) hasRoom(ctx context.Context, c *call, late <-chan struct{}) bool {
	if p.room.TryAcquire(c.cost()) {
		return true
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		select {
		case <-late:
			stop()
		case <-ctx.Done():
		}
	}()
	return p.room.Acquire(ctx, c.cost()) == nil
}

// cost returns the memory that a call takes while it waits.
func (c *call) cost() int64 { return int64(len(c.body) + callBytes) }

// run makes entries until the proposer is closed.
func (p *proposer) run() {
	defer close(p.sent)
	for {
		select {
		case <-p.wake:
		case <-p.quit:
			p.refuse()
			return
		}
		for p.awaitBatch() {
			g := p.takeBatch()
			if len(g.of) > 0 {
				p.queueAnswer(p.send(g))
			}
		}
	}
}

// queueAnswer passes an entry on to answer.
func (p *proposer) queueAnswer(g entryBatch) {
	select {
	case p.sent <- g:
	case <-p.m.abandoned:
	}
}

// awaitBatch waits until an entry should be made. It reports false if there are no calls, or the proposer is closed.
func (p *proposer) awaitBatch() bool {
	runtime.Gosched() // callers that were just answered get the chance to send their next calls
	enough, empty := p.isBatchReady()
	if enough || empty {
		return !empty
	}
	timer := time.NewTimer(gatherTime)
	defer timer.Stop()
	for !enough {
		select {
		case <-p.wake:
		case <-p.idle:
		case <-timer.C:
			return true
		case <-p.quit:
			return false
		}
		enough, _ = p.isBatchReady()
	}
	return true
}

// isBatchReady reports whether an entry should be made now: no other is under way, or a bound is reached. empty reports
// whether there are no calls.
func (p *proposer) isBatchReady() (enough, empty bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.underway == 0 || len(p.queue) >= entryCalls || p.bytes >= entryBytes, len(p.queue) == 0
}

// takeBatch takes the calls of one entry out of the queue.
func (p *proposer) takeBatch() entryBatch {
	p.mu.Lock()
	defer p.mu.Unlock()
	var g entryBatch
	bytes, n := 0, 0
	for n < len(p.queue) && len(g.of) < entryCalls {
		w := p.queue[n]
		if !w.left && bytes > 0 && bytes+len(w.call.body) > entryBytes {
			break
		}
		n++
		p.bytes -= len(w.call.body)
		if w.left { // its caller has heard that the call was not carried out
			p.room.Release(w.call.cost())
			continue
		}
		w.taken = true
		bytes += len(w.call.body)
		g.of = append(g.of, w)
	}
	left := copy(p.queue, p.queue[n:])
	clear(p.queue[left:])
	p.queue = p.queue[:left]
	if len(g.of) > 0 {
		p.underway++
	}
	return g
}

// send hands an entry to Raft.
func (p *proposer) send(g entryBatch) entryBatch {
	e := p.m.entry(p.m.now(), p.m.jump)
	for _, w := range g.of {
		e.calls = append(e.calls, w.call)
	}
	if e.has(unseal) && p.m.machine.sealed() {
		e.jump = -1 // the clock stood still while the state was sealed, perhaps for longer than any jump
	}
	p.m.lastEntry.Store(time.Now().UnixNano())
	g.future = p.m.raft.Apply(p.m.bytes(&e), 0)
	return g
}

// entry returns an entry of this version without calls.
func (m *Member) entry(now bookahead.Time, jump bookahead.Duration) entry {
	return entry{version: m.machine.version, now: now, jump: jump, room: uint64(m.config.Sessions), memory: uint64(m.config.AnswerBytes)}
}

// bytes returns the bytes of an entry. The entry gets the settings of this member if the members have settled none.
func (m *Member) bytes(e *entry) []byte {
	if m.machine.mustPropose(e) {
		e.settings = m.machine.proposal()
	}
	return e.append(nil)
}

// refuse answers all calls that are in no entry.
func (p *proposer) refuse() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.queue {
		w.done <- answer{err: p.m.refusalOr(ErrClosed)}
		p.room.Release(w.call.cost())
	}
	p.queue, p.bytes = nil, 0
}

// answer hands out the answers. Raft answers the entries in the order in which run has sent them, so one goroutine
// can wait for one entry after the other.
func (p *proposer) answer() {
	defer close(p.done)
	for g := range p.sent {
		err := g.future.Error()
		list, ok := g.future.Response().([]answer)
		cause, failed := g.future.Response().(error)
		switch {
		case err != nil:
			err = p.m.outcomeOf(err)
		case failed:
			err = unknown(fmt.Errorf("%w: %w", ErrStopped, cause))
		case !ok || len(list) != len(g.of):
			err = unknown(fmt.Errorf("%w: %d calls have %d answers", ErrStopped, len(g.of), len(list)))
		default:
			p.m.config.Metrics.Answered(time.Since(g.of[0].since))
		}
		for i, w := range g.of {
			if err != nil {
				w.done <- answer{err: err}
			} else {
				w.done <- list[i]
			}
			p.room.Release(w.call.cost())
		}
		p.mu.Lock()
		p.underway--
		last := p.underway == 0
		p.mu.Unlock()
		if last {
			notify(p.idle)
		}
	}
}

// outcomeOf turns an error of Raft into one that says whether the entry may still be carried out:
//
//	not the leader, or about to hand over     no: the entry was never in the log
//	leadership lost                           maybe: a new leader may have the entry
//	shut down                                 maybe: the entry may be committed already
//	an error of the log                       maybe: the entry may be on the disk
func (m *Member) outcomeOf(err error) error {
	switch {
	case errors.Is(err, raft.ErrNotLeader), errors.Is(err, raft.ErrLeadershipTransferInProgress), errors.Is(err, raft.ErrEnqueueTimeout):
		return m.notLeader()
	case errors.Is(err, raft.ErrLeadershipLost), errors.Is(err, raft.ErrRaftShutdown):
	default:
		notify(m.wakeDiskWatch)
	}
	return unknown(err)
}

// encode returns a command as bytes. It refuses a command that moves the clock of a member with Config.Clock.
func (m *Member) encode(c desk.Command) ([]byte, error) {
	if m.config.Clock != nil && advances(c) {
		return nil, limits.Invalid("command", "advance", "moves the clock, which only Config.Clock does")
	}
	return encodeCommand(c)
}

// advances reports whether a command, or one in its batch, moves the clock.
func advances(c desk.Command) bool {
	switch c := c.(type) {
	case desk.Advance, *desk.Advance:
		return true
	case *desk.Given:
		return advances(c.Command)
	case desk.Given:
		return advances(c.Command)
	case *desk.Batch:
		return advances(*c)
	case desk.Batch:
		return slices.ContainsFunc(c.Commands, advances)
	}
	return false
}

// quietly puts a call of the leader itself into the log, and logs an error: no caller waits for the answer.
func (p *proposer) quietly(ctx context.Context, c call) {
	if p.m.full.Load() || p.m.machine.sealed() {
		return
	}
	a := p.do(ctx, c)
	if a.err != nil {
		p.m.config.Log.Info("the leader's own call is not carried out", "op", uint8(c.op), "err", a.err)
	}
}
