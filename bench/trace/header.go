package trace

import (
	"fmt"
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

// A reader takes no line of more than lines.Most bytes, its end among them.
const (
	longestName    = lines.Most - len("name \n")
	longestComment = lines.Most - len("# \n")
)

// Validate returns an error that wraps bookahead.ErrInvalid if no planner can have this
// header, or if no Reader can read its name.
func (h Header) Validate() error {
	switch {
	case !word(h.Name):
		return invalid("name", fmt.Sprintf("%.40q", h.Name), "is no word")
	case len(h.Name) > longestName:
		return invalid("name", fmt.Sprintf("%.40q", h.Name), fmt.Sprintf("has %d bytes, more than %d", len(h.Name), longestName))
	case h.Capacity < 1:
		return invalid("capacity", h.Capacity, "is less than 1")
	case h.Origin < 0:
		return invalid("origin", h.Origin, "is negative")
	case h.Horizon < 0:
		return invalid("horizon", h.Horizon, "is negative")
	case h.Origin > bookahead.MaxTime-bookahead.Time(h.Horizon):
		return invalid("horizon", h.Horizon, fmt.Sprintf("after the origin %d overflows", h.Origin))
	}
	return nil
}

// word reports whether a name can stand in a line: it has no space, no # and no control
// character. An empty one is left out of the line.
func word(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == '#' || r == unicode.ReplacementChar
	})
}

// lines returns the header as it stands in a trace.
func (h Header) lines() string {
	text := Version + "\n"
	if h.Name != "" {
		text += "name " + h.Name + "\n"
	}
	text += fmt.Sprintf("capacity %d\n", h.Capacity)
	if h.Origin != 0 {
		text += fmt.Sprintf("origin %d\n", h.Origin)
	}
	if h.Horizon != 0 {
		text += fmt.Sprintf("horizon %d\n", h.Horizon)
	}
	return text
}

// fault is a value that is wrong. It wraps bookahead.ErrInvalid.
type fault struct {
	field  string
	value  any
	reason string
}

func (f *fault) Error() string { return fmt.Sprintf("%s %v %s", f.field, f.value, f.reason) }

func (f *fault) Unwrap() error { return bookahead.ErrInvalid }

func invalid(field string, value any, reason string) error { return &fault{field, value, reason} }
