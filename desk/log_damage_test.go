package desk

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// tiny returns logs of a few short entries that follow each other, in one form each, and where each frame begins.
func tiny(t *testing.T, forms ...Form) (log []byte, begin []int) {
	d, err := New(Config{})
	require.NoError(t, err)
	var b bytes.Buffer
	id := BookingID(0)
	for i, form := range forms {
		l := NewLog(d, &b, form)
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
				at = begin[len(begin)-1] + len(headOfLog(t, b.Bytes()[at:], form))
			}
			begin = append(begin, at)
		}
		id++
	}
	return b.Bytes(), begin
}

// headOfLog returns the first frame.
func headOfLog(t *testing.T, log []byte, form Form) []byte {
	f := newFrames(bytes.NewReader(log), "log")
	var err error
	if form == JSON {
		_, err = f.line()
	} else {
		_, _, err = f.frame()
	}
	require.NoError(t, err)
	return log[:f.next]
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

var tinyForms = [][]Form{{Binary}, {JSON}, {Binary, JSON}, {JSON, Binary}}

// A changed mark is damage, whatever it has become, and no torn end that could be cut off.
func TestEveryMarkWithEveryValue(t *testing.T) {
	for _, forms := range tinyForms {
		log, begin := tiny(t, forms...)
		for _, at := range begin {
			for v := range 256 {
				if byte(v) != log[at] {
					spoil(t, log, at, byte(v))
				}
			}
		}
	}
}

// The same holds of every byte. Only a long run tries all values in JSON, which has many bytes.
func TestEveryByteWithEveryValue(t *testing.T) {
	for _, forms := range tinyForms[:2] {
		log, _ := tiny(t, forms...)
		step := 1
		if forms[0] == JSON {
			step = stride()
		}
		for at := range log {
			for v := at % step; v < 256; v += step {
				if byte(v) != log[at] {
					spoil(t, log, at, byte(v))
				}
			}
		}
	}
}

// A last line that is torn off does not take the line before it with it, if the newline between is damaged.
func TestADamagedNewlineBeforeATornLine(t *testing.T) {
	log, begin := tiny(t, JSON)
	last := begin[len(begin)-1]
	for cut := last + 1; cut < len(log); cut++ {
		spoil(t, log[:cut], last-1, 'x')
	}
}
