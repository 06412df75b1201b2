package replicated

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"

	"github.com/bookahead/bookahead/internal/code"
	"github.com/bookahead/bookahead/replicated/internal/peerlink"
)

// downloadsAtOnce is how many whole desks a member sends at once. Each takes as much memory as its bytes, about a hundred
// million for a million bookings. Further requests wait.
const downloadsAtOnce = 2

// acquireDownload waits until the member may send a whole desk, if the request asks for one. Call the function that it returns
// once the answer is sent.
func (v *serverConn) acquireDownload(ctx context.Context, kind peerlink.Kind) func() {
	if kind != askDesk {
		return func() {}
	}
	err := v.downloads.Acquire(ctx, 1)
	if err != nil {
		return func() {}
	}
	return func() { v.downloads.Release(1) }
}

// download returns an index, and the bytes of the desk behind that entry. It writes the desk twice, the first time to
// count the bytes: a buffer that grows would hold up to three copies of them.
func (v *serverConn) download(ctx context.Context, f Freshness) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err() // ctx ended while the request waited for its turn
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
	x := code.NewWriter(make([]byte, 0, binary.MaxVarintLen64+size))
	codeIndex(x, &view.Applied)
	b := bytes.NewBuffer(x.Bytes())
	_, err = view.WriteTo(b)
	return b.Bytes(), err
}
