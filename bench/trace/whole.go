package trace

import (
	"fmt"
	"io"

	"github.com/bookahead/bookahead"
)

// Trace is a whole trace in memory: 48 bytes for each operation.
type Trace struct {
	Header
	Booked     []bookahead.Offer // the one at index k has the number k+1
	Operations []Operation       // without Booked ones
}

// Load opens a trace and reads all of it. An error names the file.
func Load(path string) (*Trace, error) {
	r, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	t, err := r.All()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// All reads the rest of the trace.
func (r *Reader) All() (*Trace, error) {
	t := &Trace{Header: r.header}
	for o, err := range r.Operations() {
		if err != nil {
			return nil, err
		}
		t.add(o)
	}
	return t, nil
}

func (t *Trace) add(o Operation) {
	if o.Kind == Booked {
		t.Booked = append(t.Booked, o.Offer())
	} else {
		t.Operations = append(t.Operations, o)
	}
}

// booked returns the line of a reservation that is there from the start.
func (t *Trace) booked(k int) Operation {
	b := t.Booked[k]
	return Operation{Kind: Booked, Number: int64(k + 1), At: b.Start, Duration: bookahead.Duration(b.End - b.Start), Units: b.Units}
}

// check returns an error that wraps bookahead.ErrInvalid if no Reader returns this trace: a trace
// may be made by hand, too. O(n).
func (t *Trace) check() error {
	if err := t.Validate(); err != nil {
		return fmt.Errorf("header: %w", err)
	}
	s := newOrder(t.Header)
	for k := range t.Booked {
		if err := s.check(t.booked(k)); err != nil {
			return fmt.Errorf("booked %d, %v: %w", k+1, t.Booked[k], err)
		}
	}
	for i, o := range t.Operations {
		err := invalid("Kind", o.Kind, "is no kind of operation")
		if o.Kind != Booked && o.Kind < kinds {
			err = s.check(o)
		}
		if err != nil {
			return fmt.Errorf("operation %d: %v: %w", i+1, o, err)
		}
	}
	return nil
}

// Write writes the trace, with comments before it.
func (t *Trace) Write(out io.Writer, comment string) error {
	w, err := NewWriter(out, t.Header, comment)
	if err != nil {
		return err
	}
	for k := range t.Booked {
		if err := w.Write(t.booked(k)); err != nil {
			return err
		}
	}
	for _, o := range t.Operations {
		if err := w.Write(o); err != nil {
			return err
		}
	}
	return w.Close()
}
