package peerlink

import (
	"bufio"
	"context"
	"net"
	"sync/atomic"
)

// FrameSender writes frames to a connection for any number of goroutines. Frames that come at the same time go out
// together: the last writer in the queue flushes.
//
//	goroutine 1   ── frame ─┐
//	goroutine 2   ── frame ─┤► buffer, 64 KiB ─ flush, by 3 ─► one packet
//	goroutine 3   ── frame ─┘
type FrameSender struct {
	queue atomic.Int64
	turn  chan struct{} // one token while nobody writes
	to    *bufio.Writer
}

// NewFrameSender returns a sender over a connection.
func NewFrameSender(c net.Conn) *FrameSender {
	s := &FrameSender{turn: make(chan struct{}, 1), to: bufio.NewWriterSize(c, 64<<10)}
	s.turn <- struct{}{}
	return s
}

// Send writes a frame. If sent is false, no byte of the frame was written. Otherwise the peer may have the frame,
// also if there is an error; after an error the connection is of no more use.
func (s *FrameSender) Send(ctx context.Context, f Frame) (sent bool, err error) {
	s.queue.Add(1)
	select {
	case <-s.turn:
	case <-ctx.Done():
		s.leave()
		return false, ctx.Err()
	}
	last := s.queue.Add(-1) == 0
	err = WriteFrame(s.to, f)
	if err == nil && last {
		err = s.to.Flush()
	}
	s.turn <- struct{}{}
	return true, err
}

// Offer writes a frame unless another goroutine writes. It is for frames that may get lost.
func (s *FrameSender) Offer(f Frame) {
	select {
	case <-s.turn:
	default:
		return
	}
	err := WriteFrame(s.to, f)
	if err == nil {
		_ = s.to.Flush() // bufio returns the error again with the next frame
	}
	s.turn <- struct{}{}
}

// leave takes a frame that was never written out of the queue. The writer before may have left the flush to it, so
// leave flushes if it is the last.
func (s *FrameSender) leave() {
	behind := s.queue.Add(-1)
	if behind > 0 {
		return
	}
	<-s.turn // the token comes: a SlowConn ends each write
	_ = s.to.Flush()
	s.turn <- struct{}{}
}
