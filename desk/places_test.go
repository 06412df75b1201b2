package desk

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// A booking that is over has a place for each part, as its shape has them, so that a place can be read
// with its part. Parts that were not reached have empty places:
//
//	part 0            ██████   was not reached when the booking was cancelled at 5
//	part 1   ██████            was cut to [0, 5)
func TestPlacesStayInTheOrderOfTheParts(t *testing.T) {
	d, err := New(Config{Keep: 100})
	require.NoError(t, err)
	do(t, d, AddSchedule{"a", Pool{Units: 4}})
	do(t, d, AddSchedule{"b", Pool{Units: 4}})
	id := do(t, d, Book{Request: Request{Shapes: []Shape{{
		{On: "a", Units: 1, Duration: 10, Offset: 10}, {On: "b", Units: 2, Duration: 10},
	}}}}).Booking.ID
	do(t, d, Advance{5})
	k := do(t, d, Cancel{id}).Booking
	require.Equal(t, []Place{
		{On: "a", Interval: bookahead.Interval{Start: 10, End: 10}, Units: 1, Head: -1},
		{On: "b", Interval: bookahead.Interval{Start: 0, End: 5}, Units: 2, Head: -1},
	}, k.Places)
	require.Zero(t, d.b.schedules[0].calendar.Len())
	require.Equal(t, 1, d.b.schedules[1].calendar.Len())
	do(t, d, Advance{200})
	require.Zero(t, d.b.schedules[1].calendar.Len())
}

// A kind that the caller changes later stays on the desk as it was added.
func TestKindIsACopy(t *testing.T) {
	d, err := New(Config{})
	require.NoError(t, err)
	of := []string{"a"}
	amounts := nodes.Vector{8}
	do(t, d, AddSchedule{"a", Nodes{Resources: []string{"gpus"}, Nodes: []nodes.Vector{amounts}, Levels: []nodes.Level{{Name: "rack", Groups: [][]int{{0}}}}}})
	do(t, d, AddSchedule{"b", Broker{Of: of}})
	amounts[0], of[0] = 9, "c"
	require.Equal(t, nodes.Vector{8}, d.b.schedules[0].kind.(Nodes).Nodes[0])
	require.Equal(t, []string{"a"}, d.b.schedules[1].kind.(Broker).Of)
}
