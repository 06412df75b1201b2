package desk

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/nodes"
)

// Entries of other desks, which have the right number, are refused where the books would not agree afterwards.
func TestEntriesThatBreakTheBooks(t *testing.T) {
	keyed := Book{Key: "a", Request: asks(Part{On: "pool", Units: 1, Duration: 5})}
	d := deskWith(t, "pool", Pool{Units: 4})
	twice, err := d.Decide(keyed)
	require.NoError(t, err)
	hold, err := d.Decide(Book{Hold: 2, Request: Request{Ready: 10, Shapes: []Shape{onePart("pool", 1, 5)}}})
	require.NoError(t, err)
	do(t, d, keyed)
	do(t, d, Advance{3})
	overrun, err := d.Decide(Overrun{ID: 1, Until: 9})
	require.NoError(t, err)
	twice.Decision.Booking, hold.Decision.Booking = 2, 2
	twice.Decision.Places = []Place{{On: "pool", Interval: ticks(3, 8), Units: 1, Head: -1}}
	refused := func(e Entry, why string) {
		before := written(t, d)
		e.Number = overrun.Number
		_, err := d.Apply(e)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, why)
		require.Equal(t, before, written(t, d))
	}
	refused(twice, "Book.Key")
	refused(hold, "Book.Hold")
	for _, until := range []bookahead.Time{-5, 0, 5} {
		overrun.Command = Overrun{ID: 1, Until: until}
		refused(overrun, "Overrun.Until")
	}
}

// A desk whose IDs are used up refuses a booking. It gave one without room for a part in the calendars, at which
// Advance and Bookings panicked.
func TestTheLastBookingID(t *testing.T) {
	d := deskWith(t, "pool", Pool{Units: 4})
	d.b.last = maxBookings - 1
	read, err := Read(bytes.NewReader(written(t, d)), Config{})
	require.NoError(t, err)
	c := Book{Request: at(3, "pool", 1, 5)}
	require.Equal(t, BookingID(maxBookings), do(t, read, c).Booking.ID)
	_, err = read.Do(c)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	do(t, read, Advance{4})
	require.NoError(t, read.Verify())
}

// A series gave IDs beyond the last one, and no snapshot of the desk could be read.
func TestTheLastBookingIDOfASeries(t *testing.T) {
	d := deskWith(t, "pool", Pool{Units: 4})
	d.b.last = maxBookings - 1
	read, err := Read(bytes.NewReader(written(t, d)), Config{})
	require.NoError(t, err)
	c := BookSeries{Request: asks(Part{On: "pool", Units: 1, Duration: 1}), At: Occurrences{ticks(3, 4), ticks(5, 6)}}
	_, err = read.Do(c)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	c.At = c.At[:1]
	out := do(t, read, c)
	require.Equal(t, []BookingID{maxBookings}, out.Occurrences)
	e := Entry{Number: read.b.entries + 1, Command: c, Decision: Decision{Series: 2, Batch: []Decision{{Booking: maxBookings + 1, Places: []Place{{On: "pool", Interval: ticks(3, 4), Units: 1, Head: -1}}}}}}
	_, err = read.Apply(e)
	require.ErrorContains(t, err, "is more than")
	_, err = Read(bytes.NewReader(written(t, read)), Config{})
	require.NoError(t, err)
}

// A snapshot with a booking that is over, and whose places are not those of its parts, is refused: Use panicked.
func TestForgedPlacesOfTheOver(t *testing.T) {
	task := &nodes.Request{Each: nodes.Vector{1, 1}}
	for _, forge := range []func(s Shape) Shape{
		func(s Shape) Shape { return s },
		func(s Shape) Shape { return s[:1] },
		func(s Shape) Shape { s[0].Tasks = &nodes.Request{Each: nodes.Vector{1}}; return s },
		func(s Shape) Shape { s[0] = s[1]; return s },
	} {
		d := deskWith(t, "farm", Nodes{Resources: []string{"cores", "gpus"}, Nodes: []nodes.Vector{{4, 4}}}, "pool", Pool{Units: 4})
		do(t, d, Book{Request: asks(Part{On: "farm", Units: 1, Duration: 5, Tasks: task}, Part{On: "pool", Units: 1, Duration: 5})})
		do(t, d, Advance{9})
		k, ok := d.b.booking(1)
		require.True(t, ok)
		whole := len(k.Shapes[0])
		k.Shapes[0] = forge(k.Shapes[0])
		read, err := Read(bytes.NewReader(written(t, d)), Config{})
		if len(k.Shapes[0]) == whole && k.Shapes[0][0].Tasks != nil && len(k.Shapes[0][0].Tasks.Each) == 2 {
			require.NoError(t, err)
			require.Equal(t, int64(5), usedBy(t, read, "", "pool", ticks(0, 9)))
			continue
		}
		require.ErrorIs(t, err, bookahead.ErrInvalid)
	}
}

// A booking with as many past pieces as there may be, which has moved and waits to go on, can be changed. The
// log wrote such a change, and could not apply it.
func TestChangeOfABookingWithAFullPast(t *testing.T) {
	d := deskWith(t, "gpus", Pool{Units: 4})
	do(t, d, Advance{MaxPast})
	k := book(t, d, 0, 0, 0, Part{On: "gpus", Units: 1, Duration: 9})
	rewrite(d, k, func(k *Booking) {
		for i := range MaxPast - 1 {
			at := bookahead.Time(i)
			k.Past = append(k.Past, Piece{Place: Place{On: "gpus", Interval: ticks(at, at+1), Units: 1, Head: -1}, Part: -1})
			k.pastOn = append(k.pastOn, 0)
		}
		d.b.owners.remove(k)
		k.Start = 0
		d.b.owners.add(k)
		d.b.enterEntries(k, 1, k.entries())
	})
	do(t, d, Advance{MaxPast + 1})
	do(t, d, Close{On: "gpus", Interval: ticks(MaxPast+1, MaxPast+5), Units: 4, Force: Anybody})
	require.Equal(t, []any{Booked, MaxPast}, []any{of(t, d, k).State, len(of(t, d, k).Past)})
	var file bytes.Buffer
	l := NewLog(d, &file)
	for _, c := range []Command{Change{ID: k, To: asks(Part{On: "gpus", Units: 2, Duration: 9})}, Cancel{k}} {
		_, err := l.Do(c)
		require.NoError(t, err)
	}
	require.NoError(t, d.Verify())
}
