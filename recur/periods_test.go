package recur

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// Months are periods: from the first of each to the first of the next, whatever the rule's Length is.
func TestMonthsArePeriods(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	epoch := time.Date(2027, time.January, 1, 0, 0, 0, 0, berlin)
	c := bookahead.Clock{Epoch: epoch, Tick: time.Hour}
	months := Rule{Start: epoch, Freq: Monthly, Length: 24 * time.Hour}
	list, err := months.Periods(c, ticks(0, 90*24-1))
	require.NoError(t, err)
	const day = 24
	require.Equal(t, []bookahead.Interval{ticks(0, 31*day), ticks(31*day, 59*day), ticks(59*day, 90*day-1)}, list, "March has a night of 23 hours")
	later, err := months.Periods(c, ticks(1, 59*day))
	require.NoError(t, err)
	require.Equal(t, list[1:2], later)

	months.Count = 2
	list, err = months.Periods(c, ticks(0, 365*day))
	require.NoError(t, err)
	require.Len(t, list, 1, "behind the last nothing follows")
	_, err = Rule{}.Periods(c, ticks(0, 9))
	require.ErrorIs(t, err, bookahead.ErrInvalid)
}
