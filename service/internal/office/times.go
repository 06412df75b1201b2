package office

import (
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/service/api"
)

// clock makes ticks of the times of callers, and times of ticks in the zone of the service.
type clock struct{ bookahead.Clock }

// times reads the times of a call, and keeps the first error.
type times struct {
	clock
	err error
}

func (x *times) fail(field, what string, args ...any) {
	if x.err == nil {
		x.err = invalid(field, what, args...)
	}
}

// ready returns the tick at or after a time; 0, which is long ago, for nil.
func (x *times) ready(field string, t *time.Time) bookahead.Time {
	if t == nil {
		return 0
	}
	at, err := x.Ceil(*t)
	if err != nil {
		x.fail(field, "%v is too far from now", t.Format(time.RFC3339))
	}
	return max(at, 0)
}

// deadline returns the tick at or before a time; 0, which is none, for nil.
func (x *times) deadline(field string, t *time.Time) bookahead.Time {
	if t == nil {
		return 0
	}
	at, err := x.Floor(*t)
	if err != nil {
		x.fail(field, "%v is too far from now", t.Format(time.RFC3339))
	}
	if at < 1 {
		x.fail(field, "%v is before the first day of the service", t.Format(time.RFC3339))
	}
	return at
}

// length returns a duration in ticks, rounded up; 0 for "".
func (x *times) length(field string, d api.Duration) bookahead.Duration {
	if d == "" {
		return 0
	}
	t, err := d.Time()
	if err != nil {
		x.fail(field, "%v", err)
	}
	n, _ := x.Ticks(t) // the tick is positive
	return n
}

// window returns the ticks of two times.
func (c clock) window(from, until time.Time) (bookahead.Interval, error) {
	x := times{clock: c}
	w := bookahead.Interval{Start: x.ready("from", &from), End: x.ready("until", &until)}
	if w.Empty() {
		x.fail("until", "%v is not after from, %v", until.Format(time.RFC3339), from.Format(time.RFC3339))
	}
	return w, x.err
}

// wall returns the time of a tick. Ticks beyond the calendar are the last that it has.
func (c clock) wall(t bookahead.Time) time.Time {
	wall, err := c.Wall(t)
	if err != nil {
		return time.Date(2262, time.January, 1, 0, 0, 0, 0, c.Epoch.Location())
	}
	return wall
}

// at returns the time of a tick; nil for 0.
func (c clock) at(t bookahead.Time) *time.Time {
	if t == 0 {
		return nil
	}
	wall := c.wall(t)
	return &wall
}

// lasts returns a number of ticks as a duration; "" for 0.
func (c clock) lasts(d bookahead.Duration) api.Duration {
	if d == 0 {
		return ""
	}
	return api.DurationOf(time.Duration(min(int64(d), int64(1<<62)/int64(c.Tick))) * c.Tick)
}

// span returns an interval in wall time; nil if it is empty.
func (c clock) span(i bookahead.Interval) *api.Window {
	if i.Empty() {
		return nil
	}
	return &api.Window{Start: c.wall(i.Start), End: c.wall(i.End)}
}
