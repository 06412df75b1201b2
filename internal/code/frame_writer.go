package code

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/bookahead/bookahead/internal/limits"
)

// FrameWriter writes frames until the first error.
type FrameWriter struct {
	w   io.Writer
	n   int64
	err error
}

// NewFrameWriter returns a writer of frames.
func NewFrameWriter(w io.Writer) *FrameWriter { return &FrameWriter{w: w} }

// Written returns how many bytes were written.
func (out *FrameWriter) Written() int64 { return out.n }

// Err returns the first error.
func (out *FrameWriter) Err() error { return out.err }

// Frame writes a frame whose body has several parts. After an error, which may be that of making the parts, it writes
// nothing.
func (out *FrameWriter) Frame(mark byte, err error, parts ...[]byte) {
	if out.err == nil {
		out.err = err
	}
	length, sum := 0, uint32(0)
	for _, part := range parts {
		length += len(part)
		sum = crc32.Update(sum, castagnoli, part)
	}
	if out.err == nil && length > MaxFrame {
		out.err = limits.Invalid("frame", length, fmt.Sprintf("bytes are more than %d", MaxFrame))
	}
	out.write(appendHead(nil, mark, length))
	for _, part := range parts {
		out.write(part)
	}
	out.write(binary.LittleEndian.AppendUint32(nil, sum))
}

func (out *FrameWriter) write(b []byte) {
	if out.err != nil || len(b) == 0 {
		return
	}
	n, err := out.w.Write(b)
	out.n += int64(n)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	out.err = err
}
