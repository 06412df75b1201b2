package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var weekdays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// timeOf reads a time as people write it, on the clocks of now: "2026-12-01T14:00", "2026-12-01 14:00", "2026-12-01", RFC 3339 with a zone,
// "now", "14:00" today, "today", "tomorrow 14:00", "mon 9:00" for the next Monday from tomorrow on, and "+90m" from now.
func timeOf(text string, now time.Time) (time.Time, error) {
	text = strings.TrimSpace(text)
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly} {
		at, err := time.ParseInLocation(form, text, now.Location())
		if err == nil {
			return at, nil
		}
	}
	if text == "now" {
		return now, nil
	}
	if rest, ok := strings.CutPrefix(text, "+"); ok {
		d, err := lengthOf(rest)
		return now.Add(d), err
	}
	word, clock, _ := strings.Cut(text, " ")
	day, ok := dayOf(strings.ToLower(word), now)
	if !ok {
		day, clock = now, text
	}
	at := time.Time{} // midnight
	if !ok || clock != "" {
		var err error
		at, err = time.Parse("15:04", strings.TrimSpace(clock))
		if err != nil {
			return at, fmt.Errorf(`%q is no time such as "tomorrow 14:00", 14:00 or 2026-12-01T14:00`, text)
		}
	}
	return time.Date(day.Year(), day.Month(), day.Day(), at.Hour(), at.Minute(), 0, 0, now.Location()), nil
}

func dayOf(word string, now time.Time) (time.Time, bool) {
	switch word {
	case "today":
		return now, true
	case "tomorrow":
		return now.AddDate(0, 0, 1), true
	}
	for i, name := range weekdays {
		if word == name || word == strings.ToLower(time.Weekday(i).String()) {
			return now.AddDate(0, 0, 1+(i-int(now.Weekday())+6)%7), true
		}
	}
	return now, false
}

var lengths = regexp.MustCompile(`^(?:(\d{1,5})d)?(.*)$`)

// lengthOf reads a length of time: as Go has it, with days in front: "90m", "2h", "1d12h".
func lengthOf(text string) (time.Duration, error) {
	found := lengths.FindStringSubmatch(text)
	days, _ := strconv.Atoi("0" + found[1])
	rest := time.Duration(0)
	var err error
	if found[2] != "" || found[1] == "" {
		rest, err = time.ParseDuration(found[2])
	}
	d := time.Duration(days)*24*time.Hour + rest
	if err != nil || rest < 0 || d <= 0 {
		return 0, fmt.Errorf("%q is no length of time such as 90m, 2h or 1d12h", text)
	}
	return d, nil
}
