package replicated

import (
	"bufio"
	"context"
	"net"
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
	_, err = s.to.Write(appendFrame(s.to.AvailableBuffer(), f))
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
	_, err := s.to.Write(appendFrame(s.to.AvailableBuffer(), f))
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

// patient is a connection whose peer may be silent, or take no bytes, for a time. Then it fails.
type patient struct {
	net.Conn
	time.Duration
}

// piece is the most bytes that are written under one deadline.
const piece = 256 << 10

func (p patient) Read(b []byte) (int, error) {
	err := p.SetReadDeadline(time.Now().Add(p.Duration))
	if err != nil {
		return 0, err
	}
	return p.Conn.Read(b)
}

func (p patient) Write(b []byte) (int, error) {
	done := 0
	for done < len(b) {
		err := p.SetWriteDeadline(time.Now().Add(p.Duration))
		if err != nil {
			return done, err
		}
		n, err := p.Conn.Write(b[done:min(len(b), done+piece)])
		done += n
		if err != nil {
			return done, err
		}
	}
	return done, nil
}
