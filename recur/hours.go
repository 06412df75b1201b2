package recur

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/bookahead/bookahead"
)

// MaxOccurrences is how many occurrences a rule may have in one call of Occurrences, Periods or Hours: each day for eleven
// years. The occurrences of a longer time come from several windows that touch.
const MaxOccurrences = 1 << 12

// Occurrences returns the occurrences that start in a window, in ticks, such as the windows of a desk.BookSeries. Two
// windows that touch have each occurrence once.
//
// An occurrence begins with the tick that runs at its start (Clock.Floor), and ends with the tick that runs before its end
// (Clock.Ceil), so a booking covers the whole time on the wall. If one occurrence ends and the next begins within one
// tick, the first has the tick, so that both can have the same room. With a tick of an hour:
//
//	wall     9:00 ──── 10:30 ──── 12:00         two occurrences that touch
//	ticks    9    10    11    12
//	         ██████████ ██████                  [9, 11) and [11, 12)
//
// An occurrence that has no tick left in this way is not in the list.
//
// The error wraps bookahead.ErrInvalid if Check refuses the rule, an occurrence is too far from the Clock's Epoch, or more
// than MaxOccurrences start in the window and the tick before it. The costs are those of Between.
func (r Rule) Occurrences(c bookahead.Clock, w bookahead.Interval) ([]bookahead.Interval, error) {
	x, err := patternOf(&r)
	if err != nil {
		return nil, err
	}
	return x.occurrences(c, w)
}

func (x *pattern) occurrences(c bookahead.Clock, w bookahead.Interval) (list []bookahead.Interval, err error) {
	in, err := onWall(c, bookahead.Interval{Start: max(w.Start, math.MinInt64+1) - 1, End: w.End})
	if err != nil || in.never || w.Empty() {
		return nil, err
	}
	_, over, ok := x.before(in.from) // the end of the occurrence before
	taken, err := c.Ceil(over)       // and its end in ticks
	if !ok || err != nil {
		taken = math.MinInt64 // there is none, or it is far from the window
	}
	n := 0
	for start, end := range x.walk(in.from, in.until) {
		n++
		if n > MaxOccurrences {
			return nil, x.tooMany(w)
		}
		o, err := cover(c, start, end)
		if err != nil {
			return nil, err
		}
		if !start.Before(over) {
			o.Start = max(o.Start, taken)
		}
		over, taken = end, o.End
		if !o.Empty() && w.Contains(o.Start) {
			list = append(list, o)
		}
	}
	return list, nil
}

// cover returns the ticks that run between two times.
func cover(c bookahead.Clock, start, end time.Time) (o bookahead.Interval, err error) {
	o.Start, err = c.Floor(start)
	if err != nil {
		return o, err
	}
	o.End, err = c.Ceil(end)
	return o, err
}

func (x *pattern) tooMany(w bookahead.Interval) error {
	return invalid("Rule", x.String(), fmt.Sprintf("has more than %d occurrences in %v", MaxOccurrences, w))
}

// Periods returns the time from each occurrence that starts in a window to the start of the next, such as the Periods of a
// desk.Quota: months of 28 to 31 days, or weeks of which two a year are an hour longer or shorter. The Length of the rule
// makes no difference. The last occurrence of a rule that ends has no period. A period that begins before tick 0 is cut
// off there, and a period that has no tick is left out.
//
// The error wraps bookahead.ErrInvalid if Check refuses the rule, the window begins or a period begins or ends too far from
// the Clock's Epoch, or more than MaxOccurrences start in the window. The costs are those of Between.
func (r Rule) Periods(c bookahead.Clock, w bookahead.Interval) ([]bookahead.Interval, error) {
	x, err := patternOf(&r)
	if err != nil {
		return nil, err
	}
	return x.periods(c, w)
}

func (x *pattern) periods(c bookahead.Clock, w bookahead.Interval) (list []bookahead.Interval, err error) {
	from, err := c.Wall(w.Start)
	if err != nil || w.Empty() {
		return nil, err
	}
	n, last := 0, bookahead.Time(0)
	for at := range x.walk(from, time.Time{}) {
		start, err := c.Floor(at)
		if err != nil {
			return nil, err
		}
		if n > 0 && start > last {
			list = append(list, bookahead.Interval{Start: last, End: start})
		}
		if start >= w.End {
			break
		}
		n++
		if n > MaxOccurrences {
			return nil, x.tooMany(w)
		}
		last = max(start, 0)
	}
	return list, nil
}

// Hours returns the ticks of a window that lie in the occurrences of several rules, such as the opening hours of a
// desk.Terms: by start, and merged where the rules touch or overlap on the wall. A laboratory with other hours on Saturday
// has two rules.
//
// A tick that is open only in part is not in the list: nobody is let in before the door opens, or stays behind closed
// doors. Rule.Occurrences rounds the other way, since a booking needs all of its time; use it for outages too, with a
// closure for each. With a tick of an hour:
//
//	wall           9:30 ──────── 12:00 ──── 14:20      two rules that touch
//	Hours             10    11    12    13             [10, 14)
//	Occurrences    9  10    11    12    13    14       [9, 12) and [12, 15)
//
// So take a tick that divides the opening hours, such as 10 minutes here. Then Hours loses nothing, and an occurrence
// within the hours on the wall is also within them in ticks.
//
// The error wraps bookahead.ErrInvalid if Check refuses a rule, the hours are too far from the Clock's Epoch, or more than
// MaxOccurrences of one rule reach into the window. O(n log n) for n occurrences, and the costs of Between.
func Hours(c bookahead.Clock, w bookahead.Interval, rules ...Rule) ([]bookahead.Interval, error) {
	list := make([]*pattern, len(rules))
	for i := range rules {
		x, err := patternOf(&rules[i])
		if err != nil {
			return nil, err
		}
		list[i] = x
	}
	return hours(c, w, list)
}

func hours(c bookahead.Clock, w bookahead.Interval, rules []*pattern) ([]bookahead.Interval, error) {
	in, err := onWall(c, w)
	if err != nil || in.never || w.Empty() {
		return nil, err
	}
	var open []wallTime
	for _, x := range rules {
		open, err = x.within(open, in, w)
		if err != nil {
			return nil, err
		}
	}
	var list []bookahead.Interval
	for _, o := range merged(open) {
		i, err := o.whole(c)
		if err != nil {
			return nil, err
		}
		i = i.Intersect(w)
		if !i.Empty() {
			list = append(list, i)
		}
	}
	return list, nil
}

// within adds the occurrences that reach into a time on the wall, cut off at its ends. Of those that have begun before, the
// last is enough, and those of the two days before it: all others end earlier, even if clocks change meanwhile.
func (x *pattern) within(open []wallTime, in onWallTime, w bookahead.Interval) ([]wallTime, error) {
	from := in.from
	last, _, ok := x.before(from)
	if ok {
		from = last.AddDate(0, 0, -slackDays)
	}
	n := 0
	for start, end := range x.walk(from, in.until) {
		n++
		if n > MaxOccurrences {
			return nil, x.tooMany(w)
		}
		if !in.from.IsZero() && start.Before(in.from) {
			start = in.from
		}
		if !in.until.IsZero() && end.After(in.until) {
			end = in.until
		}
		if start.Before(end) {
			open = append(open, wallTime{start, end})
		}
	}
	return open, nil
}

// wallTime is a stretch of time on the wall.
type wallTime struct{ start, end time.Time }

// whole returns the ticks that lie in the stretch as a whole.
func (x wallTime) whole(c bookahead.Clock) (w bookahead.Interval, err error) {
	w.Start, err = c.Ceil(x.start)
	if err != nil {
		return w, err
	}
	w.End, err = c.Floor(x.end)
	return w, err
}

// merged sorts stretches by start, and merges them where they touch or overlap.
func merged(list []wallTime) (out []wallTime) {
	slices.SortFunc(list, func(a, b wallTime) int { return a.start.Compare(b.start) })
	for _, x := range list {
		n := len(out)
		switch {
		case n == 0 || x.start.After(out[n-1].end):
			out = append(out, x)
		case x.end.After(out[n-1].end):
			out[n-1].end = x.end
		}
	}
	return out
}

// onWallTime is a window on the wall. An end that the clock cannot turn into a time is zero, and sets no bound: no
// occurrence has ticks beyond it.
type onWallTime struct {
	from, until time.Time
	never       bool // the whole window is beyond the times of the clock
}

// onWall returns a window on the wall. The error is that of a clock with a negative tick.
func onWall(c bookahead.Clock, w bookahead.Interval) (in onWallTime, err error) {
	_, err = c.Floor(c.Epoch)
	if err != nil {
		return in, err
	}
	from, early := c.Wall(w.Start)
	if early == nil {
		in.from = from
	}
	until, late := c.Wall(w.End)
	if late == nil {
		in.until = until
	}
	if late == nil && until.IsZero() {
		in.until = until.Add(1) // a bound, before all whole seconds that come
	}
	in.never = late != nil && w.End < 0 || early != nil && w.Start > 0
	return in, nil
}
