package limits

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// A running reservation has one start, its own, and Ready is not read.
func TestStartsAnewOfARunningOne(t *testing.T) {
	const most = math.MaxInt64
	running := bookahead.Interval{Start: 5, End: 20}
	for name, c := range map[string]struct {
		r   bookahead.Request
		err string // empty if there is no error
	}{
		"as it is":                  {bookahead.Request{Duration: 15, Units: 4}, ""},
		"Ready is long after":       {bookahead.Request{Ready: most, Duration: 15, Units: 4}, ""},
		"Ready is long before":      {bookahead.Request{Ready: math.MinInt64, Duration: 15, Units: 4}, ""},
		"one tick is left":          {bookahead.Request{Duration: 6, Units: 1}, ""},
		"to the horizon":            {bookahead.Request{Duration: 45, Units: 1}, ""},
		"by the deadline":           {bookahead.Request{Duration: 15, Deadline: 20, Units: 1}, ""},
		"ends by now":               {bookahead.Request{Duration: 5, Units: 1}, "bookahead: Request.Duration 5 after the Start 5 ends by now, 10"},
		"beyond the horizon":        {bookahead.Request{Duration: 46, Units: 1}, bookahead.ErrUnavailable.Error()},
		"beyond the axis":           {bookahead.Request{Duration: most, Units: 1}, bookahead.ErrUnavailable.Error()},
		"after the deadline":        {bookahead.Request{Duration: 15, Deadline: 19, Units: 1}, bookahead.ErrUnavailable.Error()},
		"more than the capacity":    {bookahead.Request{Duration: 15, Units: 5}, bookahead.ErrUnavailable.Error()},
		"no units":                  {bookahead.Request{Duration: 15}, "bookahead: Request.Units 0 is less than 1"},
		"no duration":               {bookahead.Request{Units: 1}, "bookahead: Request.Duration 0 is less than 1"},
		"a deadline in the past":    {bookahead.Request{Duration: 15, Deadline: 3, Units: 1}, bookahead.ErrUnavailable.Error()},
		"the least deadline":        {bookahead.Request{Duration: 15, Deadline: math.MinInt64 + 15, Units: 1}, bookahead.ErrUnavailable.Error()},
		"ends by now, and too many": {bookahead.Request{Duration: 5, Units: 5}, "bookahead: Request.Duration 5 after the Start 5 ends by now, 10"},
		"servers, but it is a pool": {bookahead.Request{Duration: 15, Units: 1, Servers: []int{0}}, "bookahead: Request.Servers [0] are named, but a pool has units only"},
	} {
		l := Limits{Capacity: 4, Now: 10, End: 50}
		first, last, err := l.StartsAnew(running, c.r)
		if c.err != "" {
			require.EqualError(t, err, c.err, name)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, [2]bookahead.Time{5, 5}, [2]bookahead.Time{first, last}, name)
	}
}

// A reservation that has not begun is placed like any other request. One that starts now has
// begun.
func TestStartsAnewOfAWaitingOne(t *testing.T) {
	l := Limits{Capacity: 4, Now: 10, End: 50}
	r := bookahead.Request{Ready: 3, Duration: 5, Units: 1}
	first, last, err := l.StartsAnew(bookahead.Interval{Start: 11, End: 20}, r)
	require.NoError(t, err)
	require.Equal(t, [2]bookahead.Time{10, 45}, [2]bookahead.Time{first, last})
	first, last, err = l.StartsAnew(bookahead.Interval{Start: 10, End: 20}, r)
	require.NoError(t, err)
	require.Equal(t, [2]bookahead.Time{10, 10}, [2]bookahead.Time{first, last})
}
