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

// Bounds of an entry that many calls share. While another entry is under way a call waits for company, for gather at
// most; a lone caller never does.
const (
	entryCalls = 512
	entryBytes = 256 << 10
	gather     = time.Millisecond
	// commandBytes is how long a command may be: a desk.Batch of 1 024 usual bookings has 40 KiB. Raft keeps the last 128
	// entries in memory, and sends up to 64 at once, each with one such command at most.
	commandBytes = 1 << 20
	// waitingBytes is the memory of the calls that have no answer yet, each with callBytes beside its command. More calls
	// wait for room, as long as their contexts last.
	waitingBytes = 64 << 20
	callBytes    = 512
)

// proposal is a call that waits for its answer.
type proposal struct {
	call  call
	since time.Time
	done  chan answer // has room for one
	taken bool        // it is in an entry
	gone  bool        // nobody waits
}

// proposer puts calls into entries, and entries into Raft:
//
//	calls ─► queue ─► run: an entry ─► Raft ─► sent ─► answer: who waits
//
// The log writes one batch of entries at a time. So a call that comes while an entry is written would wait anyway, and
// shares its entry with those that come until then.
type proposer struct {
	m    *Member
	wake chan struct{} // a call has come
	idle chan struct{} // no entry is under way
	sent chan group
	quit chan struct{}
	done chan struct{}

	room *semaphore.Weighted // for calls without an answer, in bytes

	mu     sync.Mutex
	queue  []*proposal
	bytes  int // of the queue
	under  int // entries under way
	closed bool
}

// group are the calls that share an entry.
type group struct {
	of     []*proposal
	future raft.ApplyFuture
}

func newProposer(m *Member) *proposer {
	return &proposer{
		m: m, wake: make(chan struct{}, 1), idle: make(chan struct{}, 1),
		room: semaphore.NewWeighted(waitingBytes), sent: make(chan group, 64), quit: make(chan struct{}), done: make(chan struct{}),
	}
}

// start starts the two goroutines, which end by close.
func (p *proposer) start() {
	go p.run()
	go p.answer()
}

// close refuses all calls that are in no entry yet, and waits until the others are answered, or given up.
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
	case <-p.m.given:
	}
}

// do puts a call into an entry, and waits for its answer. The wait ends with ctx, and when the member gives way since its
// disk hangs, or is given up by Close: the error wraps ErrUnknown if the call was put into an entry before.
func (p *proposer) do(ctx context.Context, c call) answer {
	w := &proposal{call: c, since: time.Now(), done: make(chan answer, 1)}
	late := p.m.writes.told.wait()
	if p.m.givesWay() {
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
	var why, cause error // why it waits no longer, and the cause why its fate is unknown
	select {
	case a := <-w.done:
		return a
	case <-ctx.Done():
		why, cause = ctx.Err(), ctx.Err()
	case <-late:
		why, cause = &NotLeaderError{}, errGivesWay
	case <-p.m.given:
		why, cause = ErrClosed, ErrClosed
	}
	p.mu.Lock()
	w.gone = true
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

// hasRoom waits until there is room for a call; false if ctx ends before, or the channel is closed.
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

// cost returns the memory of a call.
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
		for p.gather() {
			g := p.take()
			if len(g.of) > 0 {
				p.hand(p.send(g))
			}
		}
	}
}

// hand hands an entry to answer.
func (p *proposer) hand(g group) {
	select {
	case p.sent <- g:
	case <-p.m.given:
	}
}

// gather waits for company, and reports whether there are calls at all.
func (p *proposer) gather() bool {
	runtime.Gosched() // those who were just answered may have their next call ready
	enough, empty := p.enough()
	if enough || empty {
		return !empty
	}
	timer := time.NewTimer(gather)
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
		enough, _ = p.enough()
	}
	return true
}

// enough reports whether an entry is made now, and whether there are no calls.
func (p *proposer) enough() (enough, empty bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.under == 0 || len(p.queue) >= entryCalls || p.bytes >= entryBytes, len(p.queue) == 0
}

// take takes calls for an entry out of the queue.
func (p *proposer) take() group {
	p.mu.Lock()
	defer p.mu.Unlock()
	var g group
	bytes, n := 0, 0
	for n < len(p.queue) && len(g.of) < entryCalls {
		w := p.queue[n]
		if !w.gone && bytes > 0 && bytes+len(w.call.body) > entryBytes {
			break
		}
		n++
		p.bytes -= len(w.call.body)
		if w.gone {
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
		p.under++
	}
	return g
}

// send hands an entry to Raft.
func (p *proposer) send(g group) group {
	e := p.m.entry(p.m.now(), p.m.jump)
	for _, w := range g.of {
		e.calls = append(e.calls, w.call)
	}
	if e.has(unseal) && p.m.machine.sealed() {
		e.jump = -1 // the clock stood still for as long as the seal
	}
	p.m.lastEntry.Store(time.Now().UnixNano())
	g.future = p.m.raft.Apply(p.m.bytes(&e), 0)
	return g
}

// entry returns an entry of this version that has no calls yet.
func (m *Member) entry(now bookahead.Time, jump bookahead.Duration) entry {
	return entry{version: m.machine.version, now: now, jump: jump, room: uint64(m.config.Sessions), memory: uint64(m.config.AnswerBytes)}
}

// bytes returns the bytes of an entry, with the settings of this member if none are settled.
func (m *Member) bytes(e *entry) []byte {
	if m.machine.settles(e) {
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

// answer hands the answers out, in the order of the entries, in which Raft answers them too.
func (p *proposer) answer() {
	defer close(p.done)
	for g := range p.sent {
		err := g.future.Error()
		list, ok := g.future.Response().([]answer)
		cause, failed := g.future.Response().(error)
		switch {
		case err != nil:
			err = p.m.fate(err)
		case failed:
			err = unknown(fmt.Errorf("%w: %w", ErrStopped, cause))
		case !ok || len(list) != len(g.of):
			err = unknown(fmt.Errorf("%w: %d answers to %d calls", ErrStopped, len(list), len(g.of)))
		default:
			p.m.config.Metrics.Entry(len(g.of), max(1, time.Since(g.of[0].since))) // 0 would be that of a follower
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
		p.under--
		last := p.under == 0
		p.mu.Unlock()
		if last {
			notify(p.idle)
		}
	}
}

// fate tells from an error of Raft whether an entry may be carried out all the same:
//
//	not the leader, or about to hand over     no: it was never in the log
//	leadership lost                           maybe: a new leader may have it
//	shut down                                 maybe: it may be committed already
//	an error of the log                       maybe: it may be on the disk
func (m *Member) fate(err error) error {
	switch {
	case errors.Is(err, raft.ErrNotLeader), errors.Is(err, raft.ErrLeadershipTransferInProgress), errors.Is(err, raft.ErrEnqueueTimeout):
		return m.notLeader()
	case errors.Is(err, raft.ErrLeadershipLost), errors.Is(err, raft.ErrRaftShutdown):
	default:
		notify(m.worried)
	}
	return unknown(err)
}

// unknown wraps the cause by which the fate of a call is not known.
func unknown(cause error) error {
	if errors.Is(cause, ErrUnknown) {
		return cause
	}
	return fmt.Errorf("%w: %w", ErrUnknown, cause)
}

// encode checks a command, and returns it as bytes.
func (m *Member) encode(c desk.Command) ([]byte, error) {
	if m.config.Clock != nil && advances(c) {
		return nil, limits.Invalid("command", "advance", "is the clock's, which Config.Clock moves")
	}
	return encodeCommand(c)
}

// encodeCommand checks a command, and returns it as bytes.
func encodeCommand(c desk.Command) ([]byte, error) {
	err := limits.CheckNil("command", c)
	if err != nil {
		return nil, err
	}
	body, err := desk.MarshalCommand(c, desk.Binary)
	if err == nil && len(body) > commandBytes {
		err = limits.Invalid("command", len(body), fmt.Sprintf("bytes are more than %d", commandBytes))
	}
	return body, err
}

// advances reports whether a command moves the clock.
func advances(c desk.Command) bool {
	switch c := c.(type) {
	case desk.Advance, *desk.Advance:
		return true
	case *desk.Batch:
		return advances(*c)
	case desk.Batch:
		return slices.ContainsFunc(c.Commands, advances)
	}
	return false
}

// notify leaves a token in a channel that has room for one.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// quietly puts a call of the leader's own into the log. Nobody waits for its answer.
func (p *proposer) quietly(ctx context.Context, c call) {
	if p.m.full.Load() || p.m.machine.sealed() {
		return
	}
	a := p.do(ctx, c)
	if a.err != nil {
		p.m.config.Log.Info("the leader's own call is not carried out", "op", uint8(c.op), "err", a.err)
	}
}
