package peerlink

import (
	"bufio"
	"bytes"
	"io"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// appendFrame appends a frame to b as it is written.
func appendFrame(b []byte, f Frame) []byte {
	var to bytes.Buffer
	w := bufio.NewWriter(&to)
	_ = WriteFrame(w, f)
	_ = w.Flush()
	return append(b, to.Bytes()...)
}

func TestFramesAreReadAsTheyWereWritten(t *testing.T) {
	frames := []Frame{
		{1, 2, nil}, {math.MaxUint64, 67, []byte("a")}, {2, 64, bytes.Repeat([]byte("x"), messageStep*3+1)},
	}
	var b []byte
	for _, f := range frames {
		b = appendFrame(b, f)
	}
	r := bufio.NewReader(bytes.NewReader(b))
	for _, f := range frames {
		got, err := ReadFrame(r, 1<<20)
		require.NoError(t, err)
		require.Equal(t, f.ID, got.ID)
		require.Equal(t, f.Kind, got.Kind)
		require.True(t, bytes.Equal(f.Body, got.Body))
	}
	_, err := ReadFrame(r, 1<<20)
	require.Equal(t, io.EOF, err)
}

// A frame that was cut, or has a flipped bit, is refused.
func TestDamagedFramesAreRefused(t *testing.T) {
	b := appendFrame(nil, Frame{7, 4, []byte("some body")})
	for i := range b {
		_, err := ReadFrame(bufio.NewReader(bytes.NewReader(b[:i])), 1<<20)
		require.Error(t, err, "cut at %d", i)
		for bit := range 8 {
			bad := bytes.Clone(b)
			bad[i] ^= 1 << bit
			_, err := ReadFrame(bufio.NewReader(bytes.NewReader(bad)), 1<<20)
			require.Error(t, err, "bit %d of byte %d", bit, i)
		}
	}
}

func TestALongFrameIsRefusedByItsHead(t *testing.T) {
	b := appendFrame(nil, Frame{7, 4, []byte("some body")})
	_, err := ReadFrame(bufio.NewReader(bytes.NewReader(b)), 8)
	require.ErrorIs(t, err, ErrFrame)
}

// A forged length takes no memory: memory grows with the bytes, and few bytes come.
func TestALengthThatIsALieTakesNoMemory(t *testing.T) {
	head := appendFrame(nil, Frame{7, 67, nil})[:messageHead]
	head[3] = 0x3f // a GiB
	r := bytes.NewReader(nil)
	in := bufio.NewReaderSize(r, 16)
	got := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r.Reset(head)
			in.Reset(r)
			_, err := ReadFrame(in, 1<<30)
			if err == nil {
				b.Fatal("read")
			}
		}
	})
	require.Less(t, got.AllocedBytesPerOp(), int64(3*messageStep))
}

// A frame without room is read to its end, and its sum is checked all the same.
func TestAFrameWithoutRoomIsSkipped(t *testing.T) {
	one, two := appendFrame(nil, Frame{7, 1, make([]byte, 100)}), appendFrame(nil, Frame{8, 64, nil})
	noRoom := func(n int64) bool { return n == 0 }
	in := bufio.NewReader(bytes.NewReader(append(slices.Clone(one), two...)))
	f, err := ReadFrameInto(in, 1<<20, noRoom)
	require.Equal(t, ErrNoRoom, err)
	require.Equal(t, Frame{ID: 7, Kind: 1}, f)
	f, err = ReadFrameInto(in, 1<<20, noRoom)
	require.NoError(t, err)
	require.EqualValues(t, 8, f.ID)
	for i := range one {
		_, err = ReadFrameInto(bufio.NewReader(bytes.NewReader(one[:i])), 1<<20, noRoom)
		require.Error(t, err)
		require.NotErrorIs(t, err, ErrNoRoom, "cut after %d bytes", i)
		bad := slices.Clone(one)
		bad[i] ^= 1
		_, err = ReadFrameInto(bufio.NewReader(bytes.NewReader(bad)), 1<<20, noRoom)
		require.NotErrorIs(t, err, ErrNoRoom, "another byte %d", i)
	}
}
