package replicated

import (
	"bufio"
	"context"
	"net"
	"sync/atomic"
)

// frameSender writes frames to a connection for any number of goroutines. Frames that come at the same time go out
// together: the last writer in the queue flushes.
//
//	goroutine 1   ── frame ─┐
//	goroutine 2   ── frame ─┤► buffer, 64 KiB ─ flush, by 3 ─► one packet
//	goroutine 3   ── frame ─┘
type frameSender struct {
	queue atomic.Int64
	turn  chan struct{} // one token while nobody writes
	to    *bufio.Writer
}

func newFrameSender(c net.Conn) *frameSender {
	s := &frameSender{turn: make(chan struct{}, 1), to: bufio.NewWriterSize(c, 64<<10)}
	s.turn <- struct{}{}
	return s
}

// send writes a frame. If sent is false, no byte of the frame was written. Otherwise the peer may have the frame,
// also if there is an error; after an error the connection is of no more use.
func (s *frameSender) send(ctx context.Context, f frame) (sent bool, err error) {
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
func (s *frameSender) offer(f frame) {
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
func (s *frameSender) leave() {
	behind := s.queue.Add(-1)
	if behind > 0 {
		return
	}
	<-s.turn // the token comes: a slowConn ends each write
	_ = s.to.Flush()
	s.turn <- struct{}{}
}
