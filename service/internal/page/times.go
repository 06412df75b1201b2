package page

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// minutes is how a browser writes a datetime-local.
const minutes = "2006-01-02T15:04"

// moments returns the moments at which clocks of a zone show a reading, which is a time in UTC: none if clocks skip it, and two if
// they show it twice, the first of them first: by the offset of the day before, and then by that of the day after.
//
//	clocks go back at 3:00 to 2:00      2:30 is 00:30 UTC, and 01:30 UTC once more
//	clocks go on at 2:00 to 3:00        2:30 is never
func moments(zone *time.Location, reading time.Time) (list []time.Time) {
	for _, around := range []time.Duration{-24 * time.Hour, 24 * time.Hour} {
		_, offset := reading.Add(around).In(zone).Zone()
		at := reading.Add(-time.Duration(offset) * time.Second).In(zone)
		if at.Format(time.DateTime) == reading.Format(time.DateTime) && !slices.ContainsFunc(list, at.Equal) {
			list = append(list, at)
		}
	}
	return list
}

// readingOf returns what clocks show at a time, as a time in UTC.
func readingOf(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
}

// readLocal reads what a form has sent: a time with its offset, or what clocks of the zone show. Of two moments it is the first.
func readLocal(zone *time.Location, text string) (time.Time, error) {
	at, err := time.Parse(time.RFC3339, text)
	if err == nil {
		return at.In(zone), nil
	}
	reading, err := time.Parse(minutes, text)
	if err != nil {
		reading, err = time.Parse(minutes+":05", text)
	}
	if err != nil {
		return at, fmt.Errorf("%q is no day and time such as 2026-11-27T14:30", text)
	}
	list := moments(zone, reading)
	if len(list) == 0 {
		return at, fmt.Errorf("clocks skip %s", reading.Format("15:04 on Monday 2 January 2006"))
	}
	return list[0], nil
}

// clock writes a time of day. A time that clocks show twice has the name of its offset.
func clock(t time.Time) string {
	layout := "15:04"
	if t.Second() != 0 {
		layout = time.TimeOnly
	}
	if len(moments(t.Location(), readingOf(t))) == 2 {
		layout += " MST"
	}
	return t.Format(layout)
}

// instant writes a day and a time; the year only if it is another than now's.
func instant(t, now time.Time) string {
	layout := "Mon 2 Jan"
	if t.Year() != now.Year() {
		layout += " 2006"
	}
	return t.Format(layout) + ", " + clock(t)
}

// lasting writes a length of time: "2 d 3 h", "1 h 30 min".
func lasting(d time.Duration) string {
	var list []string
	for _, x := range []struct {
		length time.Duration
		unit   string
	}{{day, "d"}, {time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}} {
		if d >= x.length {
			list = append(list, fmt.Sprintf("%d %s", d/x.length, x.unit))
		}
		d %= x.length
	}
	return strings.Join(list, " ")
}

// window is the time that a page shows, in whole days of a zone.
type window struct {
	View     string // "day", "week" or "month"
	From, To time.Time
}

var views = []string{"day", "week", "month"}

// windowAt returns the day, week or month of a day, which is a text such as 2026-11-27; that of now if there is none.
func windowAt(view, day string, now time.Time) window {
	at, err := time.Parse(time.DateOnly, day) // a day, wherever: clocks of the zone may skip its midnight
	if err != nil || at.Year() < 1900 || at.Year() > 2200 {
		at = now
	}
	if !slices.Contains(views, view) {
		view = "week"
	}
	y, m, d := at.Date()
	switch view {
	case "week":
		d -= (int(at.Weekday()) + 6) % 7 // Monday
	case "month":
		d = 1
	}
	w := window{View: view, From: midnight(y, m, d, now.Location())}
	w.To = w.step(1)
	return w
}

// midnight returns the first moment of a day: the first of two midnights, or an hour later if clocks skip midnight.
func midnight(y int, m time.Month, d int, zone *time.Location) time.Time {
	list := moments(zone, time.Date(y, m, d, 0, 0, 0, 0, time.UTC))
	if len(list) == 0 {
		return time.Date(y, m, d, 1, 0, 0, 0, zone)
	}
	return list[0]
}

// step returns the start of a window so many windows later.
func (w window) step(n int) time.Time {
	y, m, d := w.From.Date()
	switch w.View {
	case "day":
		d += n
	case "week":
		d += 7 * n
	default:
		m += time.Month(n)
	}
	return midnight(y, m, d, w.From.Location())
}

// Before and After return the days by which the windows around this one are asked for.
func (w window) Before() string { return w.step(-1).Format(time.DateOnly) }

// After returns the day of the next window.
func (w window) After() string { return w.step(1).Format(time.DateOnly) }

// Day returns the first day.
func (w window) Day() string { return w.From.Format(time.DateOnly) }

// Window names the window: "Friday 27 November 2026", "23 – 29 November 2026, week 48".
func (w window) Window() string {
	last := w.To.AddDate(0, 0, -1)
	switch {
	case w.View == "day":
		return w.From.Format("Monday 2 January 2006")
	case w.View == "month":
		return w.From.Format("January 2006")
	}
	first := "2"
	if last.Month() != w.From.Month() {
		first += " January"
	}
	if last.Year() != w.From.Year() {
		first += " 2006"
	}
	_, week := w.From.ISOWeek()
	return fmt.Sprintf("%s – %s, week %d", w.From.Format(first), last.Format("2 January 2006"), week)
}
