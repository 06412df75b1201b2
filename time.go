package bookahead

import (
	"fmt"
	"math"
	"time"
)

// Time is a point on the schedule's axis, in ticks. The caller chooses how long a tick is (a
// second, a millisecond, a lesson) and where tick 0 lies.
//
// Schedules live in [0, MaxTime]: nothing starts before tick 0. A negative Time is legal wherever
// a Time is given and lies in the past.
type Time int64

// Duration is a number of ticks.
type Duration int64

// MaxTime is the end of the axis. A schedule without a horizon takes bookings up to MaxTime.
const MaxTime Time = math.MaxInt64

// Add returns t+d, or an error that wraps ErrInvalid if the sum does not fit
// into an int64.
func (t Time) Add(d Duration) (Time, error) {
	sum := t + Time(d)
	if (sum < t) != (d < 0) {
		return 0, invalid("time", fmt.Sprintf("%d + %d", t, d), "overflows")
	}
	return sum, nil
}

// Sub returns t-u, or an error that wraps ErrInvalid if the difference does
// not fit into an int64.
func (t Time) Sub(u Time) (Duration, error) {
	diff := t - u
	if (diff > t) != (u < 0) {
		return 0, invalid("time", fmt.Sprintf("%d - %d", t, u), "overflows")
	}
	return Duration(diff), nil
}

// Interval is the half-open span [Start, End): it contains Start and ends just
// before End, so intervals that touch share no tick. It is empty if
// End <= Start.
type Interval struct {
	Start Time
	End   Time
}

// Empty reports whether the interval contains no tick.
func (i Interval) Empty() bool { return i.End <= i.Start }

// Len returns the number of ticks in the interval: 0 if the interval is empty, and the largest
// Duration if the number does not fit into an int64.
func (i Interval) Len() Duration {
	if i.Empty() {
		return 0
	}
	n := i.End - i.Start
	if n < 0 {
		return math.MaxInt64
	}
	return Duration(n)
}

// Contains reports whether tick t lies in the interval.
func (i Interval) Contains(t Time) bool { return i.Start <= t && t < i.End }

// Overlaps reports whether the two intervals share a tick.
func (i Interval) Overlaps(j Interval) bool { return !i.Intersect(j).Empty() }

// Intersect returns the ticks that both intervals contain, or the zero
// Interval if there are none.
func (i Interval) Intersect(j Interval) Interval {
	both := Interval{max(i.Start, j.Start), min(i.End, j.End)}
	if both.Empty() {
		return Interval{}
	}
	return both
}

// String formats the interval as "[2, 5)".
func (i Interval) String() string { return fmt.Sprintf("[%d, %d)", i.Start, i.End) }

// Clock converts between ticks and wall time: tick 0 is Epoch, and one tick
// lasts Tick. A zero Tick means one second.
type Clock struct {
	Epoch time.Time
	Tick  time.Duration
}

func (c Clock) tick() time.Duration {
	if c.Tick == 0 {
		return time.Second
	}
	return c.Tick
}

// Floor returns the tick that is running at t: use it for the time now and for deadlines. The
// error wraps ErrInvalid if Tick is negative, or if t is further than about 292 years from Epoch.
func (c Clock) Floor(t time.Time) (Time, error) {
	tick := c.tick()
	if tick < 0 {
		return 0, invalid("Clock.Tick", tick, "is negative")
	}
	d := t.Sub(c.Epoch)
	if !c.Epoch.Add(d).Equal(t) { // Sub returns the nearest Duration if the difference does not fit
		return 0, invalid("time", t, "is too far from the epoch")
	}
	q := d / tick
	if d%tick < 0 {
		q--
	}
	return Time(q), nil
}

// Ceil returns the first tick that begins at t or later: use it for ready times. Errors are those
// of Floor.
func (c Clock) Ceil(t time.Time) (Time, error) {
	q, err := c.Floor(t)
	if err != nil {
		return 0, err
	}
	if wall, err := c.Wall(q); err != nil || !wall.Equal(t) {
		q++
	}
	return q, nil
}

// Ticks returns the number of ticks that cover d, rounded up, so that a booking is never shorter
// than d. The error wraps ErrInvalid if Tick is negative.
func (c Clock) Ticks(d time.Duration) (Duration, error) {
	tick := c.tick()
	if tick < 0 {
		return 0, invalid("Clock.Tick", tick, "is negative")
	}
	q := d / tick
	if d%tick > 0 {
		q++
	}
	return Duration(q), nil
}

// Wall returns the wall time at which tick t begins. The error wraps ErrInvalid if Tick is
// negative, or if that time is further than about 292 years from Epoch.
func (c Clock) Wall(t Time) (time.Time, error) {
	tick := c.tick()
	if tick < 0 {
		return time.Time{}, invalid("Clock.Tick", tick, "is negative")
	}
	d := time.Duration(t) * tick
	if d/tick != time.Duration(t) {
		return time.Time{}, invalid("time", t, "is too far from the epoch")
	}
	return c.Epoch.Add(d), nil
}
