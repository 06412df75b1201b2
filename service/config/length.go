package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Length is a time such as "90s", "5m", "36h", "14d" or "2w", of whole numbers. A day has 24 hours.
type Length time.Duration

// Time returns the length.
func (l Length) Time() time.Duration { return time.Duration(l) }

var lengths = map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour}

// UnmarshalText reads a length: one number with its unit, or several, such as "1h30m".
func (l *Length) UnmarshalText(text []byte) error {
	s, sum := string(text), time.Duration(0)
	for s != "" {
		i := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
		if i < 1 {
			return fmt.Errorf("%q is no length such as 90s, 5m, 36h or 14d", text)
		}
		n, err := strconv.ParseInt(s[:i], 10, 64)
		unit := lengths[s[i]]
		switch {
		case err != nil || unit == 0:
			return fmt.Errorf("%q is no length such as 90s, 5m, 36h or 14d", text)
		case n > int64((1<<63-1-sum)/unit):
			return fmt.Errorf("%q is longer than 292 years", text)
		}
		sum, s = sum+time.Duration(n)*unit, s[i+1:]
	}
	if sum == 0 {
		return fmt.Errorf("%q is no length such as 90s, 5m, 36h or 14d", text)
	}
	*l = Length(sum)
	return nil
}
