package desk

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"

	"github.com/bookahead/bookahead/internal/limits"
)

// A frame has a head with a sum of its own. Otherwise a changed length would look as if the file were cut off there, and
// whoever truncates a torn end would lose everything that follows.
//
//	mark     1 byte: the kind of content
//	length   of the body, a varint
//	sum      CRC-32C of the mark and the length, 4 bytes, little endian
//	body
//	sum      CRC-32C of the body
//
// In a JSON log a frame is a line, whose last field is the sum of everything before it:
//
//	{"number":7,"command":{...},"decision":{...},"sum":"8f3e0a11"}
const (
	markLog      = 'L' // the head of a log
	markEntry    = 'E'
	markDesk     = 'D' // the head of a snapshot
	markSchedule = 'S'
	markOutages  = 'O'
	markSeries   = 'R'
	markQuotas   = 'Q'
	markBookings = 'B'
	markEnd      = 'Z'

	maxFrame  = 1 << 30 // the most bytes of a body, or a line
	trustFrom = 1 << 16 // a longer body gets room as its bytes come
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func appendSum(b []byte, of []byte) []byte {
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(of, castagnoli))
}

// appendFrame appends a frame to some bytes.
func appendFrame(b []byte, mark byte, body []byte) []byte {
	b = appendHead(b, mark, len(body))
	b = append(b, body...)
	return appendSum(b, body)
}

// appendHead appends the head of a frame whose body has n bytes.
func appendHead(b []byte, mark byte, n int) []byte {
	head := len(b)
	b = append(b, mark)
	b = binary.AppendUvarint(b, uint64(n))
	return appendSum(b, b[head:])
}

// The end of a line around its sum.
const (
	beforeSum = `,"sum":"`
	afterSum  = `"}`
	sumLength = len(beforeSum) + 2*crc32.Size + len(afterSum)
)

// appendLine appends an object that is not empty as a line with its sum.
func appendLine(b []byte, object []byte) []byte {
	object = object[:len(object)-1]
	b = append(b, object...)
	return append(b, endOfLine(object)+"\n"...)
}

func endOfLine(object []byte) string { return endBySum(crc32.Checksum(object, castagnoli)) }

func endBySum(sum uint32) string {
	return beforeSum + hex.EncodeToString(binary.BigEndian.AppendUint32(nil, sum)) + afterSum
}

// openLine returns the object of a line, which has no newline any more, and whether the sum is right.
func openLine(line []byte) ([]byte, bool) {
	if len(line) < sumLength {
		return nil, false
	}
	object := line[: len(line)-sumLength : len(line)-sumLength]
	if string(line[len(object):]) != endOfLine(object) {
		return nil, false
	}
	return append(object, '}'), true
}

// frames reads frames one by one.
type frames struct {
	r    *bufio.Reader
	of   string // "log" or "snapshot"
	what string // the content that comes next, for errors
	at   int64  // where the frame under way begins
	next int64  // where it ends, as far as it has been read
	room []byte // for the next body; may be nil
}

func newFrames(r io.Reader, of string) *frames { return &frames{r: bufio.NewReader(r), of: of} }

// begin returns the first byte of the next frame, and leaves it there. The error is io.EOF at the end.
func (f *frames) begin(what string) (byte, error) {
	f.at, f.what = f.next, what
	first, err := f.r.Peek(1)
	if err == io.EOF {
		return 0, io.EOF
	}
	if err != nil {
		return 0, f.broken(err)
	}
	if first[0] == 0 {
		return 0, f.zeros()
	}
	return first[0], nil
}

// zeros looks at the bytes from a zero on. A crash may leave zeros at the end of a file whose length was written
// before its bytes.
func (f *frames) zeros() error {
	for {
		c, err := f.r.ReadByte()
		switch {
		case err != nil:
			return f.broken(err)
		case c != 0:
			return f.damaged("mark", 0, "is unknown")
		}
	}
}

// frame reads the frame that begins here.
func (f *frames) frame() (mark byte, body []byte, err error) {
	head := make([]byte, 0, 1+binary.MaxVarintLen32+crc32.Size)
	for len(head) < 2 || head[len(head)-1] >= 0x80 && len(head) <= binary.MaxVarintLen32 {
		c, err := f.r.ReadByte()
		if err != nil {
			return 0, nil, f.broken(err)
		}
		head = append(head, c)
	}
	n, size := binary.Uvarint(head[1:])
	sum, err := f.read(nil, crc32.Size)
	if err != nil {
		return 0, nil, err
	}
	if size != len(head)-1 || !bytes.Equal(sum, appendSum(nil, head)) || n > maxFrame {
		return 0, nil, f.damaged("head", fmt.Sprintf("%x", append(head, sum...)), "does not match its sum")
	}
	body, err = f.read(f.room, int(n))
	f.room = nil
	if err != nil {
		return 0, nil, err
	}
	sum, err = f.read(sum, crc32.Size)
	if err != nil {
		return 0, nil, err
	}
	if !bytes.Equal(sum, appendSum(nil, body)) {
		return 0, nil, f.damaged("sum", fmt.Sprintf("%x", sum), "does not match: the bytes are damaged")
	}
	f.next = f.at + int64(len(head)+len(body)+2*crc32.Size)
	return head[0], body, nil
}

// read reads n bytes. It makes no room for many more than there are: at first for trustFrom, and then for twice as many as
// have come. It uses the room of b, whose own bytes are dropped.
func (f *frames) read(b []byte, n int) ([]byte, error) {
	b = b[:0]
	if cap(b) < min(n, trustFrom) {
		b = make([]byte, 0, min(n, trustFrom))
	}
	for len(b) < n {
		if len(b) == cap(b) {
			b = slices.Grow(b, min(n-len(b), len(b)))
		}
		from := len(b)
		b = b[:min(n, cap(b))]
		_, err := io.ReadFull(f.r, b[from:])
		if err != nil {
			return nil, f.broken(err)
		}
	}
	return b, nil
}

// recycle takes back the body of a frame to which nothing refers any more, as room for the next body.
func (f *frames) recycle(body []byte) { f.room = body }

// line reads the line that begins here, and returns its object.
func (f *frames) line() ([]byte, error) {
	var line []byte
	for {
		part, err := f.r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxFrame {
			return nil, f.damaged("line", len(line), fmt.Sprintf("bytes are more than %d", maxFrame))
		}
		if err == nil {
			break
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		end := endInside(line)
		if err == io.EOF && end > 0 {
			return nil, f.damaged("newline", line[end], "is none")
		}
		return nil, f.broken(err)
	}
	object, ok := openLine(line[:len(line)-1])
	if !ok {
		return nil, f.damaged("line", len(line), "bytes do not match their sum: they are damaged")
	}
	f.next = f.at + int64(len(line))
	return object, nil
}

// endInside returns where a whole line ends within some bytes, or 0 if none does. In that case the newline has become
// another byte: a reader that takes the bytes for a torn line would lose a good one. O(n) for n bytes.
func endInside(line []byte) int {
	sum, summed := uint32(0), 0 // of the bytes before
	for at := 0; ; at++ {
		next := bytes.Index(line[at:], []byte(beforeSum))
		at += next
		end := at + sumLength
		if next < 0 || end >= len(line) {
			return 0
		}
		sum, summed = crc32.Update(sum, castagnoli, line[summed:at]), at
		if string(line[at:end]) == endBySum(sum) {
			return end
		}
	}
}

// expect returns an error unless the next bytes begin with one of the prefixes, and leaves them there. It looks at them
// before line does: a mark that has become a brace would make everything that follows a torn line.
func (f *frames) expect(prefixes ...string) error {
	var got []byte
	for _, prefix := range prefixes {
		next, err := f.r.Peek(len(prefix))
		switch {
		case string(next) == prefix:
			return nil
		case err != nil && strings.HasPrefix(prefix, string(next)):
			return f.broken(err)
		}
		got = next
	}
	return f.damaged("mark", fmt.Sprintf("%q", got), fmt.Sprintf("begins none of %q", prefixes))
}

// damaged returns the error for bytes that no writer has written.
func (f *frames) damaged(what string, value any, reason string) error {
	return limits.Invalid(fmt.Sprintf("%s: %s at byte %d: %s", f.of, f.what, f.at, what), value, reason)
}

// broken returns the error for bytes that cannot be read: io.ErrUnexpectedEOF if there are no more.
func (f *frames) broken(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("desk: %s: %s at byte %d is cut off: %w", f.of, f.what, f.at, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("desk: %s: %s at byte %d: %w", f.of, f.what, f.at, err)
}
