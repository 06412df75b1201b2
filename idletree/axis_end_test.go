package idletree

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// No period starts after the end of the axis, although the tick after it would be a negative number: a calendar
// that has become a tree yields nothing there.
func TestTheClockAtTheEndOfTheAxis(t *testing.T) {
	x, err := NewTree(1, Config{Origin: bookahead.MaxTime - 4000})
	require.NoError(t, err)
	for k := range bookahead.Time(1000) {
		_, err := x.Reserve(bookahead.Request{Ready: bookahead.MaxTime - 3999 + 2*k, Duration: 1, Units: 1})
		require.NoError(t, err)
	}
	require.NotNil(t, x.roster().calendars().idle[0].many)
	require.NoError(t, x.Advance(bookahead.MaxTime))
	require.NoError(t, x.Verify())
}
