package desk

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// usedBy returns the unit-ticks that an owner has of a schedule without resources.
func usedBy(t *testing.T, d *Desk, owner, on string, w bookahead.Interval) int64 {
	t.Helper()
	list, err := d.Use(w, on)
	require.NoError(t, err)
	for _, u := range list {
		if u.Owner == owner {
			return u.Ticks[0].Int64()
		}
	}
	return 0
}

// TestUseOfAMovedBooking: a server breaks at 4. The booking has used servers 0 and 1 until then, and goes on
// with 1 and 2:
//
//	server 0   AAAAxxxxx
//	server 1   AAAAAAAAA
//	server 2       AAAAA
func TestUseOfAMovedBooking(t *testing.T) {
	d := deskWith(t, "lab", Servers{Count: 3, Prefer: "lowest"})
	do(t, d, Book{Request: Request{Owner: "ann", Shapes: []Shape{{{On: "lab", Units: 2, Duration: 9}}}}})
	do(t, d, Advance{4})
	do(t, d, Close{On: "lab", Interval: ticks(4, 40), Servers: []int{0}, Force: Anybody})
	require.Equal(t, int64(18), usedBy(t, d, "ann", "lab", ticks(0, 9)))
	require.Equal(t, int64(8), usedBy(t, d, "ann", "lab", ticks(0, 4)))
	require.Len(t, d.Bookings(Filter{On: "lab", Window: ticks(1, 2)}), 1)
	require.Len(t, d.Bookings(Filter{On: "lab", Owner: "ann", Window: ticks(1, 2)}), 1)
}

// TestUseOfABookingThatGrows: 1 unit until 4, then 3.
func TestUseOfABookingThatGrows(t *testing.T) {
	d := deskWith(t, "gpus", Pool{Units: 4})
	id := do(t, d, Book{Request: Request{Owner: "ann", Shapes: []Shape{{{On: "gpus", Units: 1, Duration: 9}}}}}).Booking.ID
	do(t, d, Advance{4})
	do(t, d, Change{ID: id, To: Request{Owner: "ann", Shapes: []Shape{{{On: "gpus", Units: 3, Duration: 10}}}}})
	require.Equal(t, int64(4+3*6), usedBy(t, d, "ann", "gpus", ticks(0, 100)))
	require.Equal(t, int64(2), usedBy(t, d, "ann", "gpus", ticks(1, 3)))
}
