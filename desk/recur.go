package desk

import (
	"iter"
	"time"
)

// recurrence is a checked Rule in a form that can be asked for each day. Days are counted, since a day is not 24 hours in
// every zone: day 0 is the first of year 1, and a Monday. Sets are bits of a number, so that a long list costs no more
// than a short one.
type recurrence struct {
	*Rule
	first     int64     // the day of Start
	every     int64     // Interval, at least 1
	months    uint16    // bit m is month m
	weekdays  uint8     // bit d is weekday d
	monthDays uint64    // bit d is day d, and bit 32+d is day -d
	nth       [7]uint16 // of each weekday: bit n is the n-th of the month, and bit 8+n the n-th from the end
	except    map[int64]bool
}

// Between yields the start and the end of each occurrence that starts in [from, until), in order, in the zone of Start. A
// zero from is before all occurrences, and a zero until sets no end. A rule that Check refuses has no occurrences. No rule
// has an occurrence after the year 9999, so the walk ends even for a rule that never matches, such as one for 30 February.
//
// The walk begins near from, however long the rule has run; with a Count it begins at Start. O(1) for each day of the
// periods up to until.
func (r Rule) Between(from, until time.Time) iter.Seq2[time.Time, time.Time] {
	return func(yield func(start, end time.Time) bool) {
		if r.Check() != nil {
			return
		}
		x := r.recurrence()
		last := x.lastDay(until)
		counted := 0
		for day := range x.days(x.firstDay(from), last) {
			start, end, ok := x.at(day)
			if !ok {
				continue
			}
			counted++
			switch {
			case !until.IsZero() && !start.Before(until), !r.Until.IsZero() && start.After(r.Until):
				return
			case start.Before(from) || x.excepted(start):
			case !yield(start, end):
				return
			}
			if counted == r.Count {
				return
			}
		}
	}
}

// recurrence makes a rule ready.
func (r *Rule) recurrence() *recurrence {
	x := &recurrence{Rule: r, first: dayOf(r.Start), every: int64(max(r.Interval, 1)), except: map[int64]bool{}}
	for _, m := range r.Months {
		x.months |= 1 << m
	}
	for _, n := range r.MonthDays {
		x.monthDays |= 1 << fromEnd(n, 32)
	}
	for _, d := range r.Days {
		x.weekdays |= 1 << d
	}
	for _, n := range r.Nth {
		x.nth[n.Day] |= 1 << fromEnd(n.N, 8)
	}
	for _, t := range r.Except {
		if t.Nanosecond() == 0 {
			x.except[t.Unix()] = true
		}
	}
	x.fill()
	return x
}

// fill adds the days of a rule that names none: the day of Start says which.
func (x *recurrence) fill() {
	if len(x.Days)+len(x.MonthDays)+len(x.Nth) > 0 {
		return
	}
	switch x.Freq {
	case Weekly:
		x.weekdays = 1 << x.Start.Weekday()
	case Yearly:
		if x.months == 0 {
			x.months = 1 << x.Start.Month()
		}
		x.monthDays = 1 << x.Start.Day()
	case Monthly:
		x.monthDays = 1 << x.Start.Day()
	}
}

// fromEnd returns the bit of a number in a set: n itself, and for a number from the end its distance above others.
func fromEnd(n, others int) int {
	if n < 0 {
		return others - n
	}
	return n
}

func (x *recurrence) excepted(start time.Time) bool { return x.except[start.Unix()] }

// dayOf returns the number of a day in its own zone.
func dayOf(t time.Time) int64 { return dayNumber(t.Date()) }

const (
	dayOfUnix = 719162 // the day 1970-01-01
	daySecond = 24 * 60 * 60
)

func dayNumber(y int, m time.Month, d int) int64 {
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix()/daySecond + dayOfUnix // midnight: no remainder
}

// date returns the midnight of a day in UTC, of which only the date counts.
func date(day int64) time.Time { return time.Unix((day-dayOfUnix)*daySecond, 0).UTC() }

// slackDays is how many days early the walk begins, and how many late it ends: whatever the zone has left out, a start is
// less than two days from its place in a zone without changes.
const slackDays = 2

// firstDay returns a day such that no occurrence before it matters to a walk from a time on.
func (x *recurrence) firstDay(from time.Time) int64 {
	if x.Count > 0 || from.Before(x.Start) {
		return x.first
	}
	return max(x.first, dayOf(from.In(x.Start.Location()))-slackDays)
}

// lastDay returns a day such that no occurrence after it matters to a walk until a time.
func (x *recurrence) lastDay(until time.Time) int64 {
	end := time.Date(lastYear, time.December, 31, 0, 0, 0, 0, time.UTC)
	last := dayOf(end)
	for _, t := range []time.Time{until, x.Until} {
		if !t.IsZero() && t.Before(end) {
			last = min(last, dayOf(t.In(x.Start.Location()))+slackDays)
		}
	}
	return last
}

// days yields the days that match, from a day to a last one.
func (x *recurrence) days(from, last int64) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		if from > last {
			return
		}
		origin := x.period(x.first)
		begun := (x.period(from) - origin) / x.every * x.every
		for p := origin + begun; ; p += x.every {
			next := x.begin(p + 1)
			for day := max(x.begin(p), from); day < next; day++ {
				if day > last {
					return
				}
				if x.matches(date(day)) && !yield(day) {
					return
				}
			}
			if next > last {
				return
			}
		}
	}
}

// period returns the number of the day, week, month or year in which a day lies. begin is its inverse.
func (x *recurrence) period(day int64) int64 {
	switch x.Freq {
	case Weekly:
		return (day - int64(x.WeekStart) + 7) / 7
	case Monthly:
		return int64(date(day).Year())*12 + int64(date(day).Month()) - 1
	case Yearly:
		return int64(date(day).Year())
	}
	return day
}

// begin returns the first day of a period.
func (x *recurrence) begin(period int64) int64 {
	switch x.Freq {
	case Weekly:
		return 7*(period-1) + int64(x.WeekStart)
	case Monthly:
		return dayNumber(int(period/12), time.Month(period%12)+1, 1) // the year is at least 1
	case Yearly:
		return dayNumber(int(period), time.January, 1)
	}
	return period
}

// matches reports whether the rule has a day, which lies in a period that counts.
func (x *recurrence) matches(t time.Time) bool {
	y, m, d := t.Date()
	if x.months != 0 && x.months>>m&1 == 0 {
		return false
	}
	left := time.Date(y, m+1, 0, 0, 0, 0, 0, time.UTC).Day() - d // days of the month after this one
	if x.monthDays != 0 && x.monthDays&(1<<d|1<<(32+left+1)) == 0 {
		return false
	}
	if len(x.Nth) == 0 && x.weekdays == 0 {
		return true
	}
	week := t.Weekday()
	return x.weekdays>>week&1 != 0 || x.nth[week]&(1<<((d-1)/7+1)|1<<(8+left/7+1)) != 0
}

// at returns the occurrence of a day. ok is false if the zone has no such day. Noon shows that: no zone changes its clocks
// across noon by less than a day.
func (x *recurrence) at(day int64) (start, end time.Time, ok bool) {
	y, m, d := date(day).Date()
	zone := x.Start.Location()
	if time.Date(y, m, d, 12, 0, 0, 0, zone).Day() != d {
		return time.Time{}, time.Time{}, false
	}
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
