package replicated

import (
	"bufio"
	"context"
	"errors"
	"net"
	"os"
	"sync/atomic"
	"time"
)

// sender writes frames to a connection for any number of goroutines. Frames that are written at the same time go out
// together: whoever is last in the queue flushes.
//
//	goroutine 1   ── frame ─┐
//	goroutine 2   ── frame ─┤► buffer, 64 KiB ─ flush, by 3 ─► one packet
//	goroutine 3   ── frame ─┘
type sender struct {
	queue atomic.Int64
	turn  chan struct{} // has a token while nobody writes
	to    *bufio.Writer
}

func newSender(c net.Conn) *sender {
	s := &sender{turn: make(chan struct{}, 1), to: bufio.NewWriterSize(c, 64<<10)}
	s.turn <- struct{}{}
	return s
}

// send writes a frame. If sent is false none of it was written; otherwise the peer may have it, even with an error, after
// which the connection is of no more use.
func (s *sender) send(ctx context.Context, f frame) (sent bool, err error) {
	s.queue.Add(1)
	select {
	case <-s.turn:
	case <-ctx.Done():
		s.leave()
		return false, ctx.Err()
	}
	last := s.queue.Add(-1) == 0
	err = writeFrame(s.to, f)
	if err == nil && last {
		err = s.to.Flush()
	}
	s.turn <- struct{}{}
	return true, err
}

// offer writes a frame if nobody else writes at the time: one that does no harm if it is not sent.
func (s *sender) offer(f frame) {
	select {
	case <-s.turn:
	default:
		return
	}
	err := writeFrame(s.to, f)
	if err == nil {
		_ = s.to.Flush() // its error comes again, with the next frame
	}
	s.turn <- struct{}{}
}

// leave takes a frame out of the queue that was never written. The one before it may have left the flush to it, so
// somebody flushes.
func (s *sender) leave() {
	if s.queue.Add(-1) > 0 {
		return
	}
	<-s.turn // it comes, since a patient connection ends each write
	_ = s.to.Flush()
	s.turn <- struct{}{}
}

// patient is a connection whose peer may be silent, or take no bytes, for a time. Then it fails. Bytes that were written
// give the peer more time, as if they took their way at slowest: its answer to a ping waits behind them.
//
//	ping           ├─ two beats ─┤ silent: given up
//	16 MiB, ping   ├─ 16 s ──────────────────────────── … ─┤
type patient struct {
	net.Conn
	patience time.Duration
	until    atomic.Int64 // ns since 1970, up to which the bytes that were written may be on their way
}

const (
	// piece is the most bytes that are written under one deadline.
	piece = 256 << 10
	// slowest is how many bytes a second a network has at least.
	slowest = 1 << 20
)

func (p *patient) Read(b []byte) (int, error) {
	for {
		end := max(time.Now().Add(p.patience).UnixNano(), p.until.Load())
		err := p.SetReadDeadline(time.Unix(0, end))
		if err != nil {
			return 0, err
		}
		n, err := p.Conn.Read(b)
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) || time.Now().UnixNano() >= p.until.Load() {
			return n, err
		}
	}
}

func (p *patient) Write(b []byte) (int, error) {
	done := 0
	for done < len(b) {
		now := time.Now()
		err := p.SetWriteDeadline(now.Add(p.patience))
		if err != nil {
			return done, err
		}
		n, err := p.Conn.Write(b[done:min(len(b), done+piece)])
		done += n
		// One goroutine writes at a time, so nobody else changes it.
		p.until.Store(max(p.until.Load(), now.UnixNano()) + int64(n)*int64(time.Second)/slowest)
		if err != nil {
			return done, err
		}
	}
	return done, nil
}
