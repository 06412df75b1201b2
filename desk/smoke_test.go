package desk

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

func do(t *testing.T, d *Desk, c Command) Outcome {
	t.Helper()
	out, err := d.Do(c)
	require.NoError(t, err)
	t.Log(c.verb(), out.Booking, out.Booking.Places, out.Events)
	return out
}

func TestSmoke(t *testing.T) {
	d, err := New(Config{Keep: 100})
	require.NoError(t, err)
	do(t, d, AddSchedule{"gpus", Pool{Units: 8}})
	do(t, d, AddSchedule{"lab", Servers{Count: 4, Prefer: "lowest"}})
	do(t, d, AddSchedule{"farm", Nodes{Resources: []string{"gpus", "cores"}, Nodes: []nodes.Vector{{8, 64}, {8, 64}}}})
	do(t, d, AddSchedule{"any", Broker{Of: []string{"gpus", "lab"}, Policy: "least-loaded"}})
	one := do(t, d, Book{Key: "a", Request: Request{Owner: "ann", Shapes: []Shape{{{On: "gpus", Units: 8, Duration: 10}}, {{On: "lab", Units: 3, Duration: 4}}}}})
	require.Equal(t, 1, one.Booking.Shape)
	do(t, d, Book{Request: Request{Shapes: []Shape{{
		{On: "lab", Units: 2, Duration: 4}, {On: "farm", Units: 2, Duration: 6, Tasks: &nodes.Request{Each: nodes.Vector{8, 8}}},
		{On: "any", Units: 4, Duration: 4, After: &Gap{1, 3}},
	}}}})
	again := do(t, d, Book{Key: "a", Request: Request{Owner: "ann", Shapes: []Shape{{{On: "gpus", Units: 8, Duration: 10}}, {{On: "lab", Units: 3, Duration: 4}}}}})
	require.Equal(t, one.Booking, again.Booking)
	require.Empty(t, again.Events)
	held := do(t, d, Book{Hold: 7, Request: Request{Ready: 20, Shapes: []Shape{{{On: "gpus", Units: 8, Duration: 10}}}}})
	do(t, d, Change{ID: held.Booking.ID, To: Request{Ready: 22, Shapes: []Shape{{{On: "gpus", Units: 7, Duration: 12}}}}})
	do(t, d, Advance{1})
	_, err = d.Do(Overrun{ID: one.Booking.ID, Until: 5})
	require.Equal(t, bookahead.ErrUnavailable, err)
	do(t, d, Advance{8})
	_, err = d.Do(Commit{held.Booking.ID})
	require.Equal(t, bookahead.ErrNotFound, err)
	do(t, d, Cancel{2})
	do(t, d, Advance{300})
}
