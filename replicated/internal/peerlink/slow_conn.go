package peerlink

import (
	"errors"
	"net"
	"os"
	"sync/atomic"
	"time"
)

// SlowConn is a connection that fails if its peer is silent, or takes no bytes, for Patience. Bytes that were written
// extend the time, as if the network took only slowest bytes a second: the answer to a ping waits behind them.
//
//	ping           ├─ two beats ─┤ silent: given up
//	16 MiB, ping   ├─ 16 s ──────────────────────────── … ─┤
type SlowConn struct {
	net.Conn
	Patience time.Duration
	until    atomic.Int64 // in ns since 1970: until then bytes that were written may be on their way
}

const (
	// piece is the most bytes that are written under one deadline.
	piece = 256 << 10
	// slowest is the least speed of a network, in bytes a second.
	slowest = 1 << 20
)

func (p *SlowConn) Read(b []byte) (int, error) {
	for {
		end := max(time.Now().Add(p.Patience).UnixNano(), p.until.Load())
		err := p.SetReadDeadline(time.Unix(0, end))
		if err != nil {
			return 0, err
		}
		n, err := p.Conn.Read(b)
		// A write during the read may have extended the time.
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) || time.Now().UnixNano() >= p.until.Load() {
			return n, err
		}
	}
}

func (p *SlowConn) Write(b []byte) (int, error) {
	done := 0
	for done < len(b) {
		now := time.Now()
		err := p.SetWriteDeadline(now.Add(p.Patience))
		if err != nil {
			return done, err
		}
		n, err := p.Conn.Write(b[done:min(len(b), done+piece)])
		done += n
		// Only one goroutine writes at a time, so no other changes until.
		p.until.Store(max(p.until.Load(), now.UnixNano()) + int64(n)*int64(time.Second)/slowest)
		if err != nil {
			return done, err
		}
	}
	return done, nil
}
