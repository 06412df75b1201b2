package recur

import (
	"iter"
	"time"
)

// Between yields the start and the end of each occurrence that starts in [from, until), in order, in the zone of Start. A
// zero from is before all occurrences, and a zero until sets no end. A rule that Check refuses has no occurrences. No rule
// has an occurrence after the year 9999.
//
// The walk begins near from, however long the rule has run. O(e) for e exceptions, and O(1) for each occurrence: from one
// to the next, or to the end of a rule that never matches again, it looks at two months for each year at most, and at
// 4 800 months in all for a Monthly or Yearly rule; a look takes some ten nanoseconds. With a Count, the months from
// Start to until are counted first, with a look for each.
func (r Rule) Between(from, until time.Time) iter.Seq2[time.Time, time.Time] {
	return func(yield func(start, end time.Time) bool) {
		x, err := patternOf(&r)
		if err != nil {
			return
		}
		x.walk(from, until)(yield)
	}
}

// walk yields the occurrences of Between.
func (x *pattern) walk(from, until time.Time) iter.Seq2[time.Time, time.Time] {
	return func(yield func(start, end time.Time) bool) {
		last := x.lastDay(until)
		day, ok := x.next(x.firstDay(from), last)
		for ; ok; day, ok = x.next(day+1, last) {
			start, end, exists := x.at(day)
			if exists && (!until.IsZero() && !start.Before(until) || x.isAfter(start)) {
				return
			}
			if !exists || !from.IsZero() && start.Before(from) || x.except[start.Unix()] {
				continue
			}
			if !yield(start, end) {
				return
			}
		}
	}
}

// before returns the last occurrence that starts before a time. Nothing starts before the zero time.
func (x *pattern) before(t time.Time) (start, end time.Time, ok bool) {
	if t.IsZero() || !x.Start.Before(t) {
		return time.Time{}, time.Time{}, false
	}
	day, found := x.previous(x.lastDay(t))
	for ; found; day, found = x.previous(day - 1) {
		start, end, ok = x.at(day)
		if ok && start.Before(t) && !x.isAfter(start) && !x.except[start.Unix()] {
			return start, end, true
		}
	}
	return time.Time{}, time.Time{}, false
}

// isAfter reports whether a start is after Until.
func (x *pattern) isAfter(start time.Time) bool { return !x.Until.IsZero() && start.After(x.Until) }

// slackDays is how many days early a walk begins, and how many late it ends: whatever the zone has left out, a start is
// less than two days from its place in a zone without changes.
const slackDays = 2

// lastDate is the last day on which an occurrence may start.
var lastDate = time.Date(lastYear, time.December, 31, 0, 0, 0, 0, time.UTC)

// firstDay returns a day such that no occurrence before it matters to a walk from a time on.
func (x *pattern) firstDay(from time.Time) int64 {
	switch {
	case from.Before(x.Start):
		return x.first
	case from.After(lastDate):
		from = lastDate
	}
	return max(x.first, dayOf(from.In(x.Start.Location()))-slackDays)
}

// lastDay returns a day such that no occurrence after it matters to a walk until a time, by Until and by Count.
func (x *pattern) lastDay(until time.Time) int64 {
	last := dayOf(lastDate)
	for _, t := range []time.Time{until, x.Until} {
		switch {
		case t.IsZero() || !t.Before(lastDate):
		case t.Before(x.Start):
			return x.first // the occurrence there is too late, if there is one
		default:
			last = min(last, dayOf(t.In(x.Start.Location()))+slackDays)
		}
	}
	if x.Count > 0 {
		return x.dayOfCount(last)
	}
	return last
}

// exists reports whether the zone has a day. Noon shows that: no zone changes its clocks across noon by less than a day.
func (x *pattern) exists(day int64) bool {
	y, m, d := date(day).Date()
	return time.Date(y, m, d, 12, 0, 0, 0, x.Start.Location()).Day() == d
}

// at returns the occurrence of a day. ok is false if the zone has no such day.
func (x *pattern) at(day int64) (start, end time.Time, ok bool) {
	x.looks++
	if !x.exists(day) {
		return time.Time{}, time.Time{}, false
	}
	zone := x.Start.Location()
	y, m, d := date(day).Date()
	hour, minute, second := x.Start.Clock()
	start = time.Date(y, m, d, hour, minute, second, 0, zone)
	over := time.Date(y, m, d, hour, minute, second, 0, time.UTC).Add(x.Length) // as if clocks never changed
	y, m, d = over.Date()
	hour, minute, second = over.Clock()
	end = time.Date(y, m, d, hour, minute, second, over.Nanosecond(), zone)
	if !end.After(start) {
		end = start.Add(x.Length)
	}
	return start, end, true
}
