package desk

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// MaxOccurrences is how many occurrences, periods or opening hours a rule makes at once.
const MaxOccurrences = 1 << 10

// Occurrences returns the occurrences that start in a window, in ticks, for a BookSeries or a Continue. Two windows that
// touch have each occurrence once.
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
// The error wraps bookahead.ErrInvalid if Check refuses the rule, an occurrence is too far from the Clock's Epoch, or there
// are more than MaxOccurrences. The costs are those of Between.
func (r Rule) Occurrences(c bookahead.Clock, w bookahead.Interval) (Occurrences, error) {
	near, err := r.near(c, w)
	if err != nil {
		return nil, err
	}
	var list Occurrences
	var over time.Time                     // the end of the occurrence before
	taken := bookahead.Time(math.MinInt64) // and its end in ticks
	for start, end := range near {
		x, err := cover(c, start, end)
		if err != nil {
			return nil, err
		}
		if !start.Before(over) {
			x.Start = max(x.Start, taken)
		}
		over, taken = end, x.End
		if x.Empty() || !w.Contains(x.Start) {
			continue
		}
		if len(list) == MaxOccurrences {
			return nil, limits.Invalid("Rule", r.String(), fmt.Sprintf("has more than %d occurrences in %v", MaxOccurrences, w))
		}
		list = append(list, x)
	}
	return list, nil
}

// Periods returns the time from each occurrence that starts in a window to the start of the next, for Quota.Periods:
// months of 28 to 31 days, or weeks of which two a year are an hour longer or shorter. The Length of the rule makes no
// difference. The last occurrence of a rule that ends has no period.
//
// The error wraps bookahead.ErrInvalid if Check refuses the rule, a start is too far from the Clock's Epoch, or there are more
// than MaxOccurrences. The costs are those of Between.
func (r Rule) Periods(c bookahead.Clock, w bookahead.Interval) (list []bookahead.Interval, err error) {
	err = r.Check()
	if err != nil {
		return nil, err
	}
	from, err := c.Wall(w.Start)
	if err != nil {
		return nil, err
	}
	last := bookahead.Time(-1)
	for at := range r.Between(from, time.Time{}) {
		start, err := c.Floor(at)
		if err != nil {
			return nil, err
		}
		if last >= 0 && start > last {
			list = append(list, bookahead.Interval{Start: last, End: start})
		}
		if start >= w.End {
			break
		}
		if len(list) == MaxOccurrences {
			return nil, limits.Invalid("Rule", r.String(), fmt.Sprintf("has more than %d occurrences in %v", MaxOccurrences, w))
		}
		last = max(start, 0)
	}
	return list, nil
}

// Hours returns the ticks of a window that lie in the occurrences of several rules, for Terms.Open: by start, and merged
// where the rules touch or overlap on the wall. A laboratory with other hours on Saturday has two rules.
//
// A tick that is open only in part is not in the list: nobody is let in before the door opens, or stays behind closed
// doors. Rule.Occurrences rounds the other way, since a booking needs all of its time; use it for outages too, with a
// Close for each. With a tick of an hour:
//
//	wall           9:30 ──────── 12:00 ──── 14:20      two rules that touch
//	Hours             10    11    12    13             [10, 14)
//	Occurrences    9  10    11    12    13    14       [9, 12) and [12, 15)
//
// So take a tick that divides the opening hours, such as 10 minutes here. Then Hours loses nothing, and an occurrence
// within the hours on the wall is also within them in ticks.
//
// The error wraps bookahead.ErrInvalid if Check refuses a rule, or the hours are too far from the Clock's Epoch. O(n log n)
// for n occurrences, and the costs of Between.
func Hours(c bookahead.Clock, w bookahead.Interval, rules ...Rule) ([]bookahead.Interval, error) {
	var open []wallTime
	for i := range rules {
		near, err := rules[i].near(c, w)
		if err != nil {
			return nil, err
		}
		for start, end := range near {
			open = append(open, wallTime{start, end})
		}
	}
	var list []bookahead.Interval
	for _, o := range merged(open) {
		x, err := o.whole(c)
		if err != nil {
			return nil, err
		}
		x = x.Intersect(w)
		if !x.Empty() {
			list = append(list, x)
		}
	}
	return list, nil
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

// cover returns the ticks that run between two times.
func cover(c bookahead.Clock, start, end time.Time) (x bookahead.Interval, err error) {
	x.Start, err = c.Floor(start)
	if err != nil {
		return x, err
	}
	x.End, err = c.Ceil(end)
	return x, err
}

// near yields the occurrences that have ticks of a window, and others beside them. A bound that the clock cannot turn into
// a time on a wall sets no bound: no occurrence has ticks beyond it.
func (r *Rule) near(c bookahead.Clock, w bookahead.Interval) (iter.Seq2[time.Time, time.Time], error) {
	err := r.Check()
	if err != nil {
		return nil, err
	}
	_, err = c.Floor(c.Epoch)
	if err != nil {
		return nil, err
	}
	until, late := c.Wall(w.End)
	// One tick earlier, since an occurrence that ends within the first tick counts.
	from, early := c.Wall(max(w.Start, math.MinInt64+1) - 1)
	if w.Empty() || late != nil && w.End < 0 || early != nil && w.Start > 0 {
		return func(func(start, end time.Time) bool) {}, nil
	}
	if late != nil {
		until = time.Time{}
	}
	if early != nil {
		from = time.Time{}
	}
	return r.Between(from.Add(-r.Length).AddDate(0, 0, -slackDays), until), nil
}
