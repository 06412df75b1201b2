package account

import (
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/internal/quota"
)

// StepsOfLeap is how many steps a leap to another start counts.
const StepsOfLeap = 16

// Claim is the use that is asked of one rule.
type Claim struct {
	quota.Claim
	Name string // of the rule
}

// Claims are the use that is asked of all rules that count it. Like a schedule, a rule returns the next start that it
// allows, so the search goes on from there until all agree:
//
//	schedule   ░░░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒     has room from 6 on
//	rule       ░░░░░░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒     allows a start at 9, where the schedule has room too
type Claims []Claim

// Next returns the first start from s on that all rules allow. The error is bookahead.ErrUnavailable if no start up to
// last will do. It is the same if the rules have not agreed while their periods came round once, behind everything that
// is used, since each later round is like this one:
//
//	3 of 10     │         │         │        5 ticks have to lie across this border
//	3 of 10          │         │             and across this one
//
// Each leap counts StepsOfLeap, and the looks at the use are steps too; quota.Claim.Next has the cost of a leap.
func (list Claims) Next(s, last bookahead.Time, m *effort.Meter) (bookahead.Time, error) {
	end := bookahead.MaxTime // the end of the first round
	for i, agreed := 0, 0; agreed < len(list); i++ {
		c := &list[i%len(list)]
		t, ok := c.Next(s, last, m)
		switch {
		case m.Stopped():
			return 0, list.stopped(c, t, m)
		case !ok:
			return 0, bookahead.ErrUnavailable
		}
		if t == s {
			agreed++
			continue
		}
		s, agreed = t, 0
		switch {
		case s >= end:
			return 0, bookahead.ErrUnavailable
		case !m.Spend(StepsOfLeap):
			return 0, list.stopped(c, s, m)
		// From s on every round is alike, so rules that do not agree in the first one never do.
		case end == bookahead.MaxTime && list.Repeat(s):
			end = list.RoundFrom(s)
		}
	}
	return s, nil
}

// stopped returns the error of a search that has used up its steps: up to a start, one of the rules refuses each.
func (list Claims) stopped(c *Claim, s bookahead.Time, m *effort.Meter) error {
	if len(list) == 1 {
		return fmt.Errorf("quota %q has not allowed a start up to %d: %w", c.Name, s, m.Err())
	}
	return fmt.Errorf("quota %q and others have not allowed the same start up to %d: %w", c.Name, s, m.Err())
}

// Repeat reports whether all rules allow the same starts again one round later, from s on. O(c log n) for c claims.
func (list Claims) Repeat(s bookahead.Time) bool {
	return !slices.ContainsFunc(list, func(c Claim) bool { return !c.Repeats(s) })
}

// RoundFrom returns the end of a round that begins at s: the periods of all rules begin together again then, as they do at
// s. The end of the axis stands for a later end. O(c) for c claims.
func (list Claims) RoundFrom(s bookahead.Time) bookahead.Time {
	most := bookahead.Duration(bookahead.MaxTime - s)
	all := bookahead.Duration(1)
	for i := range list {
		every := max(1, list[i].Every())
		a, b := all, every
		for b != 0 {
			a, b = b, a%b
		}
		if all/a > most/every {
			return bookahead.MaxTime
		}
		all = all / a * every
	}
	return s + bookahead.Time(all)
}
