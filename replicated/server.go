package replicated

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/code"
	"github.com/bookahead/bookahead/replicated/internal/peerlink"
)

// Bounds of the connections of calls.
const (
	// silence is how long a caller may send nothing. Callers send a ping each second or so.
	silence = 30 * time.Second
	// underway is how many requests of one connection are carried out at once, and underwayBytes how many bytes they
	// have together; more are refused. A member that forwards for 1 024 callers with 64 bookings each has 4 MiB under
	// way.
	underway      = 1 << 14
	underwayBytes = 16 << 20
	// servedBytes is how many bytes the requests of all connections have together.
	servedBytes = 8 * underwayBytes
)

// memberAPI are all calls of a member, also those of clients.
type memberAPI interface {
	leaderAPI
	Read(ctx context.Context, f Freshness) (View, error)
}

// server answers the calls of other members and of clients.
type server struct {
	calls     memberAPI
	deskID    func() uint64 // of the member; nil is 0
	log       *slog.Logger
	open      *semaphore.Weighted // counts connections
	bytes     *semaphore.Weighted // counts bytes of requests under way
	downloads *semaphore.Weighted // counts whole desks that are being sent
}

func newServer(calls memberAPI, deskID func() uint64, log *slog.Logger) *server {
	return &server{calls, deskID, log, semaphore.NewWeighted(peerlink.Connections), semaphore.NewWeighted(servedBytes), semaphore.NewWeighted(downloadsAtOnce)}
}

// serverConn is one connection of calls.
type serverConn struct {
	*server
	conn  net.Conn
	out   *peerlink.FrameSender
	ctx   context.Context
	group sync.WaitGroup
	mu    sync.Mutex
	by    map[uint64]context.CancelFunc
	own   int64 // bytes of the requests under way, and of one that is arriving
}

// serve answers the calls of a connection until the connection ends. That cancels the calls still under way; serve
// returns after the last of them.
func (s *server) serve(c net.Conn) {
	if !s.open.TryAcquire(1) {
		s.log.Warn("a connection of calls is closed: there are too many", "from", c.RemoteAddr(), "most", peerlink.Connections)
		_ = c.Close()
		return
	}
	defer s.open.Release(1)
	ctx, stop := context.WithCancel(context.Background())
	c = &peerlink.SlowConn{Conn: c, Patience: silence}
	v := &serverConn{server: s, conn: c, out: peerlink.NewFrameSender(c), ctx: ctx, by: map[uint64]context.CancelFunc{}}
	in := bufio.NewReaderSize(c, 64<<10)
	err := exchangeVersions(c, in)
	for err == nil {
		err = v.readNext(in)
	}
	if !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) {
		s.log.Debug("a connection of calls has ended", "from", c.RemoteAddr(), "err", err)
	}
	stop()
	_ = c.Close()
	v.group.Wait()
}

// exchangeVersions reads the version of a caller, and answers with its own.
func exchangeVersions(c net.Conn, in *bufio.Reader) error {
	is, err := in.ReadByte()
	if err != nil {
		return err
	}
	_, err = c.Write([]byte{callsVersion})
	if err == nil && is != callsVersion {
		err = fmt.Errorf("%w: the calls of the caller have version %d, and the calls of this member %d", ErrVersion, is, callsVersion)
	}
	return err
}

// readNext reads a frame, and begins to act on it. It takes memory for the body before the body arrives.
func (v *serverConn) readNext(in *bufio.Reader) error {
	var held int64
	f, err := peerlink.ReadFrameInto(in, maxRequest, func(bytes int64) bool {
		if v.acquire(bytes) {
			held = bytes
			return true
		}
		return false
	})
	if err == nil {
		return v.dispatch(f)
	}
	v.release(held)
	if errors.Is(err, peerlink.ErrNoRoom) {
		return v.answer(f.ID, busy, nil)
	}
	return err
}

// acquire takes memory for a request. It returns false if this connection, or all connections together, have no more.
func (v *serverConn) acquire(bytes int64) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.own+bytes > underwayBytes {
		return false
	}
	taken := v.bytes.TryAcquire(bytes)
	if taken {
		v.own += bytes
	}
	return taken
}

// release gives memory back.
func (v *serverConn) release(bytes int64) {
	v.mu.Lock()
	v.own -= bytes
	v.mu.Unlock()
	v.bytes.Release(bytes)
}

// dispatch begins to carry out a request, or acts on another frame. The memory of the body is given back in the end.
func (v *serverConn) dispatch(f peerlink.Frame) error {
	held := int64(len(f.Body))
	switch f.Kind {
	case ping:
		v.release(held)
		return v.answer(f.ID, pong, nil)
	case cancel:
		v.release(held)
		v.mu.Lock()
		stop := v.by[f.ID]
		v.mu.Unlock()
		if stop != nil {
			stop()
		}
		return nil
	}
	x := code.NewReader("request", f.Body)
	var q request
	q.code(x)
	ctx, stop := v.withTimeLeft(q.left)
	v.mu.Lock()
	_, twice := v.by[f.ID]
	full := len(v.by) >= underway
	if !twice && !full {
		v.by[f.ID] = stop
	}
	v.mu.Unlock()
	switch {
	case twice:
		stop()
		v.release(held)
		return fmt.Errorf("%w: request %d is under way already", peerlink.ErrFrame, f.ID)
	case full:
		stop()
		v.release(held)
		return v.answer(f.ID, busy, nil)
	}
	v.group.Go(func() {
		sent := v.acquireDownload(ctx, f.Kind)
		defer sent()
		body, err := v.carryOut(ctx, f.Kind, q.desk, x)
		stop()
		v.mu.Lock()
		delete(v.by, f.ID)
		v.mu.Unlock()
		v.release(held)
		kind := replied
		if err == nil && len(body) > maxAnswer {
			err = tooLong(int64(len(body)))
			if f.Kind == askCarryOut {
				err = unknown(err)
			}
		}
		if err != nil {
			kind = declined
			body, _ = encode(func(x *code.Coder) { codeError(x, &err) }) // the text of an error can always be written
		}
		_ = v.answer(f.ID, kind, body)
	})
	return nil
}

// answer sends a frame. If that fails it closes the connection, which also ends the goroutine that reads it.
func (v *serverConn) answer(id uint64, kind peerlink.Kind, body []byte) error {
	_, err := v.out.Send(v.ctx, peerlink.Frame{ID: id, Kind: kind, Body: body})
	if err != nil {
		_ = v.conn.Close()
	}
	return err
}

// tooLong is the error for an answer that is too long to be sent.
func tooLong(bytes int64) error {
	return fmt.Errorf("replicated: the answer has %d bytes, and at most %d are sent", bytes, maxAnswer)
}

// withTimeLeft returns a context that ends with the connection, and after left; a left of 0 is no limit.
func (v *serverConn) withTimeLeft(left time.Duration) (context.Context, context.CancelFunc) {
	if left > 0 {
		return context.WithTimeout(v.ctx, left)
	}
	return context.WithCancel(v.ctx)
}

// checkDesk returns an error if a request comes from a member of another desk. Its address for the leader is an old one,
// and the caller looks for another leader. Anybody may ask for the Status: Add finds other desks by it.
func (v *serverConn) checkDesk(kind peerlink.Kind, theirs uint64) error {
	if kind == askStatus || theirs == 0 || v.deskID == nil {
		return nil
	}
	ours := v.deskID()
	if ours == 0 || ours == theirs {
		return nil
	}
	return fmt.Errorf("%w of the desk %s: it keeps the desk %s", ErrNotLeader, deskText(theirs), deskText(ours))
}

// carryOut carries out a request of a caller of a desk, and returns the body of the answer. x is behind the request.
func (v *serverConn) carryOut(ctx context.Context, kind peerlink.Kind, desk uint64, x *code.Coder) ([]byte, error) {
	var run func() ([]byte, error)
	switch kind {
	case askCarryOut:
		var c call
		c.codeAsked(x)
		run = func() ([]byte, error) {
			a := v.calls.carryOut(ctx, c)
			if a.err != nil {
				return nil, a.err
			}
			body, err := a.encode()
			if err != nil {
				err = unknown(err)
			}
			return body, err
		}
	case askIndex:
		run = func() ([]byte, error) {
			index, err := v.calls.readIndex(ctx)
			if err != nil {
				return nil, err
			}
			return encode(func(x *code.Coder) { codeIndex(x, &index) })
		}
	case askAdd:
		var p Peer
		p.code(x)
		run = func() ([]byte, error) { return nil, v.calls.add(ctx, p) }
	case askRemove:
		var id string
		x.Text("ID", &id)
		run = func() ([]byte, error) { return nil, v.calls.remove(ctx, id) }
	case askTransfer:
		var id string
		x.Text("ID", &id)
		run = func() ([]byte, error) { return nil, v.calls.transfer(ctx, id) }
	case askClock:
		var to bookahead.Time
		code.Number(x, "time", &to)
		run = func() ([]byte, error) { return nil, v.calls.confirmClock(ctx, to) }
	case askStatus:
		var by bootstrapper
		by.code(x)
		run = func() ([]byte, error) {
			s, err := v.calls.status(ctx, by)
			if err != nil {
				return nil, err
			}
			return encode(s.code)
		}
	case askDesk:
		var fresh Freshness
		code.Uint(x, "freshness", &fresh, math.MaxUint8)
		run = func() ([]byte, error) { return v.download(ctx, fresh) }
	default:
		x.Fail("kind", kind, "is unknown")
	}
	err := x.Close()
	if err == nil {
		err = v.checkDesk(kind, desk)
	}
	if err != nil {
		return nil, err
	}
	return run()
}
