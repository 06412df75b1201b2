package replicated

import (
	"bufio"
	"bytes"
	"io"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// appendFrame appends a frame to b as it is written.
func appendFrame(b []byte, f frame) []byte {
	var to bytes.Buffer
	w := bufio.NewWriter(&to)
	_ = writeFrame(w, f)
	_ = w.Flush()
	return append(b, to.Bytes()...)
}

func TestFramesAreReadAsTheyWereWritten(t *testing.T) {
	frames := []frame{
		{1, askIndex, nil}, {math.MaxUint64, replied, []byte("a")}, {2, ping, bytes.Repeat([]byte("x"), messageStep*3+1)},
	}
	var b []byte
	for _, f := range frames {
		b = appendFrame(b, f)
	}
	r := bufio.NewReader(bytes.NewReader(b))
	for _, f := range frames {
		got, err := readFrame(r, maxRequest)
		require.NoError(t, err)
		require.Equal(t, f.id, got.id)
		require.Equal(t, f.kind, got.kind)
		require.True(t, bytes.Equal(f.body, got.body))
	}
	_, err := readFrame(r, maxRequest)
	require.Equal(t, io.EOF, err)
}

// A frame that was cut, or has a flipped bit, is refused.
func TestDamagedFramesAreRefused(t *testing.T) {
	b := appendFrame(nil, frame{7, askRemove, []byte("some body")})
	for i := range b {
		_, err := readFrame(bufio.NewReader(bytes.NewReader(b[:i])), maxRequest)
		require.Error(t, err, "cut at %d", i)
		for bit := range 8 {
			bad := bytes.Clone(b)
			bad[i] ^= 1 << bit
			_, err := readFrame(bufio.NewReader(bytes.NewReader(bad)), maxRequest)
			require.Error(t, err, "bit %d of byte %d", bit, i)
		}
	}
}

func TestALongFrameIsRefusedByItsHead(t *testing.T) {
	b := appendFrame(nil, frame{7, askRemove, []byte("some body")})
	_, err := readFrame(bufio.NewReader(bytes.NewReader(b)), 8)
	require.ErrorIs(t, err, errFrame)
}

// A forged length takes no memory: memory grows with the bytes, and few bytes come.
func TestALengthThatIsALieTakesNoMemory(t *testing.T) {
	head := appendFrame(nil, frame{7, replied, nil})[:messageHead]
	head[3] = 0x3f // a GiB
	r := bytes.NewReader(nil)
	in := bufio.NewReaderSize(r, 16)
	got := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r.Reset(head)
			in.Reset(r)
			_, err := readFrame(in, maxAnswer)
			if err == nil {
				b.Fatal("read")
			}
		}
	})
	require.Less(t, got.AllocedBytesPerOp(), int64(3*messageStep))
}

// FuzzFrames reads frames, and their bodies as each kind of frame. Nothing panics, and a frame that is read is
// written again unchanged.
func FuzzFrames(f *testing.F) {
	body, err := desk.MarshalCommand(desk.Advance{Now: 7}, desk.Binary)
	require.NoError(f, err)
	c := call{op: doCommand, session: 3, number: 9, body: body}
	p := Peer{ID: "2", Address: "host:7000", Watches: true}
	f.Add(appendFrame(nil, frame{1, askCarryOut, c.appendWire(request{left: 1e9, desk: 7}.append(nil))}))
	f.Add(appendFrame(appendFrame(nil, frame{2, askAdd, p.appendWire(request{}.append(nil))}), frame{kind: ping}))
	f.Add(appendFrame(nil, frame{3, declined, appendError(nil, &NotLeaderError{p})}))
	status, err := Status{ID: "2", State: "leader", Leader: p, Peers: []Peer{p}, Full: true, Err: ErrFull}.appendWire(nil)
	require.NoError(f, err)
	f.Add(appendFrame(nil, frame{4, replied, status}))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bufio.NewReader(bytes.NewReader(data))
		at := 0
		for {
			f, err := readFrame(r, maxRequest)
			if err != nil {
				return
			}
			b := appendFrame(nil, f)
			require.Equal(t, data[at:at+len(b)], b)
			at += len(b)
			in := snapshot.Body("request", f.body)
			readRequest(in)
			c := readWireCall(in)
			if in.Close() == nil {
				again := snapshot.Body("call", c.appendWire(nil))
				require.Equal(t, c, readWireCall(again))
			}
			_ = readWirePeer(snapshot.Body("request", f.body))
			_ = readError(snapshot.Body("request", f.body))
			_, _ = readWireAnswer(f.body)
			_, _ = readIndexAnswer(f.body)
			s, err := readWireStatus(f.body)
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

// A frame without room is read to its end, and its sum is checked all the same.
func TestAFrameWithoutRoomIsSkipped(t *testing.T) {
	one, two := appendFrame(nil, frame{7, askCarryOut, make([]byte, 100)}), appendFrame(nil, frame{8, ping, nil})
	noRoom := func(n int64) bool { return n == 0 }
	in := bufio.NewReader(bytes.NewReader(append(slices.Clone(one), two...)))
	f, err := readFrameInto(in, maxRequest, noRoom)
	require.Equal(t, errNoRoom, err)
	require.Equal(t, frame{id: 7, kind: askCarryOut}, f)
	f, err = readFrameInto(in, maxRequest, noRoom)
	require.NoError(t, err)
	require.EqualValues(t, 8, f.id)
	for i := range one {
		_, err = readFrameInto(bufio.NewReader(bytes.NewReader(one[:i])), maxRequest, noRoom)
		require.Error(t, err)
		require.NotErrorIs(t, err, errNoRoom, "cut after %d bytes", i)
		bad := slices.Clone(one)
		bad[i] ^= 1
		_, err = readFrameInto(bufio.NewReader(bytes.NewReader(bad)), maxRequest, noRoom)
		require.NotErrorIs(t, err, errNoRoom, "another byte %d", i)
	}
}
