package recur

import (
	"fmt"
	"time"

	"github.com/bookahead/bookahead"
)

// Rule says when something recurs by the calendar of a time zone: a class every second Tuesday from 9 to 11, or a
// laboratory that is open on weekdays from 8 to 20. Between has the times of a Rule on a wall, Occurrences and Periods
// have its ticks, and Hours has the ticks of several rules.
//
// # Which days
//
// A rule names days of the calendar. The first occurrence is on the day of Start if that day matches, as it should by
// RFC 5545; otherwise on the first later day that matches. A Start that does not match is no occurrence, and Count
// does not count it.
//
//	Daily      each day                     Months, MonthDays and Days may leave only some of them
//	Weekly     the weekday of Start         or Days; Months may leave only some of them
//	Monthly    the day of month of Start    or all that MonthDays, Days and Nth leave; Months may leave only some
//	Yearly     the day and month of Start   or, with Months, as Monthly; with Days or MonthDays alone, in all months
//
// A day that a month does not have is no occurrence, and Count does not count it: the 31st comes seven times a
// year. Nor is a day that the zone has left out, such as 30 December 2011 in Samoa.
//
// # Changes of clocks
//
// An occurrence starts at the wall clock of Start, and ends at the wall clock that is Length later: 8:00 and 12 hours
// are 8:00 to 20:00 on every day, and 22:00 and 8 hours are 22:00 to 6:00 also in the nights that have an hour more
// or less. time.Date reads a wall clock that does not exist, or exists twice: by the offset before the change or by
// the offset after it, depending on the zone. In the spring, in a night without a 2:30:
//
//	Europe/Berlin       2:30 to  4:00    3:30 to  4:00 CEST      half an hour
//	America/New_York    2:30 to  4:00    1:30 EST to 4:00 EDT    an hour and a half
//
// and in the autumn, in a night in which an hour comes twice:
//
//	Europe/Berlin       2:30 to  4:00    2:30 CET (the second) to 4:00
//	America/New_York    1:30 to  4:00    1:30 EDT (the first)  to 4:00 EST: three hours and a half
//
// RFC 5545 leaves out an occurrence that starts at a time that does not exist; here the occurrence stays. If its end
// then comes before its start, the occurrence lasts Length instead.
//
// The zero value of each field but Start and Length is a good default.
type Rule struct {
	// Start has the first day, the wall clock of each start and, in its Location, the time zone: DTSTART in
	// iCalendar. It has whole seconds, lies in the years 1 to 9999, and is at most a day ahead of UTC or behind it.
	Start time.Time
	// Length is the time from start to end on a wall clock, more than 0.
	Length time.Duration
	// Freq is the period of the rule. Interval takes each period, each second, each third ... of them; 0 is 1, and
	// 1<<20 is the most.
	Freq     Freq
	Interval int
	// WeekStart is the day on which the weeks of a Weekly rule begin, in days after Monday: 6 is Sunday. It matters
	// if Interval is 2 or more, and Days lie on both sides of it.
	WeekStart int
	// Months are the months in which the rule may recur; nil for all, but see above.
	Months []time.Month
	// MonthDays are days of the month: 1 to 31, or from the end -1 for the last, to -31. A Weekly rule has none.
	MonthDays []int
	// Days are weekdays. In a Monthly rule each stands for all such days of the month.
	Days []time.Weekday
	// Nth are weekdays of a month, such as the second Tuesday or the last Friday, in addition to Days. Only
	// Monthly rules have them, and Yearly rules with Months.
	Nth []Nth
	// Until is the last time at which an occurrence may start; zero for no end. It has whole seconds.
	Until time.Time
	// Count is how many occurrences the rule has; 0 for no end. Those in Except count too. A rule with an Until has
	// no Count.
	Count int
	// Except are the starts of occurrences that are left out: EXDATE in iCalendar. Other times have no effect.
	Except []time.Time
}

// Freq is the period in which a Rule recurs.
type Freq uint8

// The periods. RFC 5545 also has shorter ones, which are of no use for bookings by the calendar.
const (
	Daily Freq = iota
	Weekly
	Monthly
	Yearly
)

var freqNames = [...]string{"DAILY", "WEEKLY", "MONTHLY", "YEARLY"}

// String returns "DAILY", "WEEKLY", "MONTHLY" or "YEARLY", as RFC 5545 has it.
func (f Freq) String() string {
	if int(f) >= len(freqNames) {
		return fmt.Sprintf("freq %d", uint8(f))
	}
	return freqNames[f]
}

// Nth is a weekday of a month: {2, time.Tuesday} is the second Tuesday, {-1, time.Friday} the last Friday.
type Nth struct {
	// N is 1 to 5, or from the end -1 to -5.
	N   int
	Day time.Weekday
}

// Bounds of a rule. RFC 5545 cannot write a year after lastYear.
const (
	maxInterval = 1 << 20
	lastYear    = 9999
)

func invalid(field string, value any, reason string) error {
	return &bookahead.InvalidError{Field: field, Value: value, Reason: reason}
}

// Check returns nil if the rule makes sense, and otherwise an error that wraps bookahead.ErrInvalid and names the
// field. A rule that makes sense may have no occurrences at all, such as a rule for 30 February. O(n) for the n entries
// of its lists.
func (r Rule) Check() error {
	for _, check := range []func() error{r.checkTimes, r.checkNumbers, r.checkDays, r.checkNth} {
		err := check()
		if err != nil {
			return err
		}
	}
	return nil
}

// checkTimes checks Start, Length and Until.
func (r *Rule) checkTimes() error {
	switch {
	case r.Start.IsZero():
		return invalid("Rule.Start", r.Start, "is not set")
	case r.Start.Year() < 1 || r.Start.Year() > lastYear:
		return invalid("Rule.Start", r.Start, "is not in the years 1 to 9999")
	case !near(r.Start):
		return invalid("Rule.Start", r.Start, "is in a zone that is more than a day from UTC")
	case r.Start.Nanosecond() != 0:
		return invalid("Rule.Start", r.Start, "has a fraction of a second")
	case r.Length <= 0:
		return invalid("Rule.Length", r.Length, "is not more than 0")
	case r.Until.IsZero():
		return nil
	case r.Until.UTC().Year() < 1 || r.Until.UTC().Year() > lastYear:
		return invalid("Rule.Until", r.Until, "is not in the years 1 to 9999")
	case r.Until.Nanosecond() != 0:
		return invalid("Rule.Until", r.Until, "has a fraction of a second")
	}
	return nil
}

// near reports whether the zone of a time is at most a day from UTC. time.FixedZone takes any offset.
func near(t time.Time) bool {
	_, offset := t.Zone()
	return -daySeconds <= offset && offset <= daySeconds
}

// checkNumbers checks the fields that have one number.
func (r *Rule) checkNumbers() error {
	switch {
	case r.Freq > Yearly:
		return invalid("Rule.Freq", r.Freq, "is none of Daily, Weekly, Monthly and Yearly")
	case r.Interval < 0 || r.Interval > maxInterval:
		return invalid("Rule.Interval", r.Interval, fmt.Sprintf("is not 0 to %d", maxInterval))
	case r.WeekStart < 0 || r.WeekStart > 6:
		return invalid("Rule.WeekStart", r.WeekStart, "is not 0 to 6")
	case r.Count < 0:
		return invalid("Rule.Count", r.Count, "is negative")
	case r.Count > 0 && !r.Until.IsZero():
		return invalid("Rule.Count", r.Count, "is beside an Until")
	}
	return nil
}

// checkDays checks Months, MonthDays and Days.
func (r *Rule) checkDays() error {
	for i, m := range r.Months {
		if m < time.January || m > time.December {
			return invalid(fmt.Sprintf("Rule.Months[%d]", i), int(m), "is no month")
		}
	}
	for i, n := range r.MonthDays {
		if n == 0 || n < -31 || n > 31 {
			return invalid(fmt.Sprintf("Rule.MonthDays[%d]", i), n, "is not 1 to 31, or -1 to -31")
		}
	}
	for i, d := range r.Days {
		if d < time.Sunday || d > time.Saturday {
			return invalid(fmt.Sprintf("Rule.Days[%d]", i), int(d), "is no weekday")
		}
	}
	if len(r.MonthDays) > 0 && r.Freq == Weekly {
		return invalid("Rule.MonthDays", r.MonthDays, "are in a Weekly rule")
	}
	return nil
}

// checkNth checks Nth.
func (r *Rule) checkNth() error {
	for i, n := range r.Nth {
		field := fmt.Sprintf("Rule.Nth[%d]", i)
		switch {
		case n.N == 0 || n.N < -5 || n.N > 5:
			return invalid(field+".N", n.N, "is not 1 to 5, or -1 to -5")
		case n.Day < time.Sunday || n.Day > time.Saturday:
			return invalid(field+".Day", int(n.Day), "is no weekday")
		}
	}
	switch {
	case len(r.Nth) == 0:
		return nil
	case r.Freq != Monthly && r.Freq != Yearly:
		return invalid("Rule.Nth", r.Nth, fmt.Sprintf("are in a %v rule, and not of a month", r.Freq))
	case r.Freq == Yearly && len(r.Months) == 0:
		return invalid("Rule.Nth", r.Nth, "are in a YEARLY rule without Months")
	}
	return nil
}
