package trace

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench/lines"
)

// Load reads a trace from a file, plain or compressed by gzip, whatever its name. An error
// names the file.
func Load(path string) (*Trace, error) {
	in, err := lines.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	t, err := read(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// Read reads a trace, plain or compressed by gzip. The error of a wrong line names the line,
// the field and the value.
func Read(in io.Reader) (*Trace, error) { return read(lines.NewReader(in)) }

func read(in *lines.Reader) (*Trace, error) {
	t := &Trace{}
	err := t.read(in)
	if err != nil {
		return nil, fmt.Errorf("trace: line %d: %w", max(1, in.Line()), err)
	}
	return t, nil
}

// read reads the header, and then the operations.
func (t *Trace) read(in *lines.Reader) error {
	words, err := next(in)
	first := strings.Join(words, " ")
	if err == nil && first != Version {
		err = fmt.Errorf("%.40q is not %q", first, Version)
	}
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for header := true; header && err == nil; {
		words, err = next(in)
		if err == nil && words != nil {
			header, err = t.set(words, seen)
		} else {
			header = false
		}
	}
	switch {
	case err != nil:
		return err
	case !seen["capacity"]:
		return errors.New("the header has no capacity")
	}
	if err := t.Header.check(); err != nil {
		return err
	}
	s := newOrder(t.Header)
	for ; words != nil && err == nil; words, err = next(in) {
		o, err := operation(words)
		if err != nil {
			return err
		}
		if err := s.check(o); err != nil {
			return fmt.Errorf("%v: %w", o.Kind, err)
		}
		if o.Kind == Booked {
			t.Booked = append(t.Booked, o.Offer())
		} else {
			t.Operations = append(t.Operations, o)
		}
	}
	return err
}

// set reads a line of the header. It reports whether the line belongs to the header.
func (t *Trace) set(words []string, seen map[string]bool) (known bool, err error) {
	name := words[0]
	numbers := map[string]*int64{"capacity": &t.Capacity, "origin": (*int64)(&t.Origin), "horizon": (*int64)(&t.Horizon)}
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
		t.Name = words[1]
	}
	seen[name] = true
	return true, err
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
	for i, name := range names {
		n, err := parse(name, i+1, words[i+1])
		if err != nil {
			return Operation{}, err
		}
		*o.field(name) = n
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

// next returns the words of the next line that has words, and none behind the last line.
func next(in *lines.Reader) ([]string, error) {
	for {
		line, err := in.Next()
		if err == io.EOF {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		text, _, _ := strings.Cut(string(line), "#")
		words := strings.Fields(text)
		if len(words) > 0 {
			return words, nil
		}
	}
}
