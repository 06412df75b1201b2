package office

import (
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/service/api"
)

// clock makes ticks of the times of callers, and times of ticks in the zone of the service.
type clock struct{ bookahead.Clock }

// ready returns the tick at or after a time; 0, which is long ago, for nil.
func (c clock) ready(field string, t *time.Time) (bookahead.Time, error) {
	if t == nil {
		return 0, nil
	}
	at, err := c.Ceil(*t)
	if err != nil {
		return 0, invalid(field, "%v is too far from now", t.Format(time.RFC3339))
	}
	return max(at, 0), nil
}

// deadline returns the tick at or before a time; 0, which is none, for nil.
func (c clock) deadline(field string, t *time.Time) (bookahead.Time, error) {
	if t == nil {
		return 0, nil
	}
	at, err := c.Floor(*t)
	switch {
	case err != nil:
		return 0, invalid(field, "%v is too far from now", t.Format(time.RFC3339))
	case at < 1:
		return 0, invalid(field, "%v is before the first day of the service", t.Format(time.RFC3339))
	}
	return at, nil
}

// window returns the ticks of two times.
func (c clock) window(from, until time.Time) (bookahead.Interval, error) {
	start, err := c.ready("from", &from)
	if err != nil {
		return bookahead.Interval{}, err
	}
	end, err := c.ready("until", &until)
	if err != nil {
		return bookahead.Interval{}, err
	}
	w := bookahead.Interval{Start: start, End: end}
	if w.Empty() {
		return w, invalid("until", "%v is not after from, %v", until.Format(time.RFC3339), from.Format(time.RFC3339))
	}
	return w, nil
}

// length returns a duration in ticks, rounded up; 0 for "".
func (c clock) length(field string, d api.Duration) (bookahead.Duration, error) {
	if d == "" {
		return 0, nil
	}
	t, err := d.Time()
	if err != nil {
		return 0, invalid(field, "%v", err)
	}
	n, _ := c.Ticks(t) // the tick is positive
	return n, nil
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
