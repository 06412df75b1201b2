package replicated

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// fakeLeader is a member whose functions answer the calls.
type fakeLeader struct {
	carry func(ctx context.Context, c call) answer
	index func(ctx context.Context) (uint64, error)
	read  func() (View, error)
	told  chan string
}

func (f *fakeLeader) carryOut(ctx context.Context, c call) answer   { return f.carry(ctx, c) }
func (f *fakeLeader) readIndex(ctx context.Context) (uint64, error) { return f.index(ctx) }
func (f *fakeLeader) remove(_ context.Context, id string) error     { return f.tell("remove", id) }
func (f *fakeLeader) transfer(_ context.Context, id string) error   { return f.tell("transfer", id) }
func (f *fakeLeader) add(_ context.Context, p Peer) error           { return f.tell("add", p) }
func (f *fakeLeader) confirmClock(_ context.Context, t bookahead.Time) error {
	return f.tell("clock", t)
}

func (f *fakeLeader) status(_ context.Context, by bootstrapper) (Status, error) {
	return Status{ID: "7" + by.id, Err: ErrFull}, nil
}

func (f *fakeLeader) Read(context.Context, Freshness) (View, error) {
	if f.read == nil {
		return View{}, ErrFull
	}
	return f.read()
}

func (f *fakeLeader) tell(a ...any) error {
	f.told <- fmt.Sprint(a...)
	return nil
}

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// newPair returns two networks. The first has the leader; the second one calls it.
func newPair(t *testing.T, leader memberAPI, secure *tls.Config) (first, second *network) {
	t.Helper()
	before := runtime.NumGoroutine()
	var list []*network
	for range 2 {
		c := &Config{Bind: "127.0.0.1:0", Election: 200 * time.Millisecond, TLS: secure}
		n, err := openNetwork(c, leader, nil, quiet, hclog.NewNullLogger())
		require.NoError(t, err)
		list = append(list, n)
	}
	t.Cleanup(func() {
		for _, n := range list {
			require.NoError(t, n.close())
		}
		end := time.Now().Add(5 * time.Second)
		for runtime.NumGoroutine() > before {
			if time.Now().After(end) {
				stacks := make([]byte, 1<<20)
				t.Fatalf("goroutines are left:\n%s", stacks[:runtime.Stack(stacks, true)])
			}
			time.Sleep(time.Millisecond)
		}
	})
	return list[0], list[1]
}

func (n *network) addr() string { return n.mux.Addr().String() }

func advance(t *testing.T, to bookahead.Time) call {
	t.Helper()
	body, err := desk.MarshalCommand(desk.Advance{Now: to})
	require.NoError(t, err)
	return call{op: doCommand, session: 3, number: 9, body: body}
}

func TestCallsReachAnotherMember(t *testing.T) {
	leader := &fakeLeader{told: make(chan string, 9)}
	out := desk.Outcome{Booking: desk.Booking{ID: 7, State: desk.Booked}, Outage: 5}
	leader.carry = func(_ context.Context, c call) answer {
		switch c.op {
		case openSession:
			return answer{session: 8}
		case doCommand:
			leader.told <- fmt.Sprint(c)
			return answer{outcome: out}
		}
		return answer{}
	}
	leader.index = func(context.Context) (uint64, error) { return 1 << 40, nil }
	one, two := newPair(t, leader, nil)
	ctx := t.Context()
	far := two.peers.at(one.addr())
	first, err := far.reach(ctx)
	require.NoError(t, err)

	c := advance(t, 7)
	a := far.carryOut(ctx, c)
	require.NoError(t, a.err)
	require.Equal(t, out, a.outcome)
	require.Equal(t, fmt.Sprint(c), <-leader.told)
	a = far.carryOut(ctx, call{op: openSession})
	require.NoError(t, a.err)
	require.Equal(t, SessionID(8), a.session)
	index, err := far.readIndex(ctx)
	require.NoError(t, err)
	require.Equal(t, uint64(1<<40), index)
	require.NoError(t, far.add(ctx, Peer{"3", "host:1", true}))
	require.Equal(t, "add{3 host:1 true}", <-leader.told)
	require.NoError(t, far.remove(ctx, "a b"))
	require.Equal(t, "removea b", <-leader.told)
	require.NoError(t, far.transfer(ctx, ""))
	require.Equal(t, "transfer", <-leader.told)
	require.NoError(t, far.confirmClock(ctx, 1<<50))
	require.Equal(t, fmt.Sprint("clock", bookahead.Time(1<<50)), <-leader.told)

	require.Error(t, far.carryOut(ctx, call{op: mark}).err, "others make no marks")
	require.ErrorIs(t, far.carryOut(ctx, call{op: doCommand, body: []byte("no command")}).err, bookahead.ErrInvalid)
	again, err := far.reach(ctx)
	require.NoError(t, err)
	require.Same(t, first, again, "one connection for all calls")
}

func TestErrorsCrossTheWire(t *testing.T) {
	leader := &fakeLeader{}
	one, two := newPair(t, leader, nil)
	far := two.peers.at(one.addr())
	for _, is := range portableErrors {
		for _, err := range []error{is, fmt.Errorf("more: %w: still more", is)} {
			leader.carry = func(context.Context, call) answer { return answer{err: err} }
			got := far.carryOut(t.Context(), advance(t, 1)).err
			require.ErrorIs(t, got, is)
			require.Equal(t, err.Error(), got.Error())
		}
	}
	leader.index = func(context.Context) (uint64, error) { return 0, &NotLeaderError{Peer{ID: "3", Address: "host:9"}} }
	_, err := far.readIndex(t.Context())
	var named *NotLeaderError
	require.ErrorAs(t, err, &named)
	require.Equal(t, Peer{ID: "3", Address: "host:9"}, named.Leader)
}

// Many callers share one connection, and each gets its own answer.
func TestCallsRunAtOnce(t *testing.T) {
	leader := &fakeLeader{}
	var together atomic.Int64
	all := make(chan struct{})
	leader.carry = func(ctx context.Context, c call) answer {
		callers := together.Add(1)
		if callers == 256 {
			close(all)
		}
		select {
		case <-all:
		case <-ctx.Done():
		}
		return answer{session: c.session}
	}
	one, two := newPair(t, leader, nil)
	var group sync.WaitGroup
	for i := range 256 {
		group.Go(func() {
			a := two.peers.at(one.addr()).carryOut(t.Context(), call{op: openSession, session: SessionID(i)})
			if a.err != nil || a.session != SessionID(i) {
				t.Errorf("%d: %+v", i, a)
			}
		})
	}
	group.Wait()
}

// The requests of a connection have a bound of memory. A request beyond it is refused, and was not carried out.
func TestAMemberRefusesTooMuch(t *testing.T) {
	const most = underwayBytes / maxRequest
	began, end := make(chan struct{}, most), make(chan struct{})
	leader := &fakeLeader{carry: func(ctx context.Context, _ call) answer {
		began <- struct{}{}
		select {
		case <-end:
		case <-ctx.Done():
		}
		return answer{session: 1}
	}}
	one, two := newPair(t, leader, nil)
	far := two.peers.at(one.addr())
	large := call{op: openSession, body: make([]byte, commandBytes)}
	var group sync.WaitGroup
	for range most {
		group.Go(func() {
			a := far.carryOut(t.Context(), large)
			if a.err != nil {
				t.Error(a.err)
			}
		})
	}
	for range most {
		select {
		case <-began:
		case <-time.After(20 * time.Second):
			t.Fatal("not all calls have begun")
		}
	}
	a := far.carryOut(t.Context(), large)
	require.ErrorIs(t, a.err, errNotReached)
	require.ErrorIs(t, a.err, errBusy)
	close(end)
	group.Wait()
	large.body = make([]byte, maxRequest)
	require.ErrorIs(t, far.carryOut(t.Context(), large).err, bookahead.ErrInvalid)
}

func TestACallEndsWithItsContext(t *testing.T) {
	began, ended := make(chan struct{}, 2), make(chan error, 2)
	leader := &fakeLeader{carry: func(ctx context.Context, _ call) answer {
		began <- struct{}{}
		<-ctx.Done()
		ended <- ctx.Err()
		return answer{err: fmt.Errorf("%w: %w", ErrUnknown, ctx.Err())}
	}}
	one, two := newPair(t, leader, nil)
	far := two.peers.at(one.addr())

	ctx, stop := context.WithCancel(t.Context())
	go func() {
		<-began
		stop()
	}()
	err := far.carryOut(ctx, advance(t, 1)).err
	require.ErrorIs(t, err, ErrUnknown)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, <-ended, context.Canceled)

	ctx, stop = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	err = far.carryOut(ctx, advance(t, 1)).err
	require.ErrorIs(t, err, ErrUnknown)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Error(t, <-ended)
}

// If the member dies, calls under way may have been carried out. Calls to a member that is not there were not.
func TestAMemberThatDies(t *testing.T) {
	began := make(chan struct{}, 1)
	leader := &fakeLeader{carry: func(ctx context.Context, _ call) answer {
		began <- struct{}{}
		<-ctx.Done()
		return answer{err: ctx.Err()}
	}}
	one, two := newPair(t, leader, nil)
	far := two.peers.at(one.addr())
	go func() {
		<-began
		_ = one.close()
	}()
	err := far.carryOut(t.Context(), advance(t, 1)).err
	require.ErrorIs(t, err, ErrUnknown)
	require.NotErrorIs(t, err, errNotReached)
	err = far.carryOut(t.Context(), advance(t, 1)).err
	require.ErrorIs(t, err, errNotReached)
	require.ErrorIs(t, err, ErrNotLeader, "a caller looks for another leader")
	require.NotErrorIs(t, err, ErrUnknown)
}

// A member that takes connections but sends nothing, as behind a broken link, is given up after two beats.
func TestAMemberThatIsSilent(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.CopyN(io.Discard, c, 2)
			_, _ = c.Write([]byte{callsVersion})
		}
	}()
	_, two := newPair(t, &fakeLeader{}, nil)
	since := time.Now()
	err = two.peers.at(l.Addr().String()).carryOut(t.Context(), advance(t, 1)).err
	require.ErrorIs(t, err, ErrUnknown)
	require.Less(t, time.Since(since), 3*time.Second)
}

func TestAnotherVersionOfCalls(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	go func() {
		c, err := l.Accept()
		if err == nil {
			_, _ = c.Write([]byte{callsVersion + 1})
		}
	}()
	one, two := newPair(t, &fakeLeader{}, nil)
	err = two.peers.at(l.Addr().String()).carryOut(t.Context(), advance(t, 1)).err
	require.ErrorIs(t, err, ErrVersion)
	require.ErrorIs(t, err, errNotReached)

	c, err := one.mux.DialCalls(t.Context(), two.addr())
	require.NoError(t, err)
	_, err = c.Write([]byte{callsVersion + 1})
	require.NoError(t, err)
	got, err := io.ReadAll(c)
	require.NoError(t, err)
	require.Equal(t, []byte{callsVersion}, got)
}

// A member has an old address for its leader, at which a member of another desk leads now. That member does not carry
// the call out.
func TestCallsOfAnotherDeskAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		theirs, ours uint64
		refused      bool
	}{
		"another desk":                       {theirs: 8, ours: 7, refused: true},
		"the same desk":                      {theirs: 7, ours: 7},
		"a caller that knows none":           {theirs: 0, ours: 7},
		"a leader that knows none":           {theirs: 8, ours: 0},
		"neither knows one, a desk is young": {},
	} {
		t.Run(name, func(t *testing.T) {
			carried := 0
			leader := &fakeLeader{carry: func(context.Context, call) answer {
				carried++
				return answer{}
			}}
			n, err := openNetwork(&Config{Bind: "127.0.0.1:0", Election: time.Second}, leader, func() uint64 { return c.ours }, quiet, hclog.NewNullLogger())
			require.NoError(t, err)
			defer n.close()
			caller, err := openNetwork(&Config{Bind: "127.0.0.1:0", Election: time.Second}, leader, func() uint64 { return c.theirs }, quiet, hclog.NewNullLogger())
			require.NoError(t, err)
			defer caller.close()
			ctx := within(t, time.Minute)
			far := caller.peers.at(n.addr())
			a := far.carryOut(ctx, advance(t, 5))
			if c.refused {
				require.ErrorIs(t, a.err, ErrNotLeader, "the caller looks for another leader")
				require.NotErrorIs(t, a.err, ErrUnknown)
				require.ErrorContains(t, a.err, deskText(c.theirs))
				require.ErrorContains(t, a.err, deskText(c.ours))
				require.Zero(t, carried)
			} else {
				require.NoError(t, a.err)
				require.Equal(t, 1, carried)
			}
			s, err := far.status(ctx, bootstrapper{})
			require.NoError(t, err, "Add asks members of other desks, too")
			require.Equal(t, "7", s.ID)
		})
	}
}

// Bytes that are no frame end the connection, and nothing else.
func TestNoise(t *testing.T) {
	leader := &fakeLeader{index: func(context.Context) (uint64, error) { return 4, nil }}
	one, two := newPair(t, leader, nil)
	for _, noise := range []string{"GET / HTTP/1.1\r\n\r\n", "\xb1x", "\xb1\x01" + strings.Repeat("noise", 100), "\xb0\xff"} {
		c, err := net.Dial("tcp", one.addr())
		require.NoError(t, err)
		_, err = c.Write([]byte(noise))
		require.NoError(t, err)
		require.NoError(t, c.SetReadDeadline(time.Now().Add(5*time.Second)))
		_, err = io.Copy(io.Discard, c)
		require.False(t, errors.Is(err, context.DeadlineExceeded), noise)
		require.NoError(t, c.Close())
	}
	index, err := two.peers.at(one.addr()).readIndex(t.Context())
	require.NoError(t, err)
	require.Equal(t, uint64(4), index)
}

func TestRaftSharesTheListener(t *testing.T) {
	for _, secure := range []*tls.Config{nil, selfSigned(t)} {
		leader := &fakeLeader{index: func(context.Context) (uint64, error) { return 4, nil }}
		one, two := newPair(t, leader, secure)
		go func() {
			rpc := <-one.transport.Consumer()
			rpc.Respond(&raft.RequestVoteResponse{Term: 9}, nil)
		}()
		var got raft.RequestVoteResponse
		err := two.transport.RequestVote("1", one.transport.LocalAddr(), &raft.RequestVoteRequest{Term: 8}, &got)
		require.NoError(t, err)
		require.Equal(t, uint64(9), got.Term)
		index, err := two.peers.at(one.addr()).readIndex(t.Context())
		require.NoError(t, err)
		require.Equal(t, uint64(4), index)
	}
}

// A caller without a certificate is not let in.
func TestTLSKeepsStrangersOut(t *testing.T) {
	leader := &fakeLeader{index: func(context.Context) (uint64, error) { return 4, nil }}
	one, _ := newPair(t, leader, selfSigned(t))
	_, two := newPair(t, leader, nil)
	_, err := two.peers.at(one.addr()).readIndex(t.Context())
	require.Error(t, err)
}

// selfSigned returns settings for both ends, with a certificate of 127.0.0.1 that is its own root.
func selfSigned(t *testing.T) *tls.Config {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	one := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, one, one, &key.PublicKey, key)
	require.NoError(t, err)
	one, err = x509.ParseCertificate(der)
	require.NoError(t, err)
	roots := x509.NewCertPool()
	roots.AddCert(one)
	return &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
		RootCAs:      roots, ClientCAs: roots, ClientAuth: tls.RequireAndVerifyClientCert,
	}
}

func TestABindThatNobodyElseReaches(t *testing.T) {
	_, err := Config{Bind: ":0"}.withDefaults(true)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	c, err := Config{Bind: ":0", Peers: []Peer{{ID: "1", Address: "host:7000"}}}.withDefaults(true)
	require.NoError(t, err)
	n, err := openNetwork(&c, nil, nil, quiet, hclog.NewNullLogger())
	require.NoError(t, err)
	require.Equal(t, raft.ServerAddress("host:7000"), n.transport.LocalAddr())
	require.NoError(t, n.close())
}

// An address that another has is an error with its name.
func TestABindInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	n, err := openNetwork(&Config{Bind: l.Addr().String(), Election: time.Second}, nil, nil, quiet, hclog.NewNullLogger())
	require.Nil(t, n)
	require.ErrorContains(t, err, "Config.Bind")
	require.ErrorContains(t, err, l.Addr().String())
}
