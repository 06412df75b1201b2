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

// sender writes frames to a connection for any number of goroutines. Frames that come at the same time go out
// together: the last writer in the queue flushes.
//
//	goroutine 1   ── frame ─┐
//	goroutine 2   ── frame ─┤► buffer, 64 KiB ─ flush, by 3 ─► one packet
//	goroutine 3   ── frame ─┘
type sender struct {
	queue atomic.Int64
	turn  chan struct{} // one token while nobody writes
	to    *bufio.Writer
}

func newSender(c net.Conn) *sender {
	s := &sender{turn: make(chan struct{}, 1), to: bufio.NewWriterSize(c, 64<<10)}
	s.turn <- struct{}{}
	return s
}

// send writes a frame. If sent is false, no byte of the frame was written. Otherwise the peer may have the frame,
// also if there is an error; after an error the connection is of no more use.
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

// offer writes a frame unless another goroutine writes. It is for frames that may get lost.
func (s *sender) offer(f frame) {
	select {
	case <-s.turn:
	default:
		return
	}
	err := writeFrame(s.to, f)
	if err == nil {
		_ = s.to.Flush() // bufio returns the error again with the next frame
	}
	s.turn <- struct{}{}
}

// leave takes a frame that was never written out of the queue. The writer before may have left the flush to it, so
// leave flushes if it is the last.
func (s *sender) leave() {
	behind := s.queue.Add(-1)
	if behind > 0 {
		return
	}
	<-s.turn // the token comes: a patient connection ends each write
	_ = s.to.Flush()
	s.turn <- struct{}{}
}

// patient is a connection that fails if its peer is silent, or takes no bytes, for patience. Bytes that were written
// extend the time, as if the network took only slowest bytes a second: the answer to a ping waits behind them.
//
//	ping           ├─ two beats ─┤ silent: given up
//	16 MiB, ping   ├─ 16 s ──────────────────────────── … ─┤
type patient struct {
	net.Conn
	patience time.Duration
	until    atomic.Int64 // in ns since 1970: until then bytes that were written may be on their way
}

const (
	// piece is the most bytes that are written under one deadline.
	piece = 256 << 10
	// slowest is the least speed of a network, in bytes a second.
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
		// A write during the read may have extended the time.
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
		// Only one goroutine writes at a time, so no other changes until.
		p.until.Store(max(p.until.Load(), now.UnixNano()) + int64(n)*int64(time.Second)/slowest)
		if err != nil {
			return done, err
		}
	}
	return done, nil
}
