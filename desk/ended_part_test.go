package desk

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// TestChangeAfterAPartIsOver changes a booking whose first part is over: its schedule has forgotten the
// reservation, so nothing of it can be released.
func TestChangeAfterAPartIsOver(t *testing.T) {
	d := deskWith(t, "gpus", Pool{Units: 4})
	k := do(t, d, Book{Request: Request{Shapes: []Shape{{
		{On: "gpus", Units: 2, Duration: 3}, {On: "gpus", Units: 1, Duration: 4, After: &Gap{0, 0}},
	}}}}).Booking
	do(t, d, Advance{4})
	longer := do(t, d, Overrun{ID: k.ID, Until: 9}).Booking
	require.Equal(t, ticks(0, 3), longer.Places[0].Interval)
	require.Equal(t, ticks(3, 9), longer.Places[1].Interval)
	do(t, d, Cancel{k.ID})
}

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
