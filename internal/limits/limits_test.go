package limits

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

func TestStartsAtTheEdges(t *testing.T) {
	const most = math.MaxInt64
	for name, c := range map[string]struct {
		origin      bookahead.Time
		horizon     bookahead.Duration
		r           bookahead.Request
		first, last bookahead.Time
		err         error
	}{
		"no limit":               {0, 0, bookahead.Request{Ready: 5, Duration: 10, Units: 1}, 5, most - 10, nil},
		"past counts as now":     {7, 0, bookahead.Request{Ready: math.MinInt64, Duration: 1, Units: 1}, 7, most - 1, nil},
		"horizon":                {7, 20, bookahead.Request{Ready: 5, Duration: 20, Units: 1}, 7, 7, nil},
		"horizon is too near":    {7, 20, bookahead.Request{Ready: 5, Duration: 21, Units: 1}, 0, 0, bookahead.ErrUnavailable},
		"deadline":               {0, 50, bookahead.Request{Ready: 5, Deadline: 30, Duration: 10, Units: 1}, 5, 20, nil},
		"deadline after horizon": {0, 50, bookahead.Request{Ready: 5, Deadline: 300, Duration: 10, Units: 1}, 5, 40, nil},
		"deadline has passed":    {9, 0, bookahead.Request{Ready: -5, Deadline: 9, Duration: 10, Units: 1}, 0, 0, bookahead.ErrUnavailable},
		"least deadline": {0, 0, bookahead.Request{Ready: math.MinInt64, Deadline: math.MinInt64 + 9, Duration: 9, Units: 1},
			0, 0, bookahead.ErrUnavailable},
		"longest":               {0, 0, bookahead.Request{Duration: most, Units: 1}, 0, 0, nil},
		"longest, after origin": {1, 0, bookahead.Request{Duration: most, Units: 1}, 0, 0, bookahead.ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := New(4, c.origin, c.horizon)
			require.NoError(t, err)
			first, last, err := l.Starts(c.r)
			require.Equal(t, c.err, err)
			require.Equal(t, c.first, first)
			require.Equal(t, c.last, last)
		})
	}
}

func TestAdvanceSlidesTheHorizon(t *testing.T) {
	l, err := New(1, 10, 5)
	require.NoError(t, err)
	require.NoError(t, l.Advance(12))
	require.Equal(t, bookahead.Time(17), l.End)
	require.ErrorContains(t, l.Advance(11), "now 11 moves the clock back from 12")
	require.ErrorContains(t, l.Advance(math.MaxInt64-4), "overflows")
	require.Equal(t, bookahead.Time(12), l.Now)
	require.NoError(t, l.Advance(math.MaxInt64-5))
	require.Equal(t, bookahead.MaxTime, l.End)
}
