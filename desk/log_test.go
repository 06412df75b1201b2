package desk

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/depth"
)

// runs is how many commands the long tests carry out: a twentieth of the operations unless BOOKAHEAD_OPS asks for
// more than there are usually.
func runs() int {
	n := depth.Operations()
	if !depth.Deep() {
		n /= 20
	}
	return n
}

// stride is the distance of the bytes that tests look at: 1 for long runs.
func stride() int {
	if depth.Deep() {
		return 1
	}
	return 13
}

func mustNew(t require.TestingT) *Desk {
	d, err := New(keepsNine)
	require.NoError(t, err)
	return d
}

func replayed(t require.TestingT, data []byte) *Desk {
	d := mustNew(t)
	n, err := Replay(bytes.NewReader(data), d, nil)
	require.NoError(t, err)
	require.Equal(t, int64(len(data)), n)
	return d
}

// A log rebuilds the desk byte for byte, and so does a snapshot with the rest of the log. Another desk that gets the same
// commands is the same.
func TestReplayGivesTheSameBytes(t *testing.T) {
	p := newPlayer(t, 1)
	other := newPlayer(t, 1).d
	var log bytes.Buffer
	l := NewLog(p.d, &log)
	seen := tally{}
	var half []byte
	cut := 0
	count := runs()
	for i := range count {
		if i == count/2 {
			half, cut = written(t, p.d), log.Len()
		}
		c := p.next()
		before := log.Len()
		want, err := l.Do(c)
		seen.add(c, err)
		if err != nil {
			require.Equal(t, before, log.Len(), "a refused command leaves no trace")
		}
		got, otherErr := other.Do(c)
		require.Equal(t, err, otherErr)
		require.Equal(t, want.Events, got.Events)
	}
	if count >= 5000 { // with fewer, some commands do not come to be accepted
		seen.check(t)
	}
	want := written(t, p.d)
	require.NoError(t, p.d.Verify())
	require.True(t, bytes.Equal(want, written(t, other)), "the same commands give the same desk")
	require.True(t, bytes.Equal(want, written(t, replayed(t, log.Bytes()))))

	for _, rest := range [][]byte{log.Bytes()[cut:], log.Bytes()} { // compacted, or not yet
		d, err := Read(bytes.NewReader(half), keepsNine)
		require.NoError(t, err)
		require.NoError(t, d.Verify())
		if len(rest) != log.Len() {
			rest = append(headFrame(t, d), rest...)
		}
		n, err := Replay(bytes.NewReader(rest), d, nil)
		require.NoError(t, err)
		require.Equal(t, int64(len(rest)), n)
		require.True(t, bytes.Equal(want, written(t, d)))
	}
	read, err := Read(bytes.NewReader(want), keepsNine)
	require.NoError(t, err)
	require.NoError(t, read.Verify())
	require.True(t, bytes.Equal(want, written(t, read)))
	t.Logf("%d commands: %v; log %d bytes, snapshot %d", count, seen, log.Len(), len(want))
}

// headFrame returns the head of a log that begins at a desk.
func headFrame(t require.TestingT, d *Desk) []byte { return logBeginning(t, *d.head()) }

func logBeginning(t require.TestingT, h logHead) []byte {
	frame, err := appendValue(nil, markLog, h.append)
	require.NoError(t, err)
	return frame
}

// small returns a desk of some commands, the bytes after each entry, and its log.
func small(t require.TestingT, count int) (log []byte, ends []int, states [][]byte) {
	p := newPlayer(t, 3)
	var b bytes.Buffer
	l := NewLog(p.d, &b)
	ends, states = []int{0}, [][]byte{written(t, p.d)}
	for range count {
		_, err := l.Do(p.next())
		if err == nil && b.Len() > ends[len(ends)-1] {
			ends, states = append(ends, b.Len()), append(states, written(t, p.d))
		}
	}
	return b.Bytes(), ends, states
}

// A log that is cut at any byte rebuilds the state after some entry, and says where it was cut.
func TestACutLogRebuildsAPrefix(t *testing.T) {
	log, ends, states := small(t, 60)
	head := len(headFrame(t, mustNew(t))) // which is good alone
	entry := 0
	for cut := 0; cut < len(log); cut += stride() {
		for entry+1 < len(ends) && ends[entry+1] <= cut {
			entry++
		}
		d := mustNew(t)
		good, err := Replay(bytes.NewReader(log[:cut]), d, nil)
		switch {
		case cut == ends[entry]:
			require.NoError(t, err)
		case cut == head:
			require.NoError(t, err)
		default:
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			require.NotErrorIs(t, err, bookahead.ErrInvalid)
		}
		require.LessOrEqual(t, good, int64(cut))
		if cut >= head {
			require.Equal(t, int64(max(ends[entry], head)), good)
		}
		require.True(t, bytes.Equal(states[entry], written(t, d)), "cut at %d", cut)
		if cut%97 != 0 {
			continue
		}
		// Zeros at the end are as good as none.
		d = mustNew(t)
		zeros, err := Replay(bytes.NewReader(append(log[:good:good], make([]byte, 5)...)), d, nil)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		require.Equal(t, good, zeros)
	}
	require.Less(t, head, ends[1])
}

// Each byte that is changed is found, in the entry in which it lies, and the entries before it are replayed.
func TestAChangedByteIsRefused(t *testing.T) {
	log, ends, states := small(t, 30)
	entry := 0
	for at := 0; at < len(log); at += stride() {
		for entry+1 < len(ends) && ends[entry+1] <= at {
			entry++
		}
		for _, flip := range []byte{1, 0x80, 0x20, log[at], log[at] ^ '\n', 0xff} {
			if flip == 0 {
				continue
			}
			spoilt := bytes.Clone(log)
			spoilt[at] ^= flip
			d := mustNew(t)
			good, err := Replay(bytes.NewReader(spoilt), d, nil)
			require.ErrorIs(t, err, bookahead.ErrInvalid, "byte %d ^ %d", at, flip)
			require.LessOrEqual(t, good, int64(at))
			require.GreaterOrEqual(t, good, int64(ends[entry]))
			require.Regexp(t, `byte \d+`, err.Error())
			require.True(t, bytes.Equal(states[entry], written(t, d)))
		}
	}
}

// failing is a writer that fails after some bytes.
type failing struct {
	bytes.Buffer
	left int
}

var errDisk = errors.New("the disk is full")

func (f *failing) Write(b []byte) (int, error) {
	if len(b) <= f.left {
		f.left -= len(b)
		return f.Buffer.Write(b)
	}
	n, _ := f.Buffer.Write(b[:f.left])
	f.left = 0
	return n, errDisk
}

func TestAFailedWriteChangesNothing(t *testing.T) {
	log, _, states := small(t, 60)
	for left := 0; left < len(log); left += stride() {
		p := newPlayer(t, 3)
		w := &failing{left: left}
		l := NewLog(p.d, w)
		n := 0
		for {
			before := p.d.b.entries
			_, err := l.Do(p.next())
			if err == nil {
				n += int(p.d.b.entries - before)
				continue
			}
			if errors.Is(err, errDisk) {
				break
			}
		}
		require.True(t, bytes.Equal(states[n], written(t, p.d)))
		_, err := l.Do(Advance{p.d.Now()})
		require.ErrorIs(t, err, errDisk)
		require.ErrorContains(t, err, "takes no command since")
		if left%50 == 0 {
			d := mustNew(t)
			_, _ = Replay(bytes.NewReader(w.Bytes()), d, nil)
			require.True(t, bytes.Equal(states[n], written(t, d)))
		}
	}
}
