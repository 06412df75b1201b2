// Package limits has the checks that every schedule makes before it searches: of the
// capacity, the clock, and the horizon.
package limits

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
)

// Limits bounds a schedule: Capacity units, bookable in [Now, End).
type Limits struct {
	Capacity int64
	Servers  int // the servers that the schedule knows by index; 0 for a pool
	Now, End bookahead.Time

	horizon bookahead.Duration // End - Now; 0 if End is fixed at MaxTime
}

// New returns the limits of a pool whose clock starts at origin and that
// can book horizon ticks ahead of it; 0 means to the end of the axis.
func New(capacity int64, origin bookahead.Time, horizon bookahead.Duration) (Limits, error) {
	switch {
	case capacity < 1:
		return Limits{}, Invalid("capacity", capacity, "is less than 1")
	case origin < 0:
		return Limits{}, Invalid("Config.Origin", origin, "is negative")
	case horizon < 0:
		return Limits{}, Invalid("Config.Horizon", horizon, "is negative")
	case origin > bookahead.MaxTime-bookahead.Time(horizon):
		return Limits{}, Invalid("Config.Horizon", horizon, fmt.Sprintf("after Config.Origin %d overflows", origin))
	}
	l := Limits{Capacity: capacity, horizon: horizon}
	l.moveTo(origin)
	return l, nil
}

func (l *Limits) moveTo(now bookahead.Time) {
	l.Now, l.End = now, bookahead.MaxTime
	if l.horizon > 0 {
		l.End = now + bookahead.Time(l.horizon)
	}
}

// Advance moves the clock to now, and the end of a horizon with it.
func (l *Limits) Advance(now bookahead.Time) error {
	if now < l.Now {
		return Invalid("now", now, fmt.Sprintf("moves the clock back from %d", l.Now))
	}
	if now > bookahead.MaxTime-bookahead.Time(l.horizon) {
		return Invalid("now", now, fmt.Sprintf("plus the horizon %d overflows", l.horizon))
	}
	l.moveTo(now)
	return nil
}

// Starts checks a request, and returns the first and the last start that its times and the
// horizon allow. The error wraps ErrInvalid, or is ErrUnavailable if there is no such start.
func (l *Limits) Starts(r bookahead.Request) (first, last bookahead.Time, err error) {
	if err := l.check(r); err != nil {
		return 0, 0, err
	}
	end := l.End
	if r.Deadline != 0 {
		end = min(end, r.Deadline)
	}
	// Neither End (never negative) nor a Deadline (never before Ready +
	// Duration) can underflow here.
	first, last = max(r.Ready, l.Now), end-bookahead.Time(r.Duration)
	if first > last {
		return 0, 0, bookahead.ErrUnavailable
	}
	return first, last, nil
}

// check returns an error that wraps ErrInvalid if the request makes no sense in any state of this
// schedule, or ErrUnavailable if the request asks for more units than there ever are.
func (l *Limits) check(r bookahead.Request) error {
	if err := r.Validate(); err != nil {
		return err
	}
	if r.Servers != nil {
		if l.Servers == 0 {
			return Invalid("Request.Servers", r.Servers, "are named, but a pool has units only")
		}
		k := slices.Max(r.Servers)
		if k >= l.Servers {
			return Invalid("Request.Servers", k, fmt.Sprintf("is not below the %d servers that there are", l.Servers))
		}
	}
	if r.Units > l.Capacity {
		return bookahead.ErrUnavailable
	}
	return nil
}

// Window checks a window and cuts it to [Now, End). The result may be empty.
func (l *Limits) Window(w bookahead.Interval) (bookahead.Interval, error) {
	if w.Empty() {
		return bookahead.Interval{}, Invalid("window", w, "is empty")
	}
	return w.Intersect(bookahead.Interval{Start: l.Now, End: l.End}), nil
}

// Invalid returns an error that wraps ErrInvalid.
func Invalid(field string, value any, reason string) error {
	return &bookahead.InvalidError{Field: field, Value: value, Reason: reason}
}

// Bare returns bookahead.ErrUnavailable for an error that wraps it, and any other error as it is: the errors of a
// bookahead.Schedule are compared with ==, and those of a nodes.Machine may say more.
func Bare(err error) error {
	if errors.Is(err, bookahead.ErrUnavailable) {
		return bookahead.ErrUnavailable
	}
	return err
}

// CheckBooked checks offer k of Config.Booked. The offer may have begun before the origin, but
// not before tick 0. The error wraps ErrInvalid.
func (l *Limits) CheckBooked(k int, o bookahead.Offer) error {
	field := func() string { return fmt.Sprintf("Config.Booked[%d]", k) }
	err := l.check(o.Request())
	switch {
	case err == bookahead.ErrUnavailable:
		return Invalid(field(), o, fmt.Sprintf("has more units than the capacity %d", l.Capacity))
	case err != nil:
		return fmt.Errorf("%s: %w", field(), err)
	case o.Start < 0:
		return Invalid(field(), o, "starts before tick 0")
	case o.End <= l.Now:
		return Invalid(field(), o, fmt.Sprintf("ends by the origin %d", l.Now))
	case o.End > l.End:
		return Invalid(field(), o, fmt.Sprintf("ends beyond the horizon %d", l.End))
	case l.Servers > 0 && int64(len(o.Servers)) != o.Units:
		return Invalid(field(), o, "does not name a server for each unit")
	}
	return nil
}
