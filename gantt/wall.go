package gantt

import (
	"strconv"
	"time"

	"github.com/bookahead/bookahead"
)

const day = 24 * time.Hour

// WallClock returns an axis of dates and hours in the location of the clock's Epoch, with steps from a
// second to a week. Days begin at midnight of the calendar, so that a day on which clocks are changed
// has 23 or 25 hours, and hours are marked where clocks show them:
//
//	Sat 30 Mar  06:00  12:00  18:00  Sun 31 Mar  06:00  12:00
//	├──────┼──────┼──────┼──────┼─────┼──────┼─────            5 hours before 6 o'clock on Sunday
//
// The first moment of a day is written as "Mon 2 Jan", and other times as "15:04". Steps of several days
// are counted from the day of the Epoch; Origin is not read. The error wraps bookahead.ErrInvalid if the
// clock's Tick is negative. O(1).
func WallClock(c bookahead.Clock) (Axis, error) {
	origin, err := c.Ceil(midnight(c.Epoch, 0))
	if err != nil {
		return Axis{}, err
	}
	if c.Tick == 0 {
		c.Tick = time.Second
	}
	a := Axis{Origin: origin, clock: &c, Format: func(t bookahead.Time) string {
		wall, err := c.Wall(t)
		switch {
		case err != nil:
			return strconv.FormatInt(int64(t), 10)
		case wall.Equal(midnight(wall, 0)):
			return wall.Format("Mon 2 Jan")
		case wall.Second() == 0:
			return wall.Format("15:04")
		}
		return wall.Format("15:04:05")
	}}
	for _, d := range []time.Duration{
		time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
		time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
		time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
		day, 2 * day, 7 * day,
	} {
		if d%c.Tick == 0 {
			a.Steps = append(a.Steps, bookahead.Duration(d/c.Tick))
		}
	}
	return a, nil
}

// midnight returns the first moment of the day that is so many days after the day of t.
func midnight(t time.Time, days int) time.Time {
	return reading(t, days, 0)
}

// reading returns the moment at which clocks show the time since of the day that is so many days after the
// day of t. If clocks skip this time, it returns a moment behind the gap; for midnight, this is the first
// moment of the day:
//
//	clocks show   00:30  00:59 | 02:00  02:30      reading 01:00 returns 02:00
func reading(t time.Time, days int, since time.Duration) time.Time {
	year, month, date := t.Date()
	hour, minute, second := int(since/time.Hour), int(since/time.Minute%60), int(since/time.Second%60)
	at := time.Date(year, month, date+days, hour, minute, second, int(since%time.Second), t.Location())
	want := time.Date(year, month, date+days, hour, minute, second, int(since%time.Second), time.UTC)
	early := want.Sub(asUTC(at))
	if early > 0 {
		at = at.Add(early) // time.Date may choose a time on either side of the gap
	}
	return at
}

// timeOfDay returns the time of the day that clocks show at t.
func timeOfDay(t time.Time) time.Duration {
	hour, minute, second := t.Clock()
	return time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute + time.Duration(second)*time.Second + time.Duration(t.Nanosecond())
}

// asUTC returns the time in UTC whose clocks read as those of t.
func asUTC(t time.Time) time.Time {
	year, month, date := t.Date()
	hour, minute, second := t.Clock()
	return time.Date(year, month, date, hour, minute, second, t.Nanosecond(), time.UTC)
}

// wallTimes returns the ticks in w at which clocks show a multiple of a step. Steps are counted from
// midnight, and steps of days from the Epoch. ok is false if neither a day is a whole number of steps nor a
// step a whole number of days, or if w is beyond wall time.
func (a *Axis) wallTimes(w bookahead.Interval, step bookahead.Duration) (times []bookahead.Time, ok bool) {
	start, err := a.clock.Wall(w.Start)
	if err != nil {
		return nil, false
	}
	_, err = a.clock.Wall(w.End)
	if err != nil {
		return nil, false
	}
	length := time.Duration(step) * a.clock.Tick
	switch {
	case length/a.clock.Tick != time.Duration(step):
		return nil, false
	case length%day == 0:
		return a.days(w, start, int(length/day)), true
	case day%length != 0:
		return nil, false
	}
	// The first day begins with the last mark before the start of w, which is passed over.
	since := timeOfDay(start) / length * length
	for days := 0; ; days++ {
		for ; since < day; since += length {
			at := reading(start, days, since)
			t, err := a.clock.Ceil(at)
			if err != nil || t >= w.End {
				return times, true
			}
			skipped := since > 0 && timeOfDay(at) != since
			if t >= w.Start && !skipped && (len(times) == 0 || times[len(times)-1] < t) {
				times = append(times, t)
			}
		}
		since = 0
	}
}

// days returns the ticks in w at which each n-th day begins.
func (a *Axis) days(w bookahead.Interval, start time.Time, n int) (times []bookahead.Time) {
	year, month, date := a.clock.Epoch.Date()
	epoch := time.Date(year, month, date, 0, 0, 0, 0, time.UTC)
	year, month, date = start.Date()
	apart := int(time.Date(year, month, date, 0, 0, 0, 0, time.UTC).Sub(epoch) / day)
	for days := ((-apart)%n + n) % n; ; days += n {
		t, err := a.clock.Ceil(midnight(start, days))
		if err != nil || t >= w.End {
			return times
		}
		if t >= w.Start {
			times = append(times, t)
		}
	}
}
