package replicated

import (
	"bufio"
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/replicated/internal/peerlink"
)

// If the fate of one try is unknown, no later refusal says that the call was not carried out. An answer of the desk
// does.
func TestARefusalAfterADoubtIsNone(t *testing.T) {
	lost := unknown(errors.New("lost"))
	for _, c := range []struct {
		tries []error // there is no try after the last one
		doubt bool
	}{
		{[]error{nil}, false},
		{[]error{ErrFull}, false},
		{[]error{&NotLeaderError{}, ErrFull}, false},
		{[]error{lost, nil}, false},
		{[]error{lost, bookahead.ErrUnavailable}, false},
		{[]error{lost, ErrFull}, true},
		{[]error{lost, &NotLeaderError{}, ErrSealed}, true},
		{[]error{lost, ErrSession}, true},
		{[]error{lost, &JumpError{}}, true},
		{[]error{lost, context.Canceled}, true},
	} {
		n := 0
		err := retry(func() error {
			n++
			return c.tries[n-1]
		}, isRetryable, func(int, error) error { return nil })
		want := c.tries[len(c.tries)-1]
		require.Len(t, c.tries, n)
		require.Equal(t, c.doubt, errors.Is(err, ErrUnknown), "%v: %v", c.tries, err)
		if want != nil {
			require.ErrorIs(t, err, want)
		}
	}

	stop := errors.New("stop")
	err := retry(func() error { return lost }, isRetryable, func(int, error) error { return context.DeadlineExceeded })
	require.ErrorIs(t, err, ErrUnknown)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	err = retry(func() error { return &NotLeaderError{} }, isRetryable, func(int, error) error { return stop })
	require.Equal(t, stop, err)
}

// A question carries nothing out, so its error is never an ErrUnknown: not after the end of its context or its
// connection, and not after an answer that nobody understands.
func TestQuestionsAreNeverInDoubt(t *testing.T) {
	began := make(chan struct{}, 1)
	leader := &fakeLeader{index: func(ctx context.Context) (uint64, error) {
		began <- struct{}{}
		<-ctx.Done()
		return 0, ctx.Err()
	}}
	one, two := newPair(t, leader, nil)
	far := two.peers.at(one.addr())
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		<-began
		stop()
	}()
	_, err := far.readIndex(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.NotErrorIs(t, err, ErrUnknown)

	go func() {
		<-began
		_ = one.close()
	}()
	_, err = far.readIndex(t.Context())
	require.ErrorIs(t, err, errNotReached)
	require.NotErrorIs(t, err, ErrUnknown)

	at := answersWith(t, peerlink.Frame{Kind: pong})
	c, err := NewClient(ClientConfig{Addresses: []string{at}})
	require.NoError(t, err)
	defer c.Close()
	_, err = c.ReadAt(t.Context(), at, Local)
	require.ErrorIs(t, err, peerlink.ErrFrame)
	require.NotErrorIs(t, err, ErrUnknown)
	_, err = c.Status(t.Context(), at)
	require.ErrorIs(t, err, peerlink.ErrFrame)
	require.NotErrorIs(t, err, ErrUnknown)
	require.ErrorIs(t, two.peers.at(at).carryOut(t.Context(), advance(t, 1)).err, ErrUnknown)
	require.ErrorIs(t, two.peers.at(at).remove(t.Context(), "7"), ErrUnknown)
}

// answersWith returns the address of a member that answers each request by the same frame.
func answersWith(t *testing.T, with peerlink.Frame) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	serve := func(c net.Conn) {
		defer c.Close()
		in := bufio.NewReader(c)
		_, err := in.Discard(2) // the first byte, and the version of the calls
		if err == nil {
			_, err = c.Write([]byte{callsVersion})
		}
		for err == nil {
			var f peerlink.Frame
			f, err = peerlink.ReadFrame(in, maxRequest)
			if err == nil && f.Kind != ping {
				with.ID = f.ID
				_, err = peerlink.NewFrameSender(c).Send(context.Background(), with)
			}
		}
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serve(c)
		}
	}()
	return l.Addr().String()
}

// Each refused call is counted once, however often it was tried.
func TestRefusalsAreCountedOnce(t *testing.T) {
	counts := &counted{}
	m, err := openWith(Config{Metrics: counts, Log: quiet, Election: 50 * time.Millisecond, Dir: t.TempDir()}, seam{})
	require.NoError(t, err)
	_, err = m.Do(t.Context(), desk.AddSchedule{Name: "pool", Kind: desk.Pool{Units: 1}})
	require.NoError(t, err)
	ended, stop := context.WithCancel(t.Context())
	stop()
	_, err = m.Do(ended, desk.Advance{Now: 1})
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, m.Remove(t.Context(), "9"), bookahead.ErrNotFound, "an answer")
	require.NoError(t, m.Close())
	_, err = m.Do(t.Context(), desk.Advance{Now: 1})
	require.ErrorIs(t, err, ErrClosed)
	require.ErrorIs(t, m.Remove(t.Context(), "9"), ErrClosed)
	_, err = m.Read(t.Context(), Linearizable)
	require.ErrorIs(t, err, ErrClosed)
	counts.mu.Lock()
	defer counts.mu.Unlock()
	require.Equal(t, 3, counts.refused["closed"])
	for why := range counts.refused {
		require.Contains(t, []string{"closed", "canceled"}, why)
	}
}
