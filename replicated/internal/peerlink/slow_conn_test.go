package peerlink

import (
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// trickle is a connection that takes few bytes a second, and then answers.
type trickle struct {
	net.Conn
	since time.Time
	quiet time.Duration
	rest  []byte
	end   time.Time
}

func (c *trickle) SetReadDeadline(t time.Time) error { c.end = t; return nil }
func (c *trickle) SetWriteDeadline(time.Time) error  { return nil }
func (c *trickle) Write(b []byte) (int, error)       { return len(b), nil }

func (c *trickle) Read(b []byte) (int, error) {
	at := c.since.Add(c.quiet)
	if c.end.Before(at) {
		time.Sleep(time.Until(c.end))
		return 0, os.ErrDeadlineExceeded
	}
	time.Sleep(time.Until(at))
	return copy(b, c.rest), nil
}

// A peer is not given up while a large request is on its way to it. Without such a request, a silent peer is given
// up.
func TestLargeRequestsTakeTheirTime(t *testing.T) {
	for bytes, want := range map[int]bool{1: false, slowest: true} {
		c := &trickle{since: time.Now(), quiet: 300 * time.Millisecond, rest: []byte("a")}
		p := &SlowConn{Conn: c, Patience: 50 * time.Millisecond}
		_, err := p.Write(make([]byte, bytes))
		require.NoError(t, err)
		_, err = p.Read(make([]byte, 1))
		require.Equal(t, want, err == nil, "%d bytes: %v", bytes, err)
	}
}
