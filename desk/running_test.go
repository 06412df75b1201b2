package desk

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// Overrun and End are for a running booking. A hold is none, also when its time has begun.
func TestAHoldIsNotRunning(t *testing.T) {
	d := deskWith(t, "pool", Pool{Units: 4})
	id := do(t, d, Book{Hold: 8, Request: asks(Part{On: "pool", Units: 1, Duration: 10})}).Booking.ID
	later := do(t, d, Book{Request: at(6, "pool", 1, 5)}).Booking.ID
	do(t, d, Advance{2})
	for _, c := range []Command{Overrun{ID: id, Until: 12}, End{id}} {
		_, err := d.Do(c)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, "is held, and not running")
	}
	for _, c := range []Command{Overrun{ID: later, Until: 12}, End{later}} {
		_, err := d.Do(c)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, "is booked, and not running")
	}
	do(t, d, Commit{id})
	require.Equal(t, ticks(0, 12), do(t, d, Overrun{ID: id, Until: 12}).Booking.Interval)
	require.Equal(t, Ended, do(t, d, End{id}).Booking.State)
	for _, c := range []Command{Overrun{ID: id, Until: 14}, End{id}} {
		_, err := d.Do(c)
		require.Equal(t, bookahead.ErrNotFound, err)
	}
}
