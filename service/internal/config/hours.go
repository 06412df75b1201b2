package config

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bookahead/bookahead/recur"
)

var (
	hoursForm = regexp.MustCompile(`^(\S+) (\d\d):(\d\d)-(\d\d):(\d\d)$`)
	dayNames  = []string{"Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"}
)

// parseHours reads opening hours such as "Mo-Fr 08:00-20:00", from a day on. If they end no later than they begin, they end on
// the next day.
func parseHours(text string, from time.Time) (recur.Rule, error) {
	bad := fmt.Errorf(`%q are no opening hours such as "Mo-Fr 08:00-20:00", "Sa,Su 10:00-14:00" or "daily 06:00-24:00"`, text)
	found := hoursForm.FindStringSubmatch(text)
	if found == nil {
		return recur.Rule{}, bad
	}
	days, ok := parseDays(found[1])
	var at [4]int
	for i := range at {
		at[i], _ = strconv.Atoi(found[2+i]) // two digits
	}
	opens, closes := time.Duration(at[0])*time.Hour+time.Duration(at[1])*time.Minute, time.Duration(at[2])*time.Hour+time.Duration(at[3])*time.Minute
	if !ok || at[1] > 59 || at[3] > 59 || opens >= 24*time.Hour || closes > 24*time.Hour {
		return recur.Rule{}, bad
	}
	if closes <= opens {
		closes += 24 * time.Hour
	}
	year, month, day := from.Date()
	start := time.Date(year, month, day, at[0], at[1], 0, 0, from.Location())
	return recur.Rule{Start: start, Length: closes - opens, Freq: recur.Weekly, Days: days}, nil
}

// parseDays reads "daily", or days and ranges of days between commas.
func parseDays(text string) (days []time.Weekday, ok bool) {
	if text == "daily" {
		text = "Mo-Su"
	}
	for part := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		i, j := slices.Index(dayNames, first), slices.Index(dayNames, last)
		if i < 0 || j < i {
			return nil, false
		}
		for ; i <= j; i++ {
			day := time.Weekday((i + 1) % 7)
			if slices.Contains(days, day) {
				return nil, false
			}
			days = append(days, day)
		}
	}
	return days, true
}
