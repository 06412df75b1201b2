package recur

import (
	"strconv"
	"strings"
	"time"
)

// weekdayNames are the weekdays as RFC 5545 writes them, by time.Weekday.
var weekdayNames = []string{"SU", "MO", "TU", "WE", "TH", "FR", "SA"}

const (
	untilTime = "20060102T150405"
	untilDate = "20060102"
)

// String returns the rule as the RRULE of iCalendar, which has no Start, Length or Except:
//
//	FREQ=WEEKLY;INTERVAL=2;BYDAY=TU;UNTIL=20270630T070000Z
//
// ParseRule makes the same rule of the text, but for Except. O(n) for the n entries of the rule's lists.
func (r Rule) String() string {
	parts := []string{"FREQ=" + r.Freq.String()}
	add := func(name string, values ...string) {
		if len(values) > 0 {
			parts = append(parts, name+"="+strings.Join(values, ","))
		}
	}
	if r.Interval != 0 {
		add("INTERVAL", strconv.Itoa(r.Interval))
	}
	if r.WeekStart != 0 {
		add("WKST", weekdayName(time.Weekday(r.WeekStart+1)%7))
	}
	add("BYMONTH", texted(r.Months, func(m time.Month) string { return strconv.Itoa(int(m)) })...)
	add("BYMONTHDAY", texted(r.MonthDays, strconv.Itoa)...)
	days := texted(r.Days, weekdayName)
	add("BYDAY", append(days, texted(r.Nth, func(n Nth) string { return strconv.Itoa(n.N) + weekdayName(n.Day) })...)...)
	if !r.Until.IsZero() {
		add("UNTIL", r.Until.UTC().Format(untilTime)+"Z")
	}
	if r.Count != 0 {
		add("COUNT", strconv.Itoa(r.Count))
	}
	return strings.Join(parts, ";")
}

// texted returns the texts of a list.
func texted[T any](list []T, text func(T) string) (out []string) {
	for _, v := range list {
		out = append(out, text(v))
	}
	return out
}

// weekdayName returns "SU", "MO" or the like. A rule that Check refuses may have a number that is no weekday.
func weekdayName(d time.Weekday) string {
	if d < 0 || int(d) >= len(weekdayNames) {
		return d.String()
	}
	return weekdayNames[d]
}

// ParseRule reads the RRULE of iCalendar, with or without its name in front:
//
//	FREQ=MONTHLY;BYDAY=2TU,-1FR;COUNT=10
//	RRULE:FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=TU,TH;UNTIL=20270630
//
// The parts may come in any order, each once, in capital or small letters: FREQ, INTERVAL, WKST, BYMONTH, BYMONTHDAY,
// BYDAY, UNTIL and COUNT. An UNTIL without a Z is in the zone of the start. An UNTIL without a time of day means the
// occurrence of that day, or of the day before if the zone has left that day out.
//
// The error wraps bookahead.ErrInvalid, and names the part. No part is passed over: a part of RFC 5545 that a Rule does
// not have, such as BYSETPOS or BYHOUR, is an error, and so is a rule that Check refuses. O(n) for n bytes of text.
func ParseRule(text string, start time.Time, length time.Duration) (Rule, error) {
	r := Rule{Start: start, Length: length}
	err := r.checkTimes() // the start is needed to read an UNTIL
	if err != nil {
		return Rule{}, err
	}
	text = strings.TrimPrefix(upper(text), "RRULE:")
	seen := map[string]bool{}
	for part := range strings.SplitSeq(text, ";") {
		name, value, ok := strings.Cut(part, "=")
		if !ok {
			return Rule{}, invalid("RRULE", strconv.Quote(part), "has a part that is not NAME=VALUE")
		}
		if seen[name] {
			return Rule{}, invalid("RRULE."+name, value, "is given twice")
		}
		seen[name] = true
		err := r.read(name, value)
		if err != nil {
			return Rule{}, err
		}
	}
	if !seen["FREQ"] {
		return Rule{}, invalid("RRULE", strconv.Quote(text), "has no FREQ")
	}
	err = r.Check()
	if err != nil {
		return Rule{}, err
	}
	return r, nil
}

// upper makes capitals of small ASCII letters alone: RFC 5545 takes no other letter for one of these.
func upper(text string) string {
	return strings.Map(func(c rune) rune {
		if 'a' <= c && c <= 'z' {
			return c - 'a' + 'A'
		}
		return c
	}, text)
}

// read reads one part.
func (r *Rule) read(name, value string) (err error) {
	field := "RRULE." + name
	switch name {
	case "FREQ":
		var at int
		at, err = indexIn(freqNames[:], field, value)
		r.Freq = Freq(at)
	case "INTERVAL":
		r.Interval, err = positive(field, value)
	case "COUNT":
		r.Count, err = positive(field, value)
	case "UNTIL":
		r.Until, err = r.until(field, value)
	case "WKST":
		var day int
		day, err = indexIn(weekdayNames, field, value)
		r.WeekStart = (day + 6) % 7
	case "BYMONTH":
		err = eachOf(value, func(text string) error {
			n, err := positive(field, text)
			r.Months = append(r.Months, time.Month(n))
			return err
		})
	case "BYMONTHDAY":
		err = eachOf(value, func(text string) error {
			n, err := whole(field, text)
			r.MonthDays = append(r.MonthDays, n)
			return err
		})
	case "BYDAY":
		err = eachOf(value, func(text string) error { return r.readDay(field, text) })
	default:
		return invalid(strconv.Quote(field), strconv.Quote(value), "is a part that no Rule has")
	}
	return err
}

// readDay reads "TU", or "2TU" and "-1FR".
func (r *Rule) readDay(field, text string) error {
	cut := max(len(text)-2, 0)
	day, err := indexIn(weekdayNames, field, text[cut:])
	if err != nil || cut == 0 {
		r.Days = append(r.Days, time.Weekday(day))
		return err
	}
	n, err := whole(field, text[:cut])
	r.Nth = append(r.Nth, Nth{N: n, Day: time.Weekday(day)})
	return err
}

// until reads the end of a rule, as a time in UTC.
func (r *Rule) until(field, value string) (time.Time, error) {
	zone := r.Start.Location()
	local, isZulu := strings.CutSuffix(value, "Z")
	if isZulu {
		zone = time.UTC
	}
	t, err := time.ParseInLocation(untilTime, local, zone)
	if err == nil && len(local) == len(untilTime) {
		return t.UTC(), nil
	}
	t, err = time.Parse(untilDate, value)
	if err != nil || t.Year() < 1 {
		return t, invalid(field, strconv.Quote(value), "is neither like 20270630 nor like 20270630T120000Z")
	}
	x := pattern{Rule: r} // enough for at
	for back := range int64(slackDays + 1) {
		start, _, ok := x.at(dayOf(t) - back)
		if ok {
			return start.UTC(), nil
		}
	}
	return t, invalid(field, strconv.Quote(value), "is not on a day of the zone")
}

// eachOf reads values between commas.
func eachOf(value string, read func(text string) error) error {
	for text := range strings.SplitSeq(value, ",") {
		err := read(text)
		if err != nil {
			return err
		}
	}
	return nil
}

func indexIn(names []string, field, value string) (int, error) {
	for i, name := range names {
		if name == value {
			return i, nil
		}
	}
	return 0, invalid(field, strconv.Quote(value), "is none of "+strings.Join(names, ", "))
}

// whole reads a number that may have a sign.
func whole(field, value string) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil {
		return 0, invalid(field, strconv.Quote(value), "is no number")
	}
	return n, nil
}

// positive reads a number that has no sign.
func positive(field, value string) (int, error) {
	n, err := whole(field, value)
	if err == nil && (n < 1 || value[0] == '+') {
		err = invalid(field, strconv.Quote(value), "is not 1 or more")
	}
	return n, err
}
