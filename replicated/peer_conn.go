package replicated

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/code"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/replicated/internal/peerlink"
)

// leaderAPI are the calls that a member takes from others and carries out itself, without forwarding them again. A
// member that does not lead answers with a NotLeaderError. A peerConn is a distant member with the same calls: if a
// call has arrived and its answer is lost, the error wraps ErrUnknown.
type leaderAPI interface {
	// carryOut puts a call into the log once: doCommand, openSession, seal, unseal or report. The command is known to
	// be valid.
	carryOut(ctx context.Context, c call) answer
	// readIndex returns an index whose state has all commands that were answered before the call. The leader has
	// checked that it leads.
	readIndex(ctx context.Context) (uint64, error)
	add(ctx context.Context, p Peer) error
	remove(ctx context.Context, id string) error
	transfer(ctx context.Context, id string) error
	confirmClock(ctx context.Context, to bookahead.Time) error
	// status returns the Status of the member. by is the caller, if the caller is a member that waits to found a desk.
	status(ctx context.Context, by bootstrapper) (Status, error)
}

// errNotReached is wrapped by the error of a call that has not reached its member, and so was not carried out. It is an
// ErrNotLeader, after which the caller looks for another leader.
var errNotReached error = notReachedError{}

type notReachedError struct{}

func (notReachedError) Error() string        { return "replicated: the member is not reached" }
func (notReachedError) Is(target error) bool { return target == ErrNotLeader }

func notReached(address string, cause error) error {
	return fmt.Errorf("%w: %s: %w", errNotReached, address, cause)
}

// errBusy is a cause of an errNotReached: the member has refused the request.
var errBusy = errors.New("it has too many calls under way")

// peerConns are the other members that were called. All calls to a member share one connection, which the first call
// opens.
type peerConns struct {
	dial   func(ctx context.Context, to string) (net.Conn, error)
	deskID func() uint64 // each request names it; nil is 0
	beat   time.Duration // time between two pings; a peer that is silent for two beats is given up

	mu     sync.Mutex
	by     map[string]*peerConn
	closed bool
	own    sync.WaitGroup
}

func newPeerConns(dial func(ctx context.Context, to string) (net.Conn, error), deskID func() uint64, beat time.Duration) *peerConns {
	return &peerConns{dial: dial, deskID: deskID, beat: beat, by: map[string]*peerConn{}}
}

// at returns the member at an address.
func (p *peerConns) at(address string) *peerConn {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := p.by[address]
	if m == nil {
		m = &peerConn{all: p, address: address, turn: make(chan struct{}, 1)}
		m.turn <- struct{}{}
		p.by[address] = m
	}
	return m
}

// close ends all connections, and waits until nothing reads them. All calls fail from then on.
func (p *peerConns) close() {
	p.mu.Lock()
	p.closed = true
	for _, m := range p.by {
		if m.now != nil {
			m.now.end(net.ErrClosed)
		}
	}
	p.mu.Unlock()
	p.own.Wait()
}

// peerConn is another member.
type peerConn struct {
	all     *peerConns
	address string
	turn    chan struct{} // one token while nobody dials
	now     *conn         // the connection, perhaps a dead one; guarded by all.mu
}

var _ leaderAPI = (*peerConn)(nil)

// conn is a connection to a member.
type conn struct {
	conn net.Conn
	out  *peerlink.FrameSender
	dead chan struct{}

	mu      sync.Mutex
	waiting map[uint64]chan peerlink.Frame
	last    uint64
	err     error // why the connection is dead
}

// reach returns the connection to the member, and opens one if there is none.
func (m *peerConn) reach(ctx context.Context) (*conn, error) {
	l, err := m.present()
	if l != nil || err != nil {
		return l, err
	}
	select {
	case <-m.turn:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { m.turn <- struct{}{} }()
	l, err = m.present() // another call may have dialed meanwhile
	if l != nil || err != nil {
		return l, err
	}
	ctx, stop := context.WithTimeout(ctx, 2*m.all.beat)
	defer stop()
	c, err := m.all.dial(ctx, m.address)
	if err != nil {
		return nil, err
	}
	c = &peerlink.SlowConn{Conn: c, Patience: 2 * m.all.beat}
	_, err = c.Write([]byte{callsVersion})
	var is [1]byte
	if err == nil {
		_, err = c.Read(is[:])
	}
	if err == nil && is[0] != callsVersion {
		err = fmt.Errorf("%w: its calls have version %d, and the calls of this process %d", ErrVersion, is[0], callsVersion)
	}
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	return m.adopt(&conn{conn: c, out: peerlink.NewFrameSender(c), dead: make(chan struct{}), waiting: map[uint64]chan peerlink.Frame{}})
}

// present returns the connection if it is alive, and nil if there is none.
func (m *peerConn) present() (*conn, error) {
	m.all.mu.Lock()
	defer m.all.mu.Unlock()
	if m.all.closed {
		return nil, net.ErrClosed
	}
	if m.now == nil {
		return nil, nil
	}
	select {
	case <-m.now.dead:
		return nil, nil
	default:
		return m.now, nil
	}
}

// adopt makes a new connection the one of the member.
func (m *peerConn) adopt(l *conn) (*conn, error) {
	m.all.mu.Lock()
	defer m.all.mu.Unlock()
	if m.all.closed {
		_ = l.conn.Close()
		return nil, net.ErrClosed
	}
	m.now = l
	m.all.own.Go(l.read)
	m.all.own.Go(func() { l.beat(m.all.beat) })
	return l, nil
}

// read passes answers to the calls that wait, until the connection ends. A peer that does not answer pings ends it,
// too.
func (l *conn) read() {
	in := bufio.NewReaderSize(l.conn, 64<<10)
	for {
		f, err := peerlink.ReadFrame(in, maxAnswer)
		if err != nil {
			l.end(err)
			return
		}
		l.mu.Lock()
		to := l.waiting[f.ID]
		delete(l.waiting, f.ID)
		l.mu.Unlock()
		if to != nil {
			to <- f // has room for one answer
		}
	}
}

// beat sends pings until the connection ends.
func (l *conn) beat(every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-l.dead:
			return
		case <-tick.C:
		}
		_, err := l.out.Send(context.Background(), peerlink.Frame{Kind: ping})
		if err != nil {
			l.end(err)
		}
	}
}

// end closes the connection. Calls that wait for an answer fail with err.
func (l *conn) end(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return
	}
	l.err = err
	close(l.dead)
	_ = l.conn.Close()
}

// ask sends a request, and returns the body of its answer. The error wraps errNotReached if the request was not sent. If it
// was sent and there is no answer, the error wraps ErrUnknown; but for a question, which carries nothing out, it
// wraps errNotReached.
func (m *peerConn) ask(ctx context.Context, kind peerlink.Kind, fields func(*code.Coder)) ([]byte, error) {
	l, err := m.reach(ctx)
	if err != nil {
		return nil, notReached(m.address, err)
	}
	left := time.Duration(0)
	end, ok := ctx.Deadline()
	if ok {
		left = max(time.Until(end), time.Microsecond)
	}
	q := request{left: left}
	if m.all.deskID != nil {
		q.desk = m.all.deskID()
	}
	body, err := encode(func(x *code.Coder) {
		q.code(x)
		fields(x)
	})
	if err != nil {
		return nil, err
	}
	f := peerlink.Frame{Kind: kind, Body: body}
	if len(f.Body) > maxRequest {
		return nil, limits.Invalid("request", len(f.Body), fmt.Sprintf("bytes are more than %d", maxRequest))
	}
	to := make(chan peerlink.Frame, 1)
	l.mu.Lock()
	l.last++
	f.ID = l.last
	l.waiting[f.ID] = to
	l.mu.Unlock()
	sent, err := l.out.Send(ctx, f)
	if !sent {
		l.forget(f.ID)
		return nil, notReached(m.address, err)
	}
	if err != nil {
		l.end(err) // the peer may have the request all the same: the select below decides
	}
	select {
	case f = <-to:
	case <-ctx.Done():
		if l.forget(f.ID) {
			l.out.Offer(peerlink.Frame{ID: f.ID, Kind: cancel})
		}
		return nil, m.lost(kind, fmt.Errorf("no answer: %w", ctx.Err()))
	case <-l.dead:
		select {
		case f = <-to: // the answer came before the end
		default:
			return nil, m.lost(kind, fmt.Errorf("no answer: %w", l.err))
		}
	}
	switch f.Kind {
	case replied:
		return f.Body, nil
	case declined:
		var why error
		err = decode("error", f.Body, func(x *code.Coder) { codeError(x, &why) })
		if err == nil && why != nil {
			return nil, why
		}
		err = cmp.Or(err, peerlink.ErrFrame)
	case busy:
		return nil, notReached(m.address, errBusy)
	default:
		err = fmt.Errorf("%w: an answer has the unknown kind %d", peerlink.ErrFrame, f.Kind)
	}
	l.end(err)
	return nil, m.lost(kind, fmt.Errorf("the answer is not understood: %w", err))
}

// lost returns the error of a request that was sent and has no answer.
func (m *peerConn) lost(kind peerlink.Kind, cause error) error {
	if isQuestion(kind) {
		return notReached(m.address, cause)
	}
	return fmt.Errorf("%w: %s: %w", ErrUnknown, m.address, cause)
}

// forget ends the wait for an answer. It reports whether the call was still waiting: false means that the answer is
// here.
func (l *conn) forget(id uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, is := l.waiting[id]
	delete(l.waiting, id)
	return is
}

func (m *peerConn) carryOut(ctx context.Context, c call) answer {
	data, err := m.ask(ctx, askCarryOut, c.codeAsked)
	if err != nil {
		return answer{err: err}
	}
	a, err := decodeAnswer(data)
	if err != nil {
		return answer{err: m.lost(askCarryOut, fmt.Errorf("the answer is not understood: %w", err))}
	}
	return a
}

func (m *peerConn) readIndex(ctx context.Context) (uint64, error) {
	data, err := m.ask(ctx, askIndex, nothing)
	if err != nil {
		return 0, err
	}
	var index uint64
	err = decode("answer", data, func(x *code.Coder) { codeIndex(x, &index) })
	return index, err
}

func nothing(*code.Coder) {}

func (m *peerConn) add(ctx context.Context, p Peer) error {
	_, err := m.ask(ctx, askAdd, p.code)
	return err
}

func (m *peerConn) remove(ctx context.Context, id string) error {
	_, err := m.ask(ctx, askRemove, func(x *code.Coder) { x.Text("ID", &id) })
	return err
}

func (m *peerConn) transfer(ctx context.Context, id string) error {
	_, err := m.ask(ctx, askTransfer, func(x *code.Coder) { x.Text("ID", &id) })
	return err
}

func (m *peerConn) status(ctx context.Context, by bootstrapper) (Status, error) {
	data, err := m.ask(ctx, askStatus, by.code)
	if err != nil {
		return Status{}, err
	}
	var s Status
	err = decode("answer", data, s.code)
	return s, err
}

func (m *peerConn) confirmClock(ctx context.Context, to bookahead.Time) error {
	_, err := m.ask(ctx, askClock, func(x *code.Coder) { code.Number(x, "time", &to) })
	return err
}
