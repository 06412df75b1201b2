package peerlink

import (
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Connections that have not named their receiver yet have a bound, too.
func TestSilentConnectionsAreBounded(t *testing.T) {
	x, err := NewMux("127.0.0.1:0", "", nil, func(c net.Conn) { _, _ = c.Write([]byte{1}) }, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	defer x.Close()
	require.True(t, x.early.TryAcquire(Connections-1))
	dial := func() net.Conn {
		c, err := net.Dial("tcp", x.Addr().String())
		require.NoError(t, err)
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	first := dial()
	require.Eventually(t, func() bool {
		taken := !x.early.TryAcquire(1)
		if !taken {
			x.early.Release(1)
		}
		return taken
	}, 10*time.Second, time.Millisecond)
	second := dial()
	_, err = second.Read(make([]byte, 1))
	require.Error(t, err, "it is closed at once")
	_, err = first.Write([]byte{forCalls})
	require.NoError(t, err)
	_, err = first.Read(make([]byte, 1))
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		c := dial()
		_, err := c.Write([]byte{forCalls})
		if err == nil {
			_, err = c.Read(make([]byte, 1))
		}
		return err == nil
	}, 10*time.Second, time.Millisecond)
}
