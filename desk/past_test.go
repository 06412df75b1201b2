package desk

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// usedBy returns the unit-ticks that an owner has of a schedule without resources.
func usedBy(t *testing.T, d *Desk, owner, on string, w bookahead.Interval) int64 {
	t.Helper()
	list, err := d.Use(w, on, bookahead.Effort{})
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
	require.Len(t, collected(d.Bookings(Filter{On: "lab", Window: ticks(1, 2)}, bookahead.Effort{})), 1)
	require.Len(t, collected(d.Bookings(Filter{On: "lab", Owner: "ann", Window: ticks(1, 2)}, bookahead.Effort{})), 1)
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

// TestPastOfNodes: two tasks of 3 GPUs with a head run until 4, when node 0 breaks. By then part 0 is over, so
// that the parts of the rest have other numbers; the past has the amounts with it.
func TestPastOfNodes(t *testing.T) {
	d := deskWith(t, "line", Pool{Units: 2}, "farm", Nodes{Resources: []string{"gpus", "cores"}, Nodes: []nodes.Vector{{6, 9}, {6, 9}}})
	id := do(t, d, Book{Key: "k", Request: Request{Owner: "ann", Shapes: []Shape{{
		{On: "line", Units: 2, Duration: 3},
		{On: "farm", Units: 2, Duration: 10, Tasks: &nodes.Request{Each: nodes.Vector{3, 1}, Head: nodes.Vector{0, 2}, Nodes: []int{0, 1}, Within: ""}},
	}}}}).Booking.ID
	at := of(t, d, id).Places[1].Nodes[0].Node
	do(t, d, Advance{4})
	out := do(t, d, Close{On: "farm", Interval: ticks(4, 90), Servers: []int{at}, Force: Anybody})
	require.Equal(t, []What{WasClosed, WasMoved}, happened(out.Events))
	k := of(t, d, id)
	require.Equal(t, ticks(0, 10), k.Interval)
	require.Len(t, k.Places, 1)
	require.Equal(t, []string{"line", "farm"}, []string{k.Past[0].On, k.Past[1].On})
	use, err := d.Use(ticks(0, 4), "farm", bookahead.Effort{})
	require.NoError(t, err)
	require.Equal(t, "[24 16]", fmt.Sprint(use[0].Ticks))
	use, err = d.Use(ticks(0, 90), "farm", bookahead.Effort{})
	require.NoError(t, err)
	require.Equal(t, "[60 40]", fmt.Sprint(use[0].Ticks))
	require.Equal(t, int64(6), usedBy(t, d, "ann", "line", ticks(0, 90)))
	require.Len(t, collected(d.Bookings(Filter{On: "line"}, bookahead.Effort{})), 1)

	read, err := Read(bytes.NewReader(written(t, d)), Config{})
	require.NoError(t, err)
	require.Equal(t, k, of(t, read, id))
	require.NoError(t, read.Verify())

	do(t, d, Cancel{id})
	require.Equal(t, ticks(0, 4), of(t, d, id).Interval)
	do(t, d, Advance{53})
	require.Len(t, of(t, d, id).Past, 2)
	require.Len(t, collected(d.Bookings(Filter{On: "farm", Window: ticks(0, 4)}, bookahead.Effort{})), 1)
	do(t, d, Advance{54})
	require.Zero(t, d.b.schedules[0].calendar.Len()+d.b.schedules[1].calendar.Len(), "it is forgotten with its past")
}

// TestMovedFarAwayAndCancelled: the used time stays in the books, and no time between is used.
//
//	[0, 4) used    [4, 20) closed    at 10 it is cancelled
func TestMovedFarAwayAndCancelled(t *testing.T) {
	d := deskWith(t, "gpus", Pool{Units: 1})
	k := book(t, d, 0, 0, 0, Part{On: "gpus", Units: 1, Duration: 10})
	do(t, d, Advance{4})
	do(t, d, Close{On: "gpus", Interval: ticks(4, 20), Units: 1, Force: Anybody})
	moved := of(t, d, k)
	require.Equal(t, []any{Booked, ticks(0, 26), ticks(20, 26)}, []any{moved.State, moved.Interval, moved.Places[0].Interval})
	require.Len(t, collected(d.Bookings(Filter{Window: ticks(3, 4)}, bookahead.Effort{})), 1)
	require.Empty(t, collected(d.Bookings(Filter{Window: ticks(4, 20)}, bookahead.Effort{})))
	_, err := d.Do(Overrun{ID: k, Until: 30})
	require.ErrorContains(t, err, "is booked, and not running")
	require.Equal(t, []What{WasAdvanced}, happened(do(t, d, Advance{10}).Events))
	over := do(t, d, Cancel{k}).Booking
	require.Equal(t, []any{Cancelled, ticks(0, 10), true}, []any{over.State, over.Interval, over.Places[0].Empty()})
	require.Equal(t, int64(4), usedBy(t, d, "", "gpus", ticks(0, 99)))
	require.NoError(t, d.Verify())
}

// TestSeveralChangesWhileItRuns: each part keeps its start, and the units that it had at each time.
//
//	unit 2          CC
//	unit 1      BBBBCC
//	unit 0  AAAABBBBCCDDDD
func TestSeveralChangesWhileItRuns(t *testing.T) {
	d := deskWith(t, "gpus", Pool{Units: 4})
	k := book(t, d, 0, 0, 0, Part{On: "gpus", Units: 1, Duration: 9})
	to := func(now bookahead.Time, units int64, length bookahead.Duration) {
		do(t, d, Advance{now})
		out := do(t, d, Change{ID: k, To: Request{Shapes: []Shape{{{On: "gpus", Units: units, Duration: length}}}}})
		require.Equal(t, ticks(0, bookahead.Time(length)), out.Booking.Interval)
		require.Equal(t, out.Booking.Places, out.Events[0].After)
		require.NoError(t, d.Verify())
	}
	to(4, 2, 9)
	to(6, 2, 12) // longer, with the same units
	require.Len(t, of(t, d, k).Past, 1)
	to(8, 3, 12)
	to(10, 1, 12)
	do(t, d, Overrun{ID: k, Until: 14})
	require.Equal(t, bookahead.Duration(14), of(t, d, k).Shapes[0][0].Duration)
	require.Equal(t, ticks(10, 14), of(t, d, k).Places[0].Interval)
	require.Equal(t, int64(4+2*4+3*2+4), usedBy(t, d, "", "gpus", ticks(0, 99)))
	read, err := Read(bytes.NewReader(written(t, d)), Config{})
	require.NoError(t, err)
	require.Equal(t, of(t, d, k), of(t, read, k))
	do(t, d, End{k})
	require.Equal(t, int64(4+2*4+3*2), usedBy(t, d, "", "gpus", ticks(0, 99)))
}

// TestPastIsBounded: a booking with MaxPast pieces is not changed any more, and is displaced when it has to give way.
func TestPastIsBounded(t *testing.T) {
	d := deskWith(t, "gpus", Pool{Units: 4})
	do(t, d, Advance{MaxPast})
	k := book(t, d, 0, 0, 0, Part{On: "gpus", Units: 1, Duration: 9})
	rewrite(d, k, func(k *Booking) {
		for i := range MaxPast {
			at := bookahead.Time(i)
			k.Past = append(k.Past, Piece{Place: Place{On: "gpus", Interval: ticks(at, at+1), Units: 1, Head: -1}, Part: -1})
			k.pastOn = append(k.pastOn, 0)
		}
		d.b.owners.remove(k)
		k.Start = 0
		d.b.owners.add(k)
		d.b.enterEntries(k, 1, k.entries())
	})
	require.NoError(t, d.Verify())
	require.Equal(t, int64(MaxPast+9), usedBy(t, d, "", "gpus", ticks(0, bookahead.MaxTime)))
	do(t, d, Advance{MaxPast + 1})
	_, err := d.Do(Change{ID: k, To: Request{Shapes: []Shape{{{On: "gpus", Units: 2, Duration: 9}}}}})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.ErrorContains(t, err, "Booking.Past")
	do(t, d, Close{On: "gpus", Interval: ticks(MaxPast+1, MaxPast+5), Units: 4, Force: Anybody})
	require.Equal(t, Displaced, of(t, d, k).State)
	require.NoError(t, d.Verify())
}

// TestEntriesThatEraseThePast are refused: a part that is over stays as it was, and a running part ends after now.
func TestEntriesThatEraseThePast(t *testing.T) {
	d := deskWith(t, "gpus", Pool{Units: 4}, "lab", Servers{Count: 4})
	k := do(t, d, Book{Request: Request{Shapes: []Shape{{{On: "gpus", Units: 1, Duration: 3}, {On: "lab", Units: 1, Duration: 9}}}}}).Booking.ID
	do(t, d, Advance{4})
	c := Change{ID: k, To: of(t, d, k).Request}
	c.To.Shapes = []Shape{{c.To.Shapes[0][0], {On: "lab", Units: 2, Duration: 9}}}
	for _, spoil := range []func(p []Place){
		func(p []Place) { p[0].End = 2 },
		func(p []Place) { p[0].End = 20 },
		func(p []Place) { p[1].End = 4 },
	} {
		e, err := d.Decide(c)
		require.NoError(t, err)
		spoil(e.Decision.Places)
		_, err = d.Clone().Apply(e)
		require.ErrorContains(t, err, "erases the past")
	}
	do(t, d, c)
}

// TestForgedPasts: a snapshot whose past cannot be is refused, and no number makes Read or Use fail.
func TestForgedPasts(t *testing.T) {
	d := deskWith(t, "farm", Nodes{Resources: []string{"gpus"}, Nodes: []nodes.Vector{{4}}}, "gpus", Pool{Units: 4}, "any", Broker{Of: []string{"gpus"}})
	k := book(t, d, 0, 0, 0, Part{On: "farm", Units: 1, Duration: 9, Tasks: &nodes.Request{Each: nodes.Vector{1}}})
	do(t, d, Advance{4})
	do(t, d, Change{ID: k, To: Request{Shapes: []Shape{{{On: "farm", Units: 2, Duration: 9, Tasks: &nodes.Request{Each: nodes.Vector{1}}}}}}})
	for _, spoil := range []func(x *Piece){
		func(x *Piece) { x.On = "any" },
		func(x *Piece) { x.On = "gpus" },
		func(x *Piece) { x.On = "none" },
		func(x *Piece) { x.Each = nil },
		func(x *Piece) { x.Each = nodes.Vector{1, 1} },
		func(x *Piece) { x.Each = nodes.Vector{-1} },
		func(x *Piece) { x.HeadTakes = nodes.Vector{1} },
		func(x *Piece) { x.Head = 0 },
		func(x *Piece) { x.Part = -2 },
		func(x *Piece) { x.Part = 1 },
		func(x *Piece) { x.Start = -1 },
		func(x *Piece) { x.Start = 1 },
		func(x *Piece) { x.End = 5 },
		func(x *Piece) { x.Units = 0 },
		func(x *Piece) { x.Nodes = nil },
		func(x *Piece) { x.Nodes = []nodes.Share{{Node: 1 << 30, Tasks: 1}} },
	} {
		spoilt := d.Clone()
		rewrite(spoilt, k, func(k *Booking) {
			k.Past = append([]Piece(nil), k.Past...)
			spoil(&k.Past[0])
		})
		_, err := Read(bytes.NewReader(written(t, spoilt)), Config{})
		require.Error(t, err)
	}
}

// TestPictureOfAPiece is the picture of Piece.
func TestPictureOfAPiece(t *testing.T) {
	d := deskWith(t, "gpus", Pool{Units: 4})
	k := book(t, d, 0, 0, 0, Part{On: "gpus", Units: 1, Duration: 12})
	do(t, d, Advance{4})
	do(t, d, Change{ID: k, To: Request{Shapes: []Shape{{{On: "gpus", Units: 3, Duration: 12}}}}})
	do(t, d, Advance{8})
	do(t, d, Close{On: "gpus", Interval: ticks(8, 16), Units: 4, Force: Anybody})
	is := of(t, d, k)
	require.Equal(t, ticks(0, 20), is.Interval)
	require.Equal(t, []bookahead.Interval{ticks(16, 20)}, times(is))
	require.Equal(t, []bookahead.Interval{ticks(0, 4), ticks(4, 8)}, []bookahead.Interval{is.Past[0].Interval, is.Past[1].Interval})
	require.Equal(t, []int64{1, 3, 3}, []int64{is.Past[0].Units, is.Past[1].Units, is.Places[0].Units})
}
