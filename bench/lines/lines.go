// Package lines reads a text line by line, plain or compressed by gzip. It keeps one line in
// memory, since a trace may have millions of lines, and knows the number of the line, so
// that the error of a bad line can name it. The readers of traces use it.
package lines

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
)

// Most is the length in bytes of the longest line that is read.
const Most = 64 << 10

// Reader yields the lines of a text.
type Reader struct {
	in    *bufio.Reader
	close io.Closer
	line  int
	err   error // of every further call of Next; nil until a read fails
}

// Open opens a file, plain or compressed by gzip, whatever its name. A folder is an error.
func Open(path string) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s: is a directory", path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	r := NewReader(f)
	r.close = f
	return r, nil
}

// NewReader reads from in. If in begins like a gzip stream, but is none, Next returns an
// error.
func NewReader(in io.Reader) *Reader {
	r := &Reader{in: bufio.NewReaderSize(in, Most), close: io.NopCloser(in)}
	magic, _ := r.in.Peek(2) // a text of fewer than 2 bytes is plain
	if bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(r.in)
		if err != nil {
			r.err = err
			return r
		}
		r.in = bufio.NewReaderSize(z, Most)
	}
	return r
}

// Close closes the file that Open opened.
func (r *Reader) Close() error { return r.close.Close() }

// Line returns the number of the line that Next returned last or could not read, counted from 1.
func (r *Reader) Line() int { return r.line }

// Next returns the next line without the space around it, and io.EOF after the last line. The
// bytes are valid until the next call. After an error Next returns the same error again.
func (r *Reader) Next() ([]byte, error) {
	if r.err != nil {
		r.line = max(r.line, 1)
		return nil, r.err
	}
	line, err := r.in.ReadSlice('\n')
	if err == io.EOF && len(line) > 0 {
		err = nil // the last line may lack its end
	}
	if err != io.EOF {
		r.line++
	}
	if errors.Is(err, bufio.ErrBufferFull) {
		err = fmt.Errorf("longer than %d bytes", Most)
	}
	if err != nil {
		r.err = err
		return nil, err
	}
	return bytes.TrimSpace(line), nil
}
