package limits

import (
	"fmt"

	"github.com/bookahead/bookahead"
)

// CheckResize checks what bookahead.Resizer is told. The error wraps ErrInvalid.
func (l *Limits) CheckResize(to bookahead.Interval, units int64) error {
	switch {
	case to.Empty():
		return Invalid("to", to, "is empty")
	case to.End <= l.Now:
		return Invalid("to", to, fmt.Sprintf("ends by now, %d", l.Now))
	case units < 1:
		return Invalid("units", units, "is less than 1")
	case units > l.Capacity:
		return Invalid("units", units, fmt.Sprintf("is more than the capacity %d", l.Capacity))
	}
	return nil
}

// Ahead returns what lies of w from now on.
func (l *Limits) Ahead(w bookahead.Interval) bookahead.Interval {
	w.Start = max(w.Start, l.Now)
	return w
}

// Resized returns when a reservation is booked then: one that has begun, and goes
// on, keeps its Start.
func (l *Limits) Resized(old, to bookahead.Interval) bookahead.Interval {
	booked := l.Ahead(to)
	if old.Start < l.Now && booked.Start == l.Now {
		booked.Start = old.Start
	}
	return booked
}
