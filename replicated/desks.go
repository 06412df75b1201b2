package replicated

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
)

// desksAtOnce is how many whole desks a member sends at once: each takes as much memory as its bytes, of which a million
// bookings have about a hundred million. Others wait for their turn.
const desksAtOnce = 2

// turn waits until the member may send a whole desk, if that is the request. The function that it returns is called once the
// answer is sent.
func (v *serving) turn(ctx context.Context, kind frameKind) func() {
	if kind != askDesk || v.desks.Acquire(ctx, 1) != nil {
		return func() {}
	}
	return func() { v.desks.Release(1) }
}

// desk returns the desk as bytes, after the index up to which it has the log. The desk is written twice, the first time to
// count its bytes: a buffer that grows would have them up to three times.
func (v *serving) desk(ctx context.Context, f Freshness) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err() // while it waited for its turn
	}
	view, err := v.calls.Read(ctx, f)
	if err != nil {
		return nil, err
	}
	size, err := view.WriteTo(io.Discard)
	if err != nil {
		return nil, err
	}
	if size > maxAnswer {
		return nil, tooLong(size)
	}
	b := bytes.NewBuffer(make([]byte, 0, binary.MaxVarintLen64+size))
	_, _ = b.Write(appendIndex(b.AvailableBuffer(), view.Applied)) // a Buffer fails by a panic only
	_, err = view.WriteTo(b)
	return b.Bytes(), err
}
