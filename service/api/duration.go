package api

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Duration is a length of time in ISO 8601, of days and smaller: "PT2H", "PT1H30M", "P1DT12H", "PT0.5S". A day has 24 hours.
type Duration string

var parts = regexp.MustCompile(`^P(?:(\d{1,6})D)?(?:T(?:(\d{1,7})H)?(?:(\d{1,9})M)?(?:(\d{1,10}(?:\.\d{1,9})?)S)?)?$`)

// DurationOf returns a length of time as the API has it.
func DurationOf(d time.Duration) Duration {
	if d <= 0 {
		return "PT0S"
	}
	s := "PT"
	if h := d / time.Hour; h > 0 {
		s += fmt.Sprintf("%dH", h)
	}
	if m := d % time.Hour / time.Minute; m > 0 {
		s += fmt.Sprintf("%dM", m)
	}
	if rest := d % time.Minute; rest > 0 {
		s += strings.TrimRight(strings.TrimRight(fmt.Sprintf("%d.%09d", rest/time.Second, rest%time.Second), "0"), ".") + "S"
	}
	return Duration(s)
}

// Time returns the length of time. The error says what is wrong; a length of more than 292 years is an error.
func (d Duration) Time() (time.Duration, error) {
	found := parts.FindStringSubmatch(string(d))
	if found == nil || d == "P" || strings.HasSuffix(string(d), "T") {
		return 0, fmt.Errorf("%q is no duration of ISO 8601, such as PT2H or P1DT30M", string(d))
	}
	sum := time.Duration(0)
	for i, unit := range []time.Duration{24 * time.Hour, time.Hour, time.Minute, time.Second} {
		whole, rest, _ := strings.Cut(found[i+1], ".")
		n, _ := strconv.ParseInt("0"+whole, 10, 64) // a few digits, by the pattern
		rest += strings.Repeat("0", 9-len(rest))
		nanos, _ := strconv.ParseInt(rest, 10, 64)
		if n > int64((1<<63-1-sum-time.Duration(nanos))/unit) {
			return 0, fmt.Errorf("%q is longer than 292 years", string(d))
		}
		sum += time.Duration(n)*unit + time.Duration(nanos)
	}
	return sum, nil
}
