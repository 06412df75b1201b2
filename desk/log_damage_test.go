package desk

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/code"
)

// tiny returns some logs of a few short entries that follow each other, and where each frame begins.
func tiny(t *testing.T, logs int) (log []byte, begin []int) {
	d, err := New(Config{})
	require.NoError(t, err)
	var b bytes.Buffer
	id := BookingID(0)
	for i := range logs {
		l := NewLog(d, &b)
		begin = append(begin, b.Len())
		list := []Command{Book{Request: Request{Owner: "a", Shapes: []Shape{onePart("p", 1, 3)}}}, Cancel{id + 1}}
		if i == 0 {
			list = append([]Command{AddSchedule{"p", Pool{Units: 1}}}, list...)
		}
		for n, c := range list {
			at := b.Len()
			_, err := l.Do(c)
			require.NoError(t, err)
			if n == 0 { // behind the head
				at = begin[len(begin)-1] + len(headOfLog(t, b.Bytes()[at:]))
			}
			begin = append(begin, at)
		}
		id++
	}
	return b.Bytes(), begin
}

// headOfLog returns the first frame.
func headOfLog(t *testing.T, log []byte) []byte {
	f := code.NewFrames(bytes.NewReader(log), "log")
	_, _, err := f.Frame()
	require.NoError(t, err)
	return log[:f.End()]
}

// spoil replays a log of which one byte has another value.
func spoil(t *testing.T, log []byte, at int, value byte) {
	spoilt := bytes.Clone(log)
	spoilt[at] = value
	d, err := New(Config{})
	require.NoError(t, err)
	good, err := Replay(bytes.NewReader(spoilt), d, nil)
	what := func() string { return fmt.Sprintf("byte %d of %d is %q: %v", at, len(log), value, err) }
	if good > int64(at) {
		t.Fatal("good bytes behind it:", what())
	}
	if err == nil {
		t.Fatal(what())
	}
	require.NotErrorIs(t, err, io.ErrUnexpectedEOF, what())
	require.ErrorIs(t, err, bookahead.ErrInvalid, what())
	require.Regexp(t, `byte \d+`, err.Error())
}

// A changed byte is damage, whatever it has become, and no torn end that could be cut off. With -short it becomes each
// seventh value.
func TestEveryByteWithEveryValue(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 7
	}
	for logs := 1; logs <= 2; logs++ {
		log, _ := tiny(t, logs)
		for at := range log {
			for v := 0; v < 256; v += step {
				if byte(v) != log[at] {
					spoil(t, log, at, byte(v))
				}
			}
		}
	}
}
