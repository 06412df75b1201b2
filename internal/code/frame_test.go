package code

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// some returns three frames, and where each ends.
func some() (data []byte, ends []int64) {
	for _, body := range []string{"", "one", string(bytes.Repeat([]byte("long "), 50))} {
		data = AppendFrame(data, 'A'+byte(len(ends)), []byte(body))
		ends = append(ends, int64(len(data)))
	}
	return data, ends
}

// readAll reads frames to their end or an error, and returns the bytes that are good.
func readAll(r io.Reader) (marks string, good int64, err error) {
	f := NewFrames(r, "test")
	for {
		err := f.Begin("frame")
		if err == io.EOF {
			return marks, good, nil
		}
		if err != nil {
			return marks, good, err
		}
		mark, body, err := f.Frame()
		if err != nil {
			return marks, good, err
		}
		marks, good = marks+string(mark), f.End()
		f.Recycle(body)
	}
}

func TestFrames(t *testing.T) {
	data, ends := some()
	var w bytes.Buffer
	out := NewFrameWriter(&w)
	out.Frame('A', nil)
	out.Frame('B', nil, []byte("o"), []byte("ne"))
	out.Frame('C', nil, bytes.Repeat([]byte("long "), 50))
	require.NoError(t, out.Err())
	require.Equal(t, data, w.Bytes(), "parts are one body")
	require.Equal(t, int64(len(data)), out.Written())
	for cut := range len(data) + 1 {
		_, good, err := readAll(iotest.OneByteReader(bytes.NewReader(data[:cut])))
		whole := cut == 0
		want := int64(0)
		for _, end := range ends {
			if end <= int64(cut) {
				want, whole = end, whole || end == int64(cut)
			}
		}
		require.Equal(t, want, good)
		if whole {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, io.ErrUnexpectedEOF, "cut at %d", cut)
		}
	}
	_, good, err := readAll(bytes.NewReader(append(bytes.Clone(data), 0, 0, 0)))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF, "a crash may leave zeros")
	require.Equal(t, int64(len(data)), good)
	_, _, err = readAll(iotest.TimeoutReader(iotest.HalfReader(bytes.NewReader(data))))
	require.ErrorIs(t, err, iotest.ErrTimeout)
}

// Each byte that is changed is damage, and no end that is torn.
func TestAChangedByteOfAFrame(t *testing.T) {
	data, ends := some()
	for at := range data {
		for v := range 256 {
			if byte(v) == data[at] {
				continue
			}
			spoilt := bytes.Clone(data)
			spoilt[at] = byte(v)
			_, good, err := readAll(bytes.NewReader(spoilt))
			require.ErrorIs(t, err, bookahead.ErrInvalid)
			require.NotErrorIs(t, err, io.ErrUnexpectedEOF)
			require.LessOrEqual(t, good, int64(at))
			require.Contains(t, append(ends, 0), good)
		}
	}
}

// A frame that is said to be long has room as its bytes come.
func TestALongFrameHasToProveIt(t *testing.T) {
	head := appendHead(nil, 'A', MaxFrame)
	var before, after runtime.MemStats
	for _, come := range []int{0, 1 << 10, 1 << 20} {
		data := append(bytes.Clone(head), make([]byte, come)...)
		runtime.ReadMemStats(&before)
		_, _, err := readAll(bytes.NewReader(data))
		runtime.ReadMemStats(&after)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<18+8*come))
	}
	_, _, err := readAll(bytes.NewReader(appendHead(nil, 'A', MaxFrame+1)))
	require.ErrorIs(t, err, bookahead.ErrInvalid)
}

// A writer stops at the first error: that of making a part, or that of Write.
func TestAFrameWriterStops(t *testing.T) {
	made := errors.New("the part cannot be made")
	var w bytes.Buffer
	out := NewFrameWriter(&w)
	out.Frame('A', made, []byte("x"))
	out.Frame('B', nil, []byte("y"))
	require.Equal(t, made, out.Err())
	require.Zero(t, w.Len())
	out = NewFrameWriter(short{})
	out.Frame('A', nil, []byte("x"))
	require.ErrorIs(t, out.Err(), io.ErrShortWrite)
}

// short writes less than it is given, without an error.
type short struct{}

func (short) Write(b []byte) (int, error) { return len(b) - 1, nil }

func FuzzFrames(f *testing.F) {
	data, _ := some()
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		marks, good, err := readAll(bytes.NewReader(data))
		require.LessOrEqual(t, good, int64(len(data)))
		require.True(t, err == nil || errors.Is(err, bookahead.ErrInvalid) || errors.Is(err, io.ErrUnexpectedEOF), "%v", err)
		again, n, err := readAll(bytes.NewReader(data[:good]))
		require.NoError(t, err)
		require.Equal(t, good, n)
		require.Equal(t, marks, again)
	})
}
