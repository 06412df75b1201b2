package desk

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

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

	maxFrame  = 1 << 30 // the most bytes of a body
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

// begin begins the next frame. The error is io.EOF at the end.
func (f *frames) begin(what string) error {
	f.at, f.what = f.next, what
	first, err := f.r.Peek(1)
	switch {
	case err == io.EOF:
		return io.EOF
	case err != nil:
		return f.broken(err)
	case first[0] == 0:
		return f.zeros()
	}
	return nil
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
