package trace

import (
	"fmt"

	"github.com/bookahead/bookahead"
)

// order checks that each operation makes sense after the operations before it. Read and
// Write share order, so that every trace that is written can be read.
type order struct {
	header   Header
	now      bookahead.Time
	numbered int64 // reservations
	begun    bool  // booked lines are over
}

func newOrder(h Header) order { return order{header: h, now: h.Origin} }

// check returns an error that names the field if o cannot stand here. Otherwise the next
// operation is checked as one that follows o. O(1).
func (s *order) check(o Operation) error {
	if o.Kind >= kinds {
		return fmt.Errorf("%v is no kind of operation", o.Kind)
	}
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
			return fmt.Errorf("number %d is not %d, which is the next", o.Number, s.numbered+1)
		}
	case Release:
		if o.Number < 1 || o.Number > s.numbered {
			return fmt.Errorf("number %d is none of the %d reservations so far", o.Number, s.numbered)
		}
		return nil
	case Advance:
		if o.At < s.now {
			return fmt.Errorf("now %d moves the clock back from %d", o.At, s.now)
		}
		if o.At > bookahead.MaxTime-bookahead.Time(s.header.Horizon) {
			return fmt.Errorf("now %d plus the horizon %d overflows", o.At, s.header.Horizon)
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
		return fmt.Errorf("%s %d is negative", at, o.At)
	case o.Duration < 1:
		return fmt.Errorf("duration %d is less than 1", o.Duration)
	case o.At > bookahead.MaxTime-bookahead.Time(o.Duration):
		return fmt.Errorf("duration %d after %s %d overflows", o.Duration, at, o.At)
	case o.Units < 1:
		return fmt.Errorf("units %d is less than 1", o.Units)
	}
	end := o.At + bookahead.Time(o.Duration)
	if o.Kind != Booked {
		if o.Deadline != 0 && o.Deadline < end {
			return fmt.Errorf("deadline %d is before ready + duration = %d", o.Deadline, end)
		}
		return nil
	}
	switch {
	case s.begun:
		return fmt.Errorf("number %d is booked behind an operation", o.Number)
	case o.Units > s.header.Capacity:
		return fmt.Errorf("units %d are more than the capacity %d", o.Units, s.header.Capacity)
	case o.At < s.header.Origin:
		return fmt.Errorf("%s %d is before the origin %d", at, o.At, s.header.Origin)
	case s.header.Horizon > 0 && end-s.header.Origin > bookahead.Time(s.header.Horizon):
		return fmt.Errorf("duration %d ends beyond the horizon %d", o.Duration, s.header.Horizon)
	}
	return nil
}
