package replicated

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/internal/code"
	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/replicated/internal/peerlink"
)

// ClientConfig holds the settings of NewClient.
type ClientConfig struct {
	// Addresses are the addresses of some members, at least one. The client learns the address of the leader from
	// them.
	Addresses []string
	// TLS is as in Config, without ClientAuth.
	TLS *tls.Config
	// Desk is the Desk of the members.
	Desk desk.Config
	// Beat is the time between two pings to a member; 1 s if 0. A member that is silent for two beats is given up.
	Beat time.Duration
}

// Client calls members from a process that is no member. Any number of goroutines may use it. Its calls answer as
// those of a Member do. A process that reads the state often should be a member that only watches.
type Client struct {
	config  ClientConfig
	members *peerConns
	pool    *sessionPool

	ending sync.Once
	ended  chan struct{} // closed by Close

	mu   sync.Mutex
	lead string // address of the member that is tried next
	next int    // index in Addresses of the last one that was tried without a hint
}

// clientSessions is how many calls of a client may be under way at once. Further calls wait.
const clientSessions = 1 << 10

// NewClient returns a client. It connects with its first call. The error wraps bookahead.ErrInvalid.
func NewClient(c ClientConfig) (*Client, error) {
	if len(c.Addresses) == 0 || slices.Contains(c.Addresses, "") {
		return nil, limits.Invalid("ClientConfig.Addresses", c.Addresses, "name no member")
	}
	c.Addresses = slices.Clone(c.Addresses)
	c.Beat = cmp.Or(c.Beat, time.Second)
	if c.Beat < 0 {
		return nil, limits.Invalid("ClientConfig.Beat", c.Beat, "is negative")
	}
	err := checkTLS("ClientConfig.TLS", c.TLS)
	if err != nil {
		return nil, err
	}
	x := &Client{config: c, lead: c.Addresses[0], ended: make(chan struct{})}
	x.members = newPeerConns(func(ctx context.Context, to string) (net.Conn, error) {
		return peerlink.DialCalls(ctx, to, c.TLS)
	}, nil, c.Beat)
	x.pool = newSessionPool(clientSessions, x.NewSession)
	return x, nil
}

// Do carries out a command once, as Member.Do does, whichever members die meanwhile.
func (c *Client) Do(ctx context.Context, command desk.Command) (desk.Outcome, error) {
	body, err := encodeCommand(command)
	if err != nil {
		return desk.Outcome{}, err
	}
	return c.pool.do(ctx, body, c.send)
}

// NewSession opens a session, as Member.NewSession does.
func (c *Client) NewSession(ctx context.Context) (SessionID, error) {
	a := c.send(ctx, call{op: openSession})
	return a.session, a.err
}

// DoOnce carries out a call, as Member.DoOnce does.
func (c *Client) DoOnce(ctx context.Context, once Call) (desk.Outcome, error) {
	err := once.check()
	if err != nil {
		return desk.Outcome{}, err
	}
	body, err := encodeCommand(once.Command)
	if err != nil {
		return desk.Outcome{}, err
	}
	a := c.send(ctx, call{op: doCommand, session: once.Session, number: once.Number, body: body})
	return a.outcome, a.err
}

// Add makes a member of a peer, as Member.Add does.
func (c *Client) Add(ctx context.Context, p Peer) error {
	return c.ask(ctx, func(l leaderAPI) error { return l.add(ctx, p) })
}

// Remove ends the membership of a peer, as Member.Remove does.
func (c *Client) Remove(ctx context.Context, id string) error {
	return c.ask(ctx, func(l leaderAPI) error { return l.remove(ctx, id) })
}

// ConfirmClock lets the clock go ahead, as Member.ConfirmClock does.
func (c *Client) ConfirmClock(ctx context.Context, to bookahead.Time) error {
	return c.ask(ctx, func(l leaderAPI) error { return l.confirmClock(ctx, to) })
}

// Seal is Member.Seal without the wait for a snapshot. The Status of each member has Sealed once it has a snapshot.
func (c *Client) Seal(ctx context.Context) error {
	err := c.send(ctx, call{op: seal}).err
	if errors.Is(err, ErrSealed) {
		return nil
	}
	return err
}

// Unseal ends a Seal, and confirms the clock.
func (c *Client) Unseal(ctx context.Context) error { return c.send(ctx, call{op: unseal}).err }

// Read returns the desk of the member that seems to lead, or, for Local, of one of the Addresses. Read is for tools,
// such as a backup: the whole desk is sent, in O(n log n) for n bookings, and at most 1 GiB of it.
func (c *Client) Read(ctx context.Context, f Freshness) (v View, err error) {
	err = c.try(ctx, func(at string) error {
		v, err = c.ReadAt(ctx, at, f)
		return err
	})
	return v, err
}

// ReadAt is Read from the member at an address, without retries.
func (c *Client) ReadAt(ctx context.Context, address string, f Freshness) (View, error) {
	data, err := c.members.at(address).ask(ctx, askDesk, func(x *code.Coder) { code.Uint(x, "freshness", &f, math.MaxUint8) })
	if err != nil {
		return View{}, err
	}
	var v View
	x := code.NewReader("answer", data)
	codeIndex(x, &v.Applied)
	err = x.Err()
	if err == nil {
		v.Desk, err = desk.Read(bytes.NewReader(data[x.At():]), c.config.Desk)
	}
	return v, err
}

// Status returns the Status of the member at an address.
func (c *Client) Status(ctx context.Context, address string) (Status, error) {
	return c.members.at(address).status(ctx, bootstrapper{})
}

// Close ends all calls. A call under way ends as ErrClosed, or as ErrUnknown if a member has it. A second Close does
// nothing.
func (c *Client) Close() error {
	c.ending.Do(func() { close(c.ended) })
	c.members.close()
	return nil
}

// send sends a call to the leader until there is an answer, as Member.send does.
func (c *Client) send(ctx context.Context, q call) (a answer) {
	err := c.try(ctx, func(at string) error {
		a = c.members.at(at).carryOut(ctx, q)
		return a.err
	})
	if err != nil {
		a.err = err
	}
	return a
}

// ask calls the leader until there is an answer. A call whose answer was lost is repeated, since these calls do no
// harm twice.
func (c *Client) ask(ctx context.Context, call func(leaderAPI) error) error {
	return c.try(ctx, func(at string) error { return call(c.members.at(at)) })
}

// try calls one member after the other until there is an answer.
func (c *Client) try(ctx context.Context, call func(address string) error) error {
	var at string
	return retry(func() error {
		at = c.likelyLeader()
		return call(at)
	}, isRetryable, func(try int, cause error) error {
		c.tryNext(at, cause)
		return c.waitToRetry(ctx, try, cause)
	})
}

// isRetryable reports whether another member may have a better answer than err.
func isRetryable(err error) bool {
	return errors.Is(err, ErrUnknown) || errors.Is(err, ErrNotLeader) ||
		errors.Is(err, ErrClosed) || errors.Is(err, ErrStopped)
}

// likelyLeader returns the address of the member that seems to lead.
func (c *Client) likelyLeader() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lead
}

// tryNext moves on from a member: to the leader that err names, or else to the next address. It does nothing if another
// call has moved on already.
func (c *Client) tryNext(from string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lead != from {
		return
	}
	var named *NotLeaderError
	if errors.As(err, &named) && named.Leader.Address != "" && named.Leader.Address != from {
		c.lead = named.Leader.Address
		return
	}
	c.next = (c.next + 1) % len(c.config.Addresses)
	c.lead = c.config.Addresses[c.next]
}

// waitToRetry waits before the next try, longer each time. The error ends the tries: ErrClosed, or the error of ctx with
// the cause.
func (c *Client) waitToRetry(ctx context.Context, try int, cause error) error {
	timer := time.NewTimer(min(time.Millisecond<<min(try, 10), 50*time.Millisecond))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-c.ended:
		return ErrClosed
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", ctx.Err(), cause)
	}
}
