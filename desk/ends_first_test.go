package desk

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A reader who counts along with the events never has more in use than there is: at one tick, ends come first, even if
// the booking that ends has the higher number.
func TestEndsComeBeforeStarts(t *testing.T) {
	d := deskWith(t, "pool", Pool{Units: 1})
	later := asks(Part{On: "pool", Units: 1, Duration: 5})
	later.Ready = 10
	must(t, d, Book{Request: later})
	must(t, d, Book{Request: asks(Part{On: "pool", Units: 1, Duration: 10})})
	events := do(t, d, Advance{10}).Events
	require.Equal(t, []What{HasEnded, HasStarted, WasAdvanced}, happened(events))
	require.Equal(t, BookingID(2), events[0].Booking)
}
