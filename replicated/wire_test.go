package replicated

import (
	"bufio"
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/internal/code"
	"github.com/bookahead/bookahead/replicated/internal/peerlink"
)

// appendFrame appends a frame to b as it is written.
func appendFrame(b []byte, f peerlink.Frame) []byte {
	var to bytes.Buffer
	w := bufio.NewWriter(&to)
	_ = peerlink.WriteFrame(w, f)
	_ = w.Flush()
	return append(b, to.Bytes()...)
}

// bytesOf returns the bytes of some fields.
func bytesOf(t testing.TB, fields ...func(*code.Coder)) []byte {
	b, err := encode(func(x *code.Coder) {
		for _, f := range fields {
			f(x)
		}
	})
	require.NoError(t, err)
	return b
}

func errorBytes(t testing.TB, err error) []byte {
	return bytesOf(t, func(x *code.Coder) { codeError(x, &err) })
}

// The Status of another member says that its state is not that of the others, and a caller can ask for that.
func TestStatusKeepsErrDiverged(t *testing.T) {
	diverged := &divergedError{Index: 7, Ours: [32]byte{1}, Theirs: [32]byte{2}}
	s := Status{ID: "2", Doubt: diverged, Err: fmt.Errorf("%w: %w", ErrStopped, diverged)}
	var got Status
	require.NoError(t, decode("status", bytesOf(t, s.code), got.code))
	require.ErrorIs(t, got.Doubt, ErrDiverged)
	require.EqualError(t, got.Doubt, diverged.Error())
	require.ErrorIs(t, got.Err, ErrDiverged)
	require.ErrorIs(t, got.Err, ErrStopped)
}

// FuzzFrames reads frames, and their bodies as each kind of frame. Nothing panics, and a frame that is read is
// written again unchanged.
func FuzzFrames(f *testing.F) {
	body, err := desk.MarshalCommand(desk.Advance{Now: 7})
	require.NoError(f, err)
	c := call{op: doCommand, session: 3, number: 9, body: body}
	p := Peer{ID: "2", Address: "host:7000", Watches: true}
	f.Add(appendFrame(nil, peerlink.Frame{ID: 1, Kind: askCarryOut, Body: bytesOf(f, (&request{left: 1e9, desk: 7}).code, c.code)}))
	f.Add(appendFrame(appendFrame(nil, peerlink.Frame{ID: 2, Kind: askAdd, Body: bytesOf(f, new(request).code, p.code)}), peerlink.Frame{Kind: ping}))
	f.Add(appendFrame(nil, peerlink.Frame{ID: 3, Kind: declined, Body: errorBytes(f, &NotLeaderError{p})}))
	status := Status{ID: "2", State: "leader", Leader: p, Peers: []Peer{p}, Full: true, Err: ErrFull}
	f.Add(appendFrame(nil, peerlink.Frame{ID: 4, Kind: replied, Body: bytesOf(f, status.code)}))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bufio.NewReader(bytes.NewReader(data))
		at := 0
		for {
			f, err := peerlink.ReadFrame(r, maxRequest)
			if err != nil {
				return
			}
			b := appendFrame(nil, f)
			require.Equal(t, data[at:at+len(b)], b)
			at += len(b)
			in := code.NewReader("request", f.Body)
			new(request).code(in)
			var c call
			c.codeAsked(in)
			if in.Close() == nil {
				var again call
				require.NoError(t, decode("call", bytesOf(t, c.code), again.codeAsked))
				require.Equal(t, c, again)
			}
			_ = decode("request", f.Body, new(Peer).code)
			_ = decode("request", f.Body, func(x *code.Coder) { codeError(x, new(error)) })
			_, _ = decodeAnswer(f.Body)
			_ = decode("request", f.Body, func(x *code.Coder) { codeIndex(x, new(uint64)) })
			var s, again Status
			if decode("answer", f.Body, s.code) == nil {
				require.NoError(t, decode("answer", bytesOf(t, s.code), again.code))
				require.Equal(t, s, again)
			}
		}
	})
}
