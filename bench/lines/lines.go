// Package lines reads a text line by line, plain or compressed by gzip, with one line in
// memory. The readers of traces stand on it: a trace may have millions of lines, and
// whoever sends a bad one is told which line that is.
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
	err   error // of the first bytes, which Next returns
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

// NewReader reads from in. Next returns an error of the first bytes of a gzip stream.
func NewReader(in io.Reader) *Reader {
	r := &Reader{in: bufio.NewReaderSize(in, Most), close: io.NopCloser(in)}
	if magic, _ := r.in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
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

// Line returns the number of the line that Next returned last, from 1, or could not read.
func (r *Reader) Line() int { return r.line }

// Next returns the next line without the space around it, and io.EOF behind the last. The
// bytes are valid until the next call. Any other error is for good.
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
