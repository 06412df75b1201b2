package replicated

import (
	"bufio"
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/internal/snapshot"
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

// FuzzFrames reads frames, and their bodies as each kind of frame. Nothing panics, and a frame that is read is
// written again unchanged.
func FuzzFrames(f *testing.F) {
	body, err := desk.MarshalCommand(desk.Advance{Now: 7})
	require.NoError(f, err)
	c := call{op: doCommand, session: 3, number: 9, body: body}
	p := Peer{ID: "2", Address: "host:7000", Watches: true}
	f.Add(appendFrame(nil, peerlink.Frame{ID: 1, Kind: askCarryOut, Body: c.appendWire(request{left: 1e9, desk: 7}.append(nil))}))
	f.Add(appendFrame(appendFrame(nil, peerlink.Frame{ID: 2, Kind: askAdd, Body: p.appendWire(request{}.append(nil))}), peerlink.Frame{Kind: ping}))
	f.Add(appendFrame(nil, peerlink.Frame{ID: 3, Kind: declined, Body: appendError(nil, &NotLeaderError{p})}))
	status, err := Status{ID: "2", State: "leader", Leader: p, Peers: []Peer{p}, Full: true, Err: ErrFull}.appendWire(nil)
	require.NoError(f, err)
	f.Add(appendFrame(nil, peerlink.Frame{ID: 4, Kind: replied, Body: status}))
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
			in := snapshot.Body("request", f.Body)
			readRequest(in)
			c := readWireCall(in)
			if in.Close() == nil {
				again := snapshot.Body("call", c.appendWire(nil))
				require.Equal(t, c, readWireCall(again))
			}
			_ = readWirePeer(snapshot.Body("request", f.Body))
			_ = readError(snapshot.Body("request", f.Body))
			_, _ = readWireAnswer(f.Body)
			_, _ = readIndexAnswer(f.Body)
			s, err := readWireStatus(f.Body)
			if err == nil {
				b, err := s.appendWire(nil)
				require.NoError(t, err)
				again, err := readWireStatus(b)
				require.NoError(t, err)
				require.Equal(t, s, again)
			}
		}
	})
}
