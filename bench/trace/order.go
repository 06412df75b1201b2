package trace

import (
	"fmt"

	"github.com/bookahead/bookahead"
)

// order checks that each operation makes sense after the operations before it. Reader and
// Writer share order, so that every trace that is written can be read.
type order struct {
	header   Header
	now      bookahead.Time
	numbered int64 // reservations
	begun    bool  // booked lines are over
}

func newOrder(h Header) order { return order{header: h, now: h.Origin} }

// check returns an error that wraps bookahead.ErrInvalid and names the field if o cannot
// stand here. Otherwise the next operation is checked as one that follows o. O(1).
func (s *order) check(o Operation) error {
	if err := s.fault(o); err != nil {
		return err
	}
	s.begun = s.begun || o.Kind != Booked
	switch o.Kind {
	case Booked, Reserve:
		s.numbered++
	case Advance:
		s.now = o.At
	}
	return nil
}

func (s *order) fault(o Operation) error {
	switch o.Kind {
	case Booked, Reserve:
		if o.Number != s.numbered+1 {
			return invalid("number", o.Number, fmt.Sprintf("is not %d, which is the next", s.numbered+1))
		}
	case Release:
		if o.Number < 1 || o.Number > s.numbered {
			return invalid("number", o.Number, fmt.Sprintf("is none of the %d reservations so far", s.numbered))
		}
		return nil
	case Advance:
		if o.At < s.now {
			return invalid("now", o.At, fmt.Sprintf("moves the clock back from %d", s.now))
		}
		if o.At > bookahead.MaxTime-bookahead.Time(s.header.Horizon) {
			return invalid("now", o.At, fmt.Sprintf("plus the horizon %d overflows", s.header.Horizon))
		}
		return nil
	}
	return s.place(o)
}

// place checks the times and the units of o.
func (s *order) place(o Operation) error {
	at := "ready"
	if o.Kind == Booked {
		at = "start"
	}
	switch {
	case o.At < 0:
		return invalid(at, o.At, "is negative")
	case o.Duration < 1:
		return invalid("duration", o.Duration, "is less than 1")
	case o.At > bookahead.MaxTime-bookahead.Time(o.Duration):
		return invalid("duration", o.Duration, fmt.Sprintf("after %s %d overflows", at, o.At))
	case o.Units < 1:
		return invalid("units", o.Units, "is less than 1")
	}
	end := o.At + bookahead.Time(o.Duration)
	if o.Kind != Booked {
		if o.Deadline != 0 && o.Deadline < end {
			return invalid("deadline", o.Deadline, fmt.Sprintf("is before ready + duration = %d", end))
		}
		return nil
	}
	switch {
	case s.begun:
		return invalid("number", o.Number, "is booked behind an operation")
	case o.Units > s.header.Capacity:
		return invalid("units", o.Units, fmt.Sprintf("are more than the capacity %d", s.header.Capacity))
	case o.At < s.header.Origin:
		return invalid(at, o.At, fmt.Sprintf("is before the origin %d", s.header.Origin))
	case s.header.Horizon > 0 && end-s.header.Origin > bookahead.Time(s.header.Horizon):
		return invalid("duration", o.Duration, fmt.Sprintf("ends beyond the horizon %d", s.header.Horizon))
	}
	return nil
}
