package desk

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

func ticks(start, end bookahead.Time) bookahead.Interval {
	return bookahead.Interval{Start: start, End: end}
}

// deskWith returns a desk with schedules: a name and a kind for each.
func deskWith(t testing.TB, schedules ...any) *Desk {
	t.Helper()
	d, err := New(Config{Keep: 50})
	require.NoError(t, err)
	for i := 0; i < len(schedules); i += 2 {
		_, err := d.Do(AddSchedule{schedules[i].(string), schedules[i+1].(Kind)})
		require.NoError(t, err)
	}
	return d
}
