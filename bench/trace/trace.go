package trace

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/lines"
)

// Version is the first line of a trace.
const Version = "bookahead-trace 1"

// Header has the facts that a planner must know before the first operation.
type Header struct {
	Name     string             // a word; "" if the trace has none
	Capacity int64              // units
	Origin   bookahead.Time     // where the clock stands at first
	Horizon  bookahead.Duration // nothing may end later after the clock; 0 is no bound
}

// check returns an error if no planner can have this header, or if its name is no word.
func (h Header) check() error {
	switch {
	case !word(h.Name):
		return fmt.Errorf("name %.40q is no word", h.Name)
	case h.Capacity < 1:
		return fmt.Errorf("capacity %d is less than 1", h.Capacity)
	case h.Origin < 0:
		return fmt.Errorf("origin %d is negative", h.Origin)
	case h.Horizon < 0:
		return fmt.Errorf("horizon %d is negative", h.Horizon)
	case h.Origin > bookahead.MaxTime-bookahead.Time(h.Horizon):
		return fmt.Errorf("horizon %d after the origin %d overflows", h.Horizon, h.Origin)
	}
	return nil
}

// word reports whether a name can stand in a line: it has no space, no # and no control
// character, and leaves room for the rest of the line. An empty one is left out of the line.
func word(name string) bool {
	return len(name) < lines.Most-len("name \n") && !strings.ContainsFunc(name, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == '#' || r == unicode.ReplacementChar
	})
}

// Trace is a whole trace in memory: 48 bytes for each operation.
type Trace struct {
	Header
	Booked     []bookahead.Offer // the one at index k has the number k+1
	Operations []Operation       // without Booked ones
}

// all yields the lines of the trace: those of the reservations that are there from the start, and
// then the operations.
func (t *Trace) all(yield func(Operation) bool) {
	for k, b := range t.Booked {
		if !yield(Operation{Kind: Booked, Number: int64(k + 1), At: b.Start, Duration: bookahead.Duration(b.End - b.Start), Units: b.Units}) {
			return
		}
	}
	for _, o := range t.Operations {
		if !yield(o) {
			return
		}
	}
}

// check returns an error if Read returns no such trace: a trace may be made by hand, too. O(n).
func (t *Trace) check() error {
	if err := t.Header.check(); err != nil {
		return fmt.Errorf("header: %w", err)
	}
	s := newOrder(t.Header)
	n := 0
	for o := range t.all {
		n++
		err := s.check(o)
		if o.Kind == Booked && n > len(t.Booked) {
			err = fmt.Errorf("it is no operation")
		}
		if err != nil {
			return fmt.Errorf("operation %d: %v: %w", n, o, err)
		}
	}
	return nil
}

// Write writes the trace, with comments before it: each line of the text becomes one. It writes
// nothing that cannot be read.
func (t *Trace) Write(to io.Writer, comment string) error {
	if err := t.check(); err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	out := bufio.NewWriterSize(to, 1<<16) // it keeps the first error, and Flush returns it
	for line := range strings.Lines(comment) {
		fmt.Fprintf(out, "# %s\n", strings.TrimSpace(line))
	}
	fmt.Fprintln(out, Version)
	if t.Name != "" {
		fmt.Fprintln(out, "name", t.Name)
	}
	fmt.Fprintln(out, "capacity", t.Capacity)
	if t.Origin != 0 {
		fmt.Fprintln(out, "origin", t.Origin)
	}
	if t.Horizon != 0 {
		fmt.Fprintln(out, "horizon", t.Horizon)
	}
	var line []byte
	for o := range t.all {
		line = append(o.append(line[:0]), '\n')
		out.Write(line)
	}
	return out.Flush()
}
