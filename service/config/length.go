package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// Length is a time such as "90s", "5m", "36h", "14d" or "2w", of whole numbers. A day has 24 hours.
type Length time.Duration

// Time returns the length.
func (l Length) Time() time.Duration { return time.Duration(l) }

var lengths = map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour}

// UnmarshalYAML reads a length: one number with its unit, or several, such as "1h30m". The error has the line.
func (l *Length) UnmarshalYAML(n ast.Node) error {
	if n.Type() == ast.NullType {
		return nil // left out
	}
	d, err := parseLength(n.GetToken().Value)
	if err != nil {
		return &yaml.SyntaxError{Message: err.Error(), Token: n.GetToken()}
	}
	*l = Length(d)
	return nil
}

func parseLength(text string) (sum time.Duration, err error) {
	bad := fmt.Errorf("%q is no length such as 90s, 5m, 36h or 14d", text)
	for s := text; s != ""; {
		i := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
		if i < 1 {
			return 0, bad
		}
		n, err := strconv.ParseInt(s[:i], 10, 64)
		unit := lengths[s[i]]
		switch {
		case err != nil || unit == 0:
			return 0, bad
		case n > int64((1<<63-1-sum)/unit):
			return 0, fmt.Errorf("%q is longer than 292 years", text)
		}
		sum, s = sum+time.Duration(n)*unit, s[i+1:]
	}
	if sum == 0 {
		return 0, bad
	}
	return sum, nil
}
