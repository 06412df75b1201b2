package swf

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/bookahead/bookahead/bench/lines"
)

const (
	// MaxLine is the length in bytes of the longest line that is read.
	MaxLine = lines.Most
	// MaxHeader bounds the memory of the header in bytes. Each comment counts its
	// text and stringSize, so that many empty comments count too.
	MaxHeader = 1 << 20
)

// stringSize is the memory of a string besides its text: a pointer and a length.
const stringSize = 16

// ErrLine is wrapped by the error of a line that is not a job. That error names the
// line and the reason, such as a field and its text. Reading can go on with the next
// line.
var ErrLine = errors.New("swf: bad line")

// lineError is the ErrLine of one line.
type lineError struct {
	line  int
	cause error
}

func (e *lineError) Error() string { return fmt.Sprintf("swf: line %d: %v", e.line, e.cause) }

func (e *lineError) Unwrap() error { return ErrLine }

// Reader reads a trace from its beginning to its end. It keeps the header and
// one line in memory.
type Reader struct {
	in     *lines.Reader
	header Header
	ahead  string // the first line after the header, until Jobs takes it
	err    error  // ends the reading: io.EOF, or an error that is not ErrLine
}

// Open opens a trace, plain or compressed by gzip, whatever its name. An error
// names the file.
func Open(path string) (*Reader, error) {
	in, err := lines.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := read(in)
	if err != nil {
		in.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// NewReader reads the header of a trace, plain or compressed by gzip.
func NewReader(in io.Reader) (*Reader, error) { return read(lines.NewReader(in)) }

// read reads the header.
func read(in *lines.Reader) (*Reader, error) {
	r := &Reader{in: in}
	size := 0
	for {
		line, err := r.next()
		if err == io.EOF {
			r.err = err
			return r, nil
		}
		if err != nil {
			return nil, err
		}
		if line == "" {
			continue
		}
		comment, ok := strings.CutPrefix(line, ";")
		if !ok {
			r.ahead = line
			return r, nil
		}
		size += len(line) + stringSize
		if size > MaxHeader {
			return nil, fmt.Errorf("swf: line %d: the header is larger than %d bytes", r.in.Line(), MaxHeader)
		}
		r.header.Comments = append(r.header.Comments, strings.TrimSpace(comment))
	}
}

// Close closes the file that Open opened.
func (r *Reader) Close() error { return r.in.Close() }

// Header returns the comments before the first job.
func (r *Reader) Header() Header { return r.header }

// Jobs yields the jobs after the last one that was read. For a line that is not a job,
// it yields an error that wraps ErrLine, and the caller may go on with the next line.
// Any other error is the last. Jobs skips comments and blank lines.
func (r *Reader) Jobs() iter.Seq2[Job, error] {
	return func(yield func(Job, error) bool) {
		for {
			line := r.ahead
			r.ahead = ""
			if line == "" {
				if r.err == nil {
					line, r.err = r.next()
				}
				if r.err != nil {
					if r.err != io.EOF {
						yield(Job{}, r.err)
					}
					return
				}
			}
			if line == "" || line[0] == ';' {
				continue
			}
			j, err := parse(strings.Fields(line))
			if err != nil {
				err = &lineError{r.in.Line(), err}
			}
			if !yield(j, err) {
				return
			}
		}
	}
}

// next returns the next line without the space around it, and io.EOF after the last
// line.
func (r *Reader) next() (string, error) {
	line, err := r.in.Next()
	if err != nil && err != io.EOF {
		err = fmt.Errorf("swf: line %d: %w", r.in.Line(), err)
	}
	return string(line), err
}
