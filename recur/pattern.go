package recur

import (
	"math/bits"
	"time"
)

// pattern is a checked Rule in a form that answers for a whole month at once: the days of a month are the bits of a
// number. So a long list costs no more than a short one, and the days between two answers are not walked over.
//
// Days are counted, since a day is not 24 hours in every zone: day 0 is the first of year 1, and a Monday. Months are
// counted from January of year 1, which is month 0.
type pattern struct {
	*Rule
	first     int64    // the day of Start
	every     int64    // Interval, at least 1
	origin    int64    // where periods are counted from: the day of Start, the first day of its week, its month or year
	months    uint16   // bit 0 is January; only months that may have a day
	weekdays  uint8    // bit 0 is Monday
	fromStart uint32   // of MonthDays: bit 0 is the first
	fromEnd   uint32   // of MonthDays: bit 0 is the last, -1
	nth       [7]uint8 // of each weekday: bit 0 is the first of the month
	nthLast   [7]uint8 // of each weekday: bit 0 is the last of the month
	except    map[int64]bool
	looks     int64 // months, days and changes of clocks that were looked at
}

// patternOf makes a rule ready. The error is that of Check.
func patternOf(r *Rule) (*pattern, error) {
	err := r.Check()
	if err != nil {
		return nil, err
	}
	x := &pattern{Rule: r, first: dayOf(r.Start), every: int64(max(r.Interval, 1)), except: map[int64]bool{}}
	for _, m := range r.Months {
		x.months |= 1 << (m - 1)
	}
	for _, n := range r.MonthDays {
		if n > 0 {
			x.fromStart |= 1 << (n - 1)
		} else {
			x.fromEnd |= 1 << (-n - 1)
		}
	}
	for _, d := range r.Days {
		x.weekdays |= 1 << afterMonday(d)
	}
	for _, n := range r.Nth {
		if n.N > 0 {
			x.nth[afterMonday(n.Day)] |= 1 << (n.N - 1)
		} else {
			x.nthLast[afterMonday(n.Day)] |= 1 << (-n.N - 1)
		}
	}
	for _, t := range r.Except {
		if t.Nanosecond() == 0 {
			x.except[t.Unix()] = true
		}
	}
	x.origin = x.period()
	x.fill()
	x.tighten()
	return x, nil
}

// afterMonday returns how many days after Monday a weekday is.
func afterMonday(d time.Weekday) int { return (int(d) + 6) % 7 }

// period returns where the periods of the rule are counted from.
func (x *pattern) period() int64 {
	switch x.Freq {
	case Weekly:
		return x.first - mod(x.first-int64(x.WeekStart), 7)
	case Monthly:
		return monthOf(x.first)
	case Yearly:
		return monthOf(x.first) / 12
	}
	return x.first
}

// fill adds the days of a rule that names none: the day of Start says which.
func (x *pattern) fill() {
	anyMonth := x.months == 0
	if anyMonth {
		x.months = 1<<12 - 1
	}
	if len(x.Days)+len(x.MonthDays)+len(x.Nth) > 0 {
		return
	}
	switch x.Freq {
	case Weekly:
		x.weekdays = 1 << afterMonday(x.Start.Weekday())
	case Yearly:
		if anyMonth {
			x.months = 1 << (x.Start.Month() - 1)
		}
		x.fromStart = 1 << (x.Start.Day() - 1)
	case Monthly:
		x.fromStart = 1 << (x.Start.Day() - 1)
	}
}

// tighten takes out the months that never have a day of the rule, such as February for the 30th, so that no search looks
// for them.
func (x *pattern) tighten() {
	if x.Freq == Daily && x.every%7 == 0 && x.weekdays != 0 { // always the weekday of Start
		if x.weekdays>>afterMonday(x.Start.Weekday())&1 == 0 {
			x.months = 0
		}
		x.weekdays = 0
	}
	if x.fromStart|x.fromEnd == 0 {
		return // each month has each weekday
	}
	for m := range int64(12) {
		days := uint32(0)
		for week := range 7 {
			days |= x.shape(week, monthDays(m))
			if m == 1 {
				days |= x.shape(week, 29)
			}
		}
		if days == 0 {
			x.months &^= 1 << m
		}
	}
}

// month returns the days of a month that the rule means, as bits: bit 0 is the first.
func (x *pattern) month(m int64) uint32 {
	x.looks++
	if x.months>>(m%12)&1 == 0 {
		return 0
	}
	first := monthStart(m)
	length := int(monthStart(m+1) - first)
	return x.shape(int(first%7), length) & x.aligned(m, first)
}

// shape returns the days of a month that the rule names, if the month begins on a weekday and has a length:
//
//	MonthDays 13, -1, Days Friday, a month of 30 days that begins on a Tuesday (week 1)
//	fromStart, fromEnd   bits 12 and 29
//	weekdays             bits 3, 10, 17, 24: the 4th, 11th, 18th and 25th are Fridays
//	both                 none: neither the 13th nor the 30th is a Friday
func (x *pattern) shape(week, length int) uint32 {
	set := uint32(1)<<length - 1
	if x.fromStart|x.fromEnd != 0 {
		set &= x.fromStart | bits.Reverse32(x.fromEnd)>>(32-length)
	}
	if x.weekdays == 0 && len(x.Nth) == 0 {
		return set
	}
	turned := (uint64(x.weekdays)>>week | uint64(x.weekdays)<<(7-week)) & 127 // bit 0 is the first of the month
	days := turned * (1 | 1<<7 | 1<<14 | 1<<21 | 1<<28)
	if len(x.Nth) > 0 {
		days |= x.counted(week, length)
	}
	return set & uint32(days)
}

// counted returns the days of Nth in a month.
func (x *pattern) counted(week, length int) (days uint64) {
	for d := range 7 {
		first := (d - week + 7) % 7 // bit 0 is the first of the month
		last := first + (length-1-first)/7*7
		for n := range 5 {
			days |= uint64(x.nth[d]>>n&1) << (first + 7*n)
			if last-7*n >= 0 {
				days |= uint64(x.nthLast[d]>>n&1) << (last - 7*n)
			}
		}
	}
	return days
}

const allDays = 1<<31 - 1

// aligned returns the days of a month that lie in a period that counts.
func (x *pattern) aligned(m, first int64) (days uint32) {
	switch {
	case x.every == 1:
		return allDays
	case x.Freq == Daily:
		for d := mod(x.origin-first, x.every); d < 31; d += x.every {
			days |= 1 << d
		}
	case x.Freq == Weekly:
		for d := -mod(first-x.origin, 7*x.every); d < 31; d += 7 * x.every {
			if d >= 0 {
				days |= 127 << d
			} else if d > -7 {
				days |= 127 >> -d
			}
		}
	case x.Freq == Monthly && mod(m-x.origin, x.every) == 0, x.Freq == Yearly && mod(m/12-x.origin, x.every) == 0:
		return allDays
	}
	return days
}
