package desk

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// onePart is a shape of one part.
func onePart(on string, units int64, ticks bookahead.Duration) Shape {
	return Shape{{On: on, Units: units, Duration: ticks}}
}

// at returns a request for one part at a time.
func at(start bookahead.Time, on string, units int64, ticks bookahead.Duration) Request {
	return Request{Ready: start, Deadline: start + bookahead.Time(ticks), Shapes: []Shape{onePart(on, units, ticks)}}
}

// pictured returns a desk with the schedules of the package's comment.
func pictured(t *testing.T, kinds map[string]Kind) *Desk {
	d, err := New(Config{})
	require.NoError(t, err)
	for _, name := range []string{"line", "gpus", "lab"} {
		if kinds[name] != nil {
			do(t, d, AddSchedule{name, kinds[name]})
		}
	}
	return d
}

// TestPictureOfShapes books the shapes of the package's comment.
func TestPictureOfShapes(t *testing.T) {
	d := pictured(t, map[string]Kind{"gpus": Pool{Units: 8}})
	do(t, d, Book{Request: at(0, "gpus", 6, 12)})
	shapes := []Shape{onePart("gpus", 8, 4), onePart("gpus", 2, 14), onePart("gpus", 1, 14)}
	for i, want := range []bookahead.Interval{{Start: 12, End: 16}, {Start: 0, End: 14}, {Start: 0, End: 14}} {
		e, err := d.Decide(Book{Request: Request{Shapes: shapes[i : i+1]}})
		require.NoError(t, err)
		require.Equal(t, want, e.Decision.Places[0].Interval)
	}
	require.Equal(t, 1, do(t, d, Book{Request: Request{Shapes: shapes}}).Booking.Shape)
}

// TestPictureOfGaps books the steps of the package's comment.
func TestPictureOfGaps(t *testing.T) {
	d := pictured(t, map[string]Kind{"line": Pool{Units: 1}, "gpus": Pool{Units: 8}})
	do(t, d, Book{Request: at(5, "line", 1, 3)})
	do(t, d, Book{Request: at(0, "gpus", 8, 12)})
	out := do(t, d, Book{Request: Request{Shapes: []Shape{{
		{On: "line", Units: 1, Duration: 3},
		{On: "gpus", Units: 8, Duration: 4, After: &Gap{Least: 1, Most: 5}},
	}}}})
	require.Equal(t, bookahead.Interval{Start: 8, End: 11}, out.Booking.Places[0].Interval)
	require.Equal(t, bookahead.Interval{Start: 12, End: 16}, out.Booking.Places[1].Interval)
}

// TestPictureOfAnOutage closes the server of the package's comment.
func TestPictureOfAnOutage(t *testing.T) {
	d := pictured(t, map[string]Kind{"lab": Servers{Count: 2, Prefer: "lowest"}})
	a := do(t, d, Book{Request: Request{Owner: "A", Ready: 5, Shapes: []Shape{onePart("lab", 1, 10)}}})
	b := do(t, d, Book{Request: Request{Owner: "B", Ready: 5, Shapes: []Shape{onePart("lab", 1, 10)}}})
	require.Equal(t, [2][]int{{0}, {1}}, [2][]int{a.Booking.Places[0].Servers, b.Booking.Places[0].Servers})
	out := do(t, d, Close{On: "lab", Interval: bookahead.Interval{Start: 2, End: 20}, Servers: []int{0}, Force: Anybody})
	require.Len(t, out.Events, 2)
	require.Equal(t, WasClosed, out.Events[0].What)
	moved := out.Events[1]
	require.Equal(t, []any{WasMoved, "A"}, []any{moved.What, moved.Owner})
	require.Equal(t, [2]bookahead.Interval{{Start: 5, End: 15}, {Start: 15, End: 25}}, [2]bookahead.Interval{moved.From, moved.To})
}
