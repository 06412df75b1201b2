package code

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

const (
	// MaxFrame is the most bytes of a body.
	MaxFrame  = 1 << 30
	trustFrom = 1 << 16 // a longer body gets room as its bytes come
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func appendSum(b []byte, of []byte) []byte {
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(of, castagnoli))
}

// AppendFrame appends a frame to some bytes.
func AppendFrame(b []byte, mark byte, body []byte) []byte {
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

// Frames reads frames one by one.
type Frames struct {
	r    *bufio.Reader
	of   string // what all frames are
	what string // the content that comes next, for errors
	at   int64  // where the frame under way begins
	next int64  // where it ends, as far as it has been read
	room []byte // for the next body; may be nil
}

// NewFrames returns a reader of frames. Errors call all of them by a name, such as "log".
func NewFrames(r io.Reader, of string) *Frames { return &Frames{r: bufio.NewReader(r), of: of} }

// Begin begins the next frame. The error is io.EOF at the end.
func (f *Frames) Begin(what string) error {
	f.at, f.what = f.next, what
	first, err := f.r.Peek(1)
	switch {
	case err == io.EOF:
		return io.EOF
	case err != nil:
		return f.Broken(err)
	case first[0] == 0:
		return f.zeros()
	}
	return nil
}

// zeros looks at the bytes from a zero on. A crash may leave zeros at the end of a file whose length was written
// before its bytes.
func (f *Frames) zeros() error {
	for {
		c, err := f.r.ReadByte()
		switch {
		case err != nil:
			return f.Broken(err)
		case c != 0:
			return f.Damaged("mark", 0, "is unknown")
		}
	}
}

// Frame reads the frame that begins here.
func (f *Frames) Frame() (mark byte, body []byte, err error) {
	head := make([]byte, 0, 1+binary.MaxVarintLen32+crc32.Size)
	for len(head) < 2 || head[len(head)-1] >= 0x80 && len(head) <= binary.MaxVarintLen32 {
		c, err := f.r.ReadByte()
		if err != nil {
			return 0, nil, f.Broken(err)
		}
		head = append(head, c)
	}
	n, size := binary.Uvarint(head[1:])
	sum, err := f.read(nil, crc32.Size)
	if err != nil {
		return 0, nil, err
	}
	if size != len(head)-1 || !bytes.Equal(sum, appendSum(nil, head)) || n > MaxFrame {
		return 0, nil, f.Damaged("head", fmt.Sprintf("%x", append(head, sum...)), "does not match its sum")
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
		return 0, nil, f.Damaged("sum", fmt.Sprintf("%x", sum), "does not match: the bytes are damaged")
	}
	f.next = f.at + int64(len(head)+len(body)+2*crc32.Size)
	return head[0], body, nil
}

// read reads n bytes. It makes no room for many more than there are: at first for trustFrom, and then for twice as many as
// have come. It uses the room of b, whose own bytes are dropped.
func (f *Frames) read(b []byte, n int) ([]byte, error) {
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
			return nil, f.Broken(err)
		}
	}
	return b, nil
}

// Recycle takes back the body of a frame to which nothing refers any more, as room for the next body.
func (f *Frames) Recycle(body []byte) { f.room = body }

// Damaged returns the error for bytes that no writer has written.
func (f *Frames) Damaged(what string, value any, reason string) error {
	return limits.Invalid(fmt.Sprintf("%s: %s at byte %d: %s", f.of, f.what, f.at, what), value, reason)
}

// Broken returns the error for bytes that cannot be read: io.ErrUnexpectedEOF if there are no more.
func (f *Frames) Broken(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("bookahead: %s: %s at byte %d is cut off: %w", f.of, f.what, f.at, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("bookahead: %s: %s at byte %d: %w", f.of, f.what, f.at, err)
}

// Wrong returns an error about the content of the frame, with its place, and nil for nil.
func (f *Frames) Wrong(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("bookahead: %s: %s at byte %d: %w", f.of, f.what, f.at, err)
}

// At returns where the frame under way begins.
func (f *Frames) At() int64 { return f.at }

// End returns where the last frame that was read ends.
func (f *Frames) End() int64 { return f.next }
