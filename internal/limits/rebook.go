package limits

import (
	"fmt"
	"math"

	"github.com/bookahead/bookahead"
)

// StartsAnew is Starts for a Rebook of the reservation in old, by the rules of bookahead.Keeper:
// a running reservation has one start, its own.
func (l *Limits) StartsAnew(old bookahead.Interval, r bookahead.Request) (first, last bookahead.Time, err error) {
	if old.Start > l.Now {
		return l.Starts(r)
	}
	r.Ready = math.MinInt64 // not read; as it is so early, check finds no Deadline before Ready + Duration
	err = l.check(r)
	if err != nil && err != bookahead.ErrUnavailable {
		return 0, 0, err
	}
	d := bookahead.Time(r.Duration)
	if d <= l.Now-old.Start {
		return 0, 0, Invalid("Request.Duration", r.Duration, fmt.Sprintf("after the Start %d ends by now, %d", old.Start, l.Now))
	}
	late := d > l.End-old.Start || r.Deadline != 0 && r.Deadline < old.Start+d
	if err != nil || late {
		return 0, 0, bookahead.ErrUnavailable
	}
	return old.Start, old.Start, nil
}

// Ahead returns the part of w from now on.
func (l *Limits) Ahead(w bookahead.Interval) bookahead.Interval {
	w.Start = max(w.Start, l.Now)
	return w
}
