package desk

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// TestCommandsAskedAgain gives each command twice, as a caller does who got no answer, and compares with the table in
// Log's comment.
func TestCommandsAskedAgain(t *testing.T) {
	request := Request{Owner: "ann", Ready: 5, Shapes: []Shape{onePart("gpus", 2, 10)}}
	longer := Request{Owner: "ann", Ready: 7, Shapes: []Shape{onePart("gpus", 2, 20)}}
	shut := Close{On: "gpus", Interval: bookahead.Interval{Start: 30, End: 40}, Units: 1}
	for name, c := range map[string]struct {
		before  []Command
		command Command
		again   error // nil if the desk says yes
		same    bool  // after the second the desk is as after the first
	}{
		"add":            {nil, AddSchedule{"lab", Pool{Units: 1}}, bookahead.ErrInvalid, true},
		"book":           {nil, Book{Key: "k", Request: request}, nil, true},
		"book, no key":   {nil, Book{Request: request}, nil, false},
		"commit":         {[]Command{Book{Request: request, Hold: 4}}, Commit{1}, bookahead.ErrNotFound, true},
		"change":         {[]Command{Book{Request: request}}, Change{ID: 1, To: longer}, nil, true},
		"overrun":        {[]Command{Book{Request: request}, Advance{6}}, Overrun{ID: 1, Until: 20}, bookahead.ErrInvalid, true},
		"end":            {[]Command{Book{Request: request}, Advance{6}}, End{1}, bookahead.ErrNotFound, true},
		"cancel":         {[]Command{Book{Request: request}}, Cancel{1}, bookahead.ErrNotFound, true},
		"close":          {nil, shut, nil, false},
		"extend":         {nil, Extend{On: "gpus", Interval: shut.Interval, Units: 1}, nil, false},
		"reopen":         {[]Command{shut}, Reopen{1, 0}, bookahead.ErrNotFound, true},
		"reopen, partly": {[]Command{shut}, Reopen{1, 35}, nil, true},
		"advance":        {nil, Advance{6}, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := New(Config{Keep: 100})
			require.NoError(t, err)
			do(t, d, AddSchedule{"gpus", Pool{Units: 8}})
			for _, b := range c.before {
				do(t, d, b)
			}
			do(t, d, c.command)
			state := func() []any {
				return []any{collected(d.Bookings(Filter{}, bookahead.Effort{})), d.Outages(""), d.Now(), len(d.Schedules())}
			}
			first := state()
			_, err = d.Do(c.command)
			require.ErrorIs(t, err, c.again)
			if c.same {
				require.Equal(t, first, state())
			} else {
				require.NotEqual(t, first, state())
			}
		})
	}
}
