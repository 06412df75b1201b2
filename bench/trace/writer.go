package trace

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Writer writes a trace. It refuses every operation that a Reader would refuse.
type Writer struct {
	out     *bufio.Writer // it keeps the first error, and Close returns it
	order   order
	written int // operations
	line    []byte
}

// NewWriter writes the header, with comments before it: each line of the text becomes one.
// The error wraps bookahead.ErrInvalid if the header is wrong, or if a comment is longer than a
// Reader can read; then nothing is written.
func NewWriter(out io.Writer, h Header, comment string) (*Writer, error) {
	if err := h.Validate(); err != nil {
		return nil, fmt.Errorf("trace: header: %w", err)
	}
	before, err := comments(comment)
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	w := &Writer{out: bufio.NewWriterSize(out, 1<<16), order: newOrder(h)}
	w.out.WriteString(before)
	w.out.WriteString(h.lines())
	return w, nil
}

// comments returns the lines of a text as comments.
func comments(text string) (string, error) {
	var b strings.Builder
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if len(line) > longestComment {
			return "", invalid("comment", fmt.Sprintf("%.40q", line), fmt.Sprintf("in line %d has %d bytes, more than %d", n, len(line), longestComment))
		}
		fmt.Fprintf(&b, "# %s\n", line)
	}
	return b.String(), nil
}

// Write writes an operation. The error wraps bookahead.ErrInvalid, and names the field; then
// nothing is written, and another operation may follow.
func (w *Writer) Write(o Operation) error {
	if o.Kind >= kinds {
		return fmt.Errorf("trace: operation %d: %w", w.written+1, invalid("Kind", o.Kind, "is no kind of operation"))
	}
	if err := w.order.check(o); err != nil {
		return fmt.Errorf("trace: operation %d: %s: %w", w.written+1, o.Kind, err)
	}
	w.written++
	w.line = append(o.append(w.line[:0]), '\n')
	_, err := w.out.Write(w.line)
	return err
}

// Close writes the rest of the buffer. It closes nothing.
func (w *Writer) Close() error { return w.out.Flush() }
