package peerlink

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/hashicorp/raft"
	"golang.org/x/sync/semaphore"

	"github.com/bookahead/bookahead/internal/limits"
)

// The first byte of a connection names its receiver. No text and no TLS handshake begins with either byte.
const (
	forRaft  byte = 0xB0
	forCalls byte = 0xB1
)

// Connections is how many connections of calls there are at once, and how many connections whose first byte has not come;
// more are closed. A connection of calls has buffers of 128 KiB. Connections of Raft are not counted behind their first
// byte: only members open them, a few each.
const Connections = 1 << 10

// greeting is how long a new connection may take for its first byte, TLS included.
const greeting = 10 * time.Second

// Mux is the one listener of a member. The first byte of a connection says whether it is for Raft or for calls. For
// Raft, Mux is the raft.StreamLayer:
//
//	          ┌─ 0xB0 ─► Accept ─► raft.NetworkTransport
//	listener ─┤
//	          └─ 0xB1 ─► serve  ─► calls
//
// The Mux keeps a list of all open connections, also of those that it has dialed, so none outlives Close.
type Mux struct {
	listener net.Listener
	address  address
	tls      *tls.Config
	log      *slog.Logger
	early    *semaphore.Weighted // connections whose first byte has not come
	raft     chan net.Conn
	serve    func(net.Conn)
	closing  chan struct{}
	own      sync.WaitGroup

	mu     sync.Mutex
	open   map[net.Conn]struct{}
	closed bool
}

var _ raft.StreamLayer = (*Mux)(nil)

// address is the address by which others know a member. It may have the name of a host, and is never resolved here:
// Raft compares addresses as text.
type address string

func (a address) Network() string { return "tcp" }
func (a address) String() string  { return string(a) }

// CheckBind checks an address for NewMux, and listens nowhere. The error wraps bookahead.ErrInvalid if bind is no
// host:port, or if it has no host and known is empty, since other machines could not reach the member.
func CheckBind(bind, known string) error {
	at, err := net.ResolveTCPAddr("tcp", bind)
	var malformed *net.AddrError
	switch {
	case errors.As(err, &malformed):
		return limits.Invalid("Config.Bind", bind, "is no host:port: "+malformed.Err)
	case err != nil:
		return fmt.Errorf("replicated: Config.Bind: %w", err)
	case known == "" && (len(at.IP) == 0 || at.IP.IsUnspecified()):
		return limits.Invalid("Config.Bind", bind, "has no host: name the one that others reach in Config.Bind, Config.Address or Config.Peers")
	}
	return nil
}

// NewMux listens on bind. Others know the member as known, or as bind if known is empty. serve runs for each
// connection of calls in a goroutine of its own, and returns once the connection is closed.
func NewMux(bind, known string, t *tls.Config, serve func(net.Conn), log *slog.Logger) (*Mux, error) {
	l, err := net.Listen("tcp", bind)
	if err != nil {
		return nil, fmt.Errorf("replicated: Config.Bind: %w", err)
	}
	if known == "" {
		known = l.Addr().String()
	}
	x := &Mux{
		listener: l, address: address(known), tls: t, log: log, serve: serve,
		early: semaphore.NewWeighted(Connections), raft: make(chan net.Conn), closing: make(chan struct{}), open: map[net.Conn]struct{}{},
	}
	x.own.Go(x.accept)
	return x, nil
}

// accept takes connections until the mux is closed. After an error, for example without a free file descriptor, it
// waits before it tries again.
func (x *Mux) accept() {
	wait := time.Duration(0)
	for {
		c, err := x.listener.Accept()
		if err == nil {
			wait = 0
			if !x.early.TryAcquire(1) {
				_ = c.Close()
				continue
			}
			x.own.Go(func() { x.greet(c) })
			continue
		}
		wait = min(max(2*wait, 5*time.Millisecond), time.Second)
		select {
		case <-x.closing:
			return
		case <-time.After(wait):
			x.log.Warn("no connection is accepted", "address", x.address, "err", err)
		}
	}
}

// greet reads the first byte of a connection. It hands the connection to Raft, or serves it until it ends.
func (x *Mux) greet(plain net.Conn) {
	greeted := sync.OnceFunc(func() { x.early.Release(1) })
	defer greeted()
	if !x.keep(plain) {
		return
	}
	c := net.Conn(&tracked{Conn: plain, mux: x})
	if x.tls != nil {
		c = tls.Server(c, x.tls)
	}
	var first [1]byte
	err := c.SetDeadline(time.Now().Add(greeting))
	if err == nil {
		_, err = io.ReadFull(c, first[:])
	}
	if err == nil {
		err = c.SetDeadline(time.Time{})
	}
	greeted()
	switch {
	case err != nil:
		x.log.Debug("a connection has not begun", "from", plain.RemoteAddr(), "err", err)
	case first[0] == forCalls:
		x.serve(c)
	case first[0] == forRaft:
		select {
		case x.raft <- c:
			return // Raft closes it
		case <-x.closing:
		}
	default:
		x.log.Warn("a connection is neither of Raft nor of calls", "from", plain.RemoteAddr(), "first", first[0])
	}
	_ = c.Close()
}

// Accept returns the next connection of Raft.
func (x *Mux) Accept() (net.Conn, error) {
	select {
	case c := <-x.raft:
		return c, nil
	case <-x.closing:
		return nil, net.ErrClosed
	}
}

// Dial opens a connection of Raft.
func (x *Mux) Dial(to raft.ServerAddress, timeout time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return x.dial(ctx, string(to), forRaft)
}

// DialCalls opens a connection for calls.
func (x *Mux) DialCalls(ctx context.Context, to string) (net.Conn, error) {
	return x.dial(ctx, to, forCalls)
}

// dial opens a connection for Raft or for calls.
func (x *Mux) dial(ctx context.Context, to string, first byte) (net.Conn, error) {
	return dial(ctx, to, x.tls, first, func(plain net.Conn) (net.Conn, error) {
		if !x.keep(plain) {
			return nil, net.ErrClosed
		}
		return &tracked{Conn: plain, mux: x}, nil
	})
}

// DialCalls opens a connection for calls to a member, for a process that does not listen. t may be nil.
func DialCalls(ctx context.Context, to string, t *tls.Config) (net.Conn, error) {
	return dial(ctx, to, t, forCalls, func(plain net.Conn) (net.Conn, error) { return plain, nil })
}

// dial opens a connection, and writes its first byte. keep gets the plain connection, and may wrap it.
func dial(ctx context.Context, to string, t *tls.Config, first byte, keep func(net.Conn) (net.Conn, error)) (net.Conn, error) {
	d := net.Dialer{}
	c, err := d.DialContext(ctx, "tcp", to)
	if err != nil {
		return nil, err
	}
	c, err = keep(c)
	if err != nil {
		return nil, err
	}
	end, ok := ctx.Deadline()
	if !ok {
		end = time.Now().Add(greeting)
	}
	err = c.SetDeadline(end)
	if err == nil && t != nil {
		secured := tls.Client(c, named(t, to))
		err = secured.HandshakeContext(ctx)
		c = secured
	}
	if err == nil {
		_, err = c.Write([]byte{first})
	}
	if err == nil {
		err = c.SetDeadline(time.Time{})
	}
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

// named returns settings of TLS whose ServerName is the host of an address, unless the settings have a ServerName.
func named(t *tls.Config, to string) *tls.Config {
	host, _, err := net.SplitHostPort(to)
	if t.ServerName != "" || err != nil {
		return t
	}
	t = t.Clone()
	t.ServerName = host
	return t
}

// Addr returns the address by which others know the member.
func (x *Mux) Addr() net.Addr { return x.address }

// Close closes the listener and all connections, and waits until nothing serves them. A second call does nothing.
func (x *Mux) Close() error {
	x.mu.Lock()
	again := x.closed
	x.closed = true
	open := x.open
	x.open = nil
	x.mu.Unlock()
	if again {
		return nil
	}
	close(x.closing)
	err := x.listener.Close()
	for c := range open {
		_ = c.Close()
	}
	x.own.Wait()
	return err
}

// keep adds a connection to the list of open ones. It closes the connection if the mux has ended already.
func (x *Mux) keep(c net.Conn) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		_ = c.Close()
		return false
	}
	x.open[c] = struct{}{}
	return true
}

// tracked is a connection that its mux has in its list.
type tracked struct {
	net.Conn
	mux *Mux
}

// Read reads. A connection that the mux has closed ends with io.EOF: Raft would log any other error.
func (t *tracked) Read(b []byte) (int, error) {
	n, err := t.Conn.Read(b)
	if errors.Is(err, net.ErrClosed) {
		err = io.EOF
	}
	return n, err
}

func (t *tracked) Close() error {
	t.mux.mu.Lock()
	delete(t.mux.open, t.Conn)
	t.mux.mu.Unlock()
	return t.Conn.Close()
}
