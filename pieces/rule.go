package pieces

import (
	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// Rule says how work may be divided. With the zero Rule it may stop and go on at any tick.
type Rule struct {
	// Least is how many ticks of the work a piece does at least, unless it ends the work; 0 and 1 stand for any number.
	Least bookahead.Duration
	// Gap is the most ticks between two pieces; 0 stands for any number.
	Gap bookahead.Duration
	// Restart is how many ticks each piece after the first takes before the work goes on.
	Restart bookahead.Duration
}

// Validate returns an error that wraps bookahead.ErrInvalid, and names the field, if a number is negative. O(1).
func (r Rule) Validate() error {
	switch {
	case r.Least < 0:
		return limits.Invalid("Rule.Least", r.Least, "is negative")
	case r.Gap < 0:
		return limits.Invalid("Rule.Gap", r.Gap, "is negative")
	case r.Restart < 0:
		return limits.Invalid("Rule.Restart", r.Restart, "is negative")
	}
	return nil
}
