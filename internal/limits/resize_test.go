package limits

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

func TestCheckResize(t *testing.T) {
	l := Limits{Capacity: 4, Now: 10, End: 50}
	for _, c := range []struct {
		start, end bookahead.Time
		units      int64
		err        string
	}{
		{10, 11, 4, ""},
		{math.MinInt64, 11, 1, ""},
		{40, 60, 1, ""}, // that it ends after the horizon is found out later
		{12, 12, 1, "bookahead: to [12, 12) is empty"},
		{13, 12, 1, "bookahead: to [13, 12) is empty"},
		{2, 10, 1, "bookahead: to [2, 10) ends by now, 10"},
		{12, 13, 0, "bookahead: units 0 is less than 1"},
		{12, 13, 5, "bookahead: units 5 is more than the capacity 4"},
	} {
		err := l.CheckResize(bookahead.Interval{Start: c.start, End: c.end}, c.units)
		if c.err == "" {
			require.NoError(t, err)
			continue
		}
		require.EqualError(t, err, c.err)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
	}
}

// What has begun, and goes on, keeps its start; nothing else begins before now.
func TestResized(t *testing.T) {
	l := Limits{Capacity: 4, Now: 10, End: 50}
	span := func(start, end bookahead.Time) bookahead.Interval {
		return bookahead.Interval{Start: start, End: end}
	}
	for _, c := range []struct{ old, to, want bookahead.Interval }{
		{span(5, 20), span(7, 30), span(5, 30)},
		{span(5, 20), span(10, 12), span(5, 12)},
		{span(5, 20), span(11, 12), span(11, 12)},
		{span(10, 20), span(2, 12), span(10, 12)},
		{span(15, 20), span(2, 12), span(10, 12)},
	} {
		require.Equal(t, c.want, l.Resized(c.old, c.to))
	}
}
