package desk

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A broker asks for the shortest queue after others have given way. The broker once counted those that were gone.
//
//	      0   4    9      20  22
//	p     X A A2                     3 bookings, and none once X, A and A2 have given way
//	q     X               C          2 bookings, and then 1
func TestForceAsksForTheShortestQueueThatIsLeft(t *testing.T) {
	d := deskWith(t, "p", Pool{Units: 2}, "q", Pool{Units: 2}, "any", Broker{Of: []string{"q", "p"}, Policy: "shortest-queue"})
	both := asks(Part{On: "p", Units: 1, Duration: 9}, Part{On: "q", Units: 1, Duration: 9})
	both.Deadline = 9
	must(t, d, Book{Request: both})
	must(t, d, Book{Request: at(20, "q", 1, 2)})
	must(t, d, Book{Request: at(0, "p", 1, 4)})
	must(t, d, Book{Request: at(4, "p", 1, 5)})
	r := asks(Part{On: "any", Units: 2, Duration: 9})
	r.Deadline = 9
	k := must(t, d, Book{Request: r, Force: Anybody})
	require.Equal(t, "p", k.Places[0].On)
	require.NoError(t, d.Verify())
}

// A booking that gives way goes to the shortest queue of that moment: the booking that moved first counts in its new place.
func TestWhoGivesWayAsksForTheShortestQueue(t *testing.T) {
	d := deskWith(t, "p", Pool{Units: 9}, "q", Pool{Units: 9}, "r", Pool{Units: 9}, "any", Broker{Of: []string{"p", "q", "r"}, Policy: "shortest-queue"})
	must(t, d, Book{Request: at(50, "q", 1, 2)})
	for range 4 {
		wish := asks(Part{On: "any", Units: 3, Duration: 9})
		wish.Deadline = 9
		must(t, d, Book{Request: wish})
	}
	out := do(t, d, Close{On: "p", Units: 9, Interval: ticks(0, 20), Force: Anybody})
	var on []string
	for _, e := range out.Events {
		if e.What == WasMoved {
			on = append(on, e.After[0].On)
		}
	}
	require.NoError(t, d.Verify())
	require.Equal(t, []string{"r", "q"}, on)
}

// A Change counts its own place as free, in a queue as well.
func TestAChangeIsNotInItsOwnQueue(t *testing.T) {
	d := deskWith(t, "p", Pool{Units: 2}, "q", Pool{Units: 2}, "any", Broker{Of: []string{"p", "q"}, Policy: "shortest-queue"})
	k := must(t, d, Book{Request: asks(Part{On: "any", Units: 1, Duration: 3})})
	require.Equal(t, "p", k.Places[0].On)
	must(t, d, Change{ID: k.ID, To: at(5, "any", 1, 3)})
	k, err := d.Booking(k.ID)
	require.NoError(t, err)
	require.Equal(t, "p", k.Places[0].On)
}
