package trace

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/lines"
)

// ErrLine is wrapped by the error of a wrong line, which names the line, the field and the
// value.
var ErrLine = errors.New("trace: bad line")

// lineError is ErrLine for one line.
type lineError struct {
	line  int
	cause error
}

func (e *lineError) Error() string { return fmt.Sprintf("trace: line %d: %v", e.line, e.cause) }

func (e *lineError) Unwrap() error { return ErrLine }

// Reader reads a trace from its beginning to its end. It keeps one line in memory, however
// long the trace is.
type Reader struct {
	in     *lines.Reader
	header Header
	order  order
	ahead  []string // the first line behind the header
	err    error    // that ended the reading
}

// Open opens a trace, plain or compressed by gzip, whatever its name. An error names the
// file.
func Open(path string) (*Reader, error) {
	in, err := lines.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := open(in)
	if err != nil {
		in.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// NewReader reads the header of a trace, plain or compressed by gzip.
func NewReader(in io.Reader) (*Reader, error) { return open(lines.NewReader(in)) }

// open reads the header, and the line behind it.
func open(in *lines.Reader) (*Reader, error) {
	r := &Reader{in: in}
	words, err := r.next()
	if err != nil && err != io.EOF {
		return nil, err
	}
	first := strings.Join(words, " ")
	if first != Version {
		return nil, r.bad(fmt.Errorf("%.40q is not %q", first, Version))
	}
	seen := map[string]bool{}
	for {
		words, err = r.next()
		if err == io.EOF {
			r.err = err
			break
		}
		if err != nil {
			return nil, err
		}
		known, err := r.set(words, seen)
		if err != nil {
			return nil, r.bad(err)
		}
		if !known {
			r.ahead = words
			break
		}
	}
	if !seen["capacity"] {
		return nil, r.bad(errors.New("the header has no capacity"))
	}
	if err := r.header.Validate(); err != nil {
		return nil, r.bad(err)
	}
	r.order = newOrder(r.header)
	return r, nil
}

// set reads a line of the header. It reports whether the line belongs to the header.
func (r *Reader) set(words []string, seen map[string]bool) (known bool, err error) {
	name := words[0]
	numbers := map[string]*int64{"capacity": &r.header.Capacity, "origin": (*int64)(&r.header.Origin), "horizon": (*int64)(&r.header.Horizon)}
	p, number := numbers[name]
	if !number && name != "name" {
		return false, nil
	}
	switch {
	case seen[name]:
		err = fmt.Errorf("%s comes twice", name)
	case len(words) != 2:
		err = fmt.Errorf("%s has %d values, want 1", name, len(words)-1)
	case number:
		*p, err = parse(name, 1, words[1])
	default:
		r.header.Name = words[1]
	}
	seen[name] = true
	return true, err
}

// Header returns the header.
func (r *Reader) Header() Header { return r.header }

// Close closes the file that Open opened.
func (r *Reader) Close() error { return r.in.Close() }

// Operations yields the operations from where the last reading stopped, Booked ones first.
// After an error it yields nothing more. The error wraps ErrLine if a line is wrong.
func (r *Reader) Operations() iter.Seq2[Operation, error] {
	return func(yield func(Operation, error) bool) {
		for {
			o, err := r.operation()
			if err == io.EOF || !yield(o, err) || err != nil {
				return
			}
		}
	}
}

// operation reads the next operation.
func (r *Reader) operation() (o Operation, err error) {
	words := r.ahead
	r.ahead = nil
	if words == nil && r.err == nil {
		words, r.err = r.next()
	}
	if r.err != nil {
		return Operation{}, r.err
	}
	o, err = operation(words)
	if err == nil {
		err = r.order.check(o)
		if err != nil {
			err = fmt.Errorf("%v: %w", o.Kind, err)
		}
	}
	if err != nil {
		r.err = r.bad(err)
		return Operation{}, r.err
	}
	return o, nil
}

// operation reads the words of a line.
func operation(words []string) (Operation, error) {
	k := slices.IndexFunc(forms[:], func(f form) bool { return f.name == words[0] })
	if k < 0 {
		return Operation{}, fmt.Errorf("%.40q is no operation", words[0])
	}
	o := Operation{Kind: Kind(k)}
	names := forms[k].fields
	if len(words)-1 != len(names) {
		return Operation{}, fmt.Errorf("%s has %d fields, want %d (%s)", words[0], len(words)-1, len(names), strings.Join(names, " "))
	}
	for i, p := range o.fields() {
		n, err := parse(names[i], i+1, words[i+1])
		if err != nil {
			return Operation{}, err
		}
		*p = n
	}
	return o, nil
}

// parse reads a number.
func parse(name string, field int, word string) (int64, error) {
	n, err := strconv.ParseInt(word, 10, 64)
	reason := "is not an integer"
	if errors.Is(err, strconv.ErrRange) {
		reason = fmt.Sprintf("is not between %d and %d", int64(math.MinInt64), bookahead.MaxTime)
	}
	if err != nil {
		return 0, fmt.Errorf("field %d (%s): %.40q %s", field, name, word, reason)
	}
	return n, nil
}

// next returns the words of the next line that has words, and io.EOF behind the last line.
func (r *Reader) next() ([]string, error) {
	for {
		line, err := r.in.Next()
		if err == io.EOF {
			return nil, err
		}
		if err != nil {
			return nil, fmt.Errorf("trace: line %d: %w", r.in.Line(), err)
		}
		text, _, _ := strings.Cut(string(line), "#")
		words := strings.Fields(text)
		if len(words) > 0 {
			return words, nil
		}
	}
}

// bad returns an error that wraps ErrLine for the line that was read last.
func (r *Reader) bad(cause error) error { return &lineError{max(1, r.in.Line()), cause} }
