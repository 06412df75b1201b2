package replicated

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
)

// inMemory is a seam for members on TCP with disks in memory.
func inMemory() seam {
	return seam{disk: func(string, *slog.Logger) (*disk, error) {
		s := raft.NewInmemStore()
		return &disk{
			log: s, stable: s, snaps: raft.NewInmemSnapshotStore(),
			space: func() (int64, error) { return 1 << 40, nil },
			close: func() error { return nil },
		}, nil
	}}
}

// freePeers returns n peers on free ports of loopback.
func freePeers(t testing.TB, n int) []Peer {
	t.Helper()
	var peers []Peer
	for i := range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer l.Close()
		peers = append(peers, Peer{ID: fmt.Sprint(i + 1), Address: l.Addr().String()})
	}
	return peers
}

func TestAClientOfThreeMembers(t *testing.T) {
	t.Run("plain", func(t *testing.T) { clientOfThree(t, nil) })
	t.Run("TLS", func(t *testing.T) { clientOfThree(t, selfSigned(t)) })
}

func clientOfThree(t *testing.T, secure *tls.Config) {
	t.Helper()
	peers := freePeers(t, 3)
	members := map[string]*Member{}
	var addresses []string
	for _, p := range peers {
		m, err := openWith(Config{ID: p.ID, Bind: p.Address, Peers: peers, TLS: secure, Election: 100 * time.Millisecond, Log: quiet, Desk: desk.Config{Keep: 1 << 40}}, inMemory())
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, m.Close()) })
		members[p.ID] = m
		addresses = append(addresses, p.Address)
	}
	c, err := NewClient(ClientConfig{Addresses: addresses, TLS: secure, Beat: 200 * time.Millisecond})
	require.NoError(t, err)
	defer c.Close()
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()

	_, err = c.Do(ctx, desk.AddSchedule{Name: "pool", Kind: desk.Pool{Units: 4}})
	require.NoError(t, err)
	book := func(title string) desk.Book {
		return desk.Book{Request: desk.Request{Title: title, Shapes: []desk.Shape{{{On: "pool", Units: 1, Duration: 5}}}}}
	}
	for i := range 20 {
		out, err := c.Do(ctx, book(fmt.Sprint(i)))
		require.NoError(t, err)
		require.Equal(t, desk.BookingID(i+1), out.Booking.ID)
	}
	_, err = c.Do(ctx, desk.Cancel{ID: 999})
	require.Equal(t, bookahead.ErrNotFound, err)
	_, err = c.Do(ctx, desk.Cancel{ID: 3})
	require.NoError(t, err)

	s, err := c.NewSession(ctx)
	require.NoError(t, err)
	once, err := c.DoOnce(ctx, Call{s, 1, book("once")})
	require.NoError(t, err)
	again, err := c.DoOnce(ctx, Call{s, 1, book("once")})
	require.NoError(t, err)
	require.Equal(t, once, again)
	_, err = c.DoOnce(ctx, Call{s, 0, book("once")})
	require.ErrorIs(t, err, bookahead.ErrInvalid)

	require.NoError(t, c.Seal(ctx))
	require.NoError(t, c.Seal(ctx), "twice is once")
	_, err = c.Do(ctx, book("sealed"))
	require.ErrorIs(t, err, ErrSealed)
	require.NoError(t, c.Unseal(ctx))
	require.ErrorIs(t, c.Add(ctx, Peer{ID: "4"}), bookahead.ErrInvalid)
	require.ErrorIs(t, c.Remove(ctx, "4"), bookahead.ErrNotFound)
	require.ErrorIs(t, c.ConfirmClock(ctx, 7), bookahead.ErrInvalid, "there is no clock")
	require.NoError(t, c.Add(ctx, Peer{ID: "4", Address: "127.0.0.1:1", Watches: true}))
	require.NoError(t, c.Remove(ctx, "4"))

	var st Status
	require.Eventually(t, func() bool { // a follower hears of the Seal a moment later
		st, err = c.Status(ctx, addresses[0])
		return err == nil && len(st.Peers) == 3
	}, 30*time.Second, time.Millisecond)
	require.Equal(t, "1", st.ID)
	require.NoError(t, members[st.Leader.ID].Close())
	out, err := c.Do(ctx, book("after"))
	require.NoError(t, err)
	require.Equal(t, desk.BookingID(22), out.Booking.ID)

	var want []byte
	for _, f := range []Freshness{Linearizable, Leading} {
		v, err := c.Read(ctx, f)
		require.NoError(t, err)
		require.NoError(t, v.Verify())
		var b bytes.Buffer
		_, err = v.WriteTo(&b)
		require.NoError(t, err)
		if want == nil {
			want = b.Bytes()
		}
		require.Equal(t, want, b.Bytes())
	}
	for _, p := range peers {
		if p.ID == st.Leader.ID {
			_, err = c.ReadAt(ctx, p.Address, Local)
			require.Error(t, err)
			continue
		}
		v, err := c.ReadAt(ctx, p.Address, Linearizable) // one of the two members follows
		require.NoError(t, err)
		_, err = v.Booking(22)
		require.NoError(t, err)
	}
}

func TestClientConfigIsChecked(t *testing.T) {
	for _, c := range []ClientConfig{{}, {Addresses: []string{""}}, {Addresses: []string{"a:1"}, Beat: -1}, {Addresses: []string{"a:1"}, TLS: &tls.Config{}}} {
		_, err := NewClient(c)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
	}
	c, err := NewClient(ClientConfig{Addresses: []string{"a:1"}})
	require.NoError(t, err)
	_, err = c.Do(t.Context(), nil)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.NoError(t, c.Close())
}

func TestAClientThatIsClosed(t *testing.T) {
	began := make(chan struct{})
	leader := &fakeLeader{carry: func(ctx context.Context, c call) answer {
		if c.op == openSession {
			return answer{session: 1}
		}
		close(began)
		<-ctx.Done()
		return answer{err: unknown(ctx.Err())}
	}}
	one, _ := newPair(t, leader, nil)
	c, err := NewClient(ClientConfig{Addresses: []string{one.addr()}})
	require.NoError(t, err)
	go func() {
		<-began
		_ = c.Close()
	}()
	_, err = c.Do(t.Context(), desk.Advance{Now: 1})
	require.ErrorIs(t, err, ErrUnknown)
	require.ErrorIs(t, err, ErrClosed)
	_, err = c.Do(t.Context(), desk.Advance{Now: 1})
	require.ErrorIs(t, err, ErrClosed)
	require.NotErrorIs(t, err, ErrUnknown)
	require.NoError(t, c.Close())
}

// Without a member that answers, a call ends with its context. The error says that it was not carried out.
func TestAClientOfNobody(t *testing.T) {
	c, err := NewClient(ClientConfig{Addresses: []string{freePeers(t, 1)[0].Address}})
	require.NoError(t, err)
	defer c.Close()
	ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	_, err = c.Do(ctx, desk.Advance{Now: 1})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NotErrorIs(t, err, ErrUnknown)
	_, err = c.Read(ctx, Linearizable)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}
