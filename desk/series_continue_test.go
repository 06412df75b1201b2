package desk

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// TestAContinueIsCarriedOutOnce: a caller who got no answer sends it again, and learns that it was carried out. A
// cancelled series does not come alive again, even while the desk keeps it.
func TestAContinueIsCarriedOutOnce(t *testing.T) {
	d := deskWith(t, "room", Pool{Units: 2})
	do(t, d, BookSeries{Request: theRoom("eve"), At: weekly(1, 2, 2), Needs: 15})
	do(t, d, BookSeries{Request: theRoom("bob"), At: weekly(1, 2, 2)})
	first := Continue{ID: 1, Needed: 15, At: weekly(15, 2, 2), Needs: 29}
	refuse := func(text string, list ...Command) {
		before := written(t, d)
		for _, c := range list {
			_, err := d.Do(c)
			require.ErrorIs(t, err, ErrNeeded)
			require.ErrorIs(t, err, bookahead.ErrInvalid)
			require.NotErrorIs(t, err, ErrKey)
			require.ErrorContains(t, err, text)
			require.Equal(t, before, written(t, d))
		}
	}
	last := Continue{ID: 1, Needed: 29, At: weekly(29, 2, 2)}
	e, err := d.Decide(first)
	require.NoError(t, err)
	refuse("is not 15, at which series 1 needs more", last)
	require.Equal(t, []BookingID{5, 6}, do(t, d, first).Occurrences)
	refuse("is not 29, at which series 1 needs more", first, &first, Batch{[]Command{Advance{1}, first}})
	e.Number++
	before := written(t, d)
	_, err = d.Apply(e)
	require.ErrorContains(t, err, "Continue.Needed 15 is not 29")
	require.Equal(t, before, written(t, d))

	do(t, d, Advance{30})
	refuse("is not 29", first) // its windows are over by now
	last.At = weekly(36, 2, 2)
	do(t, d, last)
	refuse("series 1 needs no more", first, last)
	refuse("series 2 needs no more", Continue{ID: 2, Needed: 15, At: weekly(36, 1, 2)})
	do(t, d, BookSeries{Request: theRoom("eve"), At: weekly(36, 2, 2), Needs: 50})
	do(t, d, CancelSeries{ID: 3, From: 40})
	refuse("series 3 needs no more", Continue{ID: 3, Needed: 50, At: weekly(50, 1, 2)})
}

// TestAWindowThatHasBegun: a place there lies from now on, and if there is none the window is refused as any other.
func TestAWindowThatHasBegun(t *testing.T) {
	d := deskWith(t, "room", Pool{Units: 1})
	do(t, d, Advance{10})
	c := BookSeries{Request: asks(Part{On: "room", Units: 1, Duration: 3}), At: Occurrences{ticks(0, 10), ticks(4, 12), ticks(6, 14), ticks(20, 24)}}
	_, err := d.Do(c)
	var refused *OccurrenceError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, OccurrenceError{"BookSeries.At", 0, ticks(0, 10)}, *refused)
	c.Partly, c.Needs = true, 30
	out := do(t, d, c)
	require.Equal(t, []BookingID{0, 0, 1, 2}, out.Occurrences)
	require.Equal(t, []bookahead.Interval{ticks(0, 10), ticks(4, 12)}, out.Refused)
	k, err := d.Booking(1)
	require.NoError(t, err)
	require.Equal(t, ticks(10, 13), k.Interval)
	require.Equal(t, Running, k.State)
	require.Equal(t, bookahead.Time(6), k.Ready)
	out = do(t, d, Continue{ID: 1, Needed: 30, At: Occurrences{ticks(3, 9), ticks(9, 17)}, Partly: true})
	require.Equal(t, []BookingID{0, 3}, out.Occurrences)

	// The whole of a window that has begun is gone, but with a shift it comes later.
	whole := BookSeries{Request: theRoom("eve"), At: Occurrences{ticks(8, 11), ticks(12, 15)}}
	_, err = d.Do(whole)
	require.ErrorAs(t, err, &refused)
	whole.Shift = 9
	_, err = d.Do(whole)
	require.ErrorAs(t, err, &refused)
	require.Equal(t, OccurrenceError{"BookSeries.At", 1, ticks(20, 23)}, *refused)
	whole.Shift = 30
	s, err := d.Series(do(t, d, whole).Series)
	require.NoError(t, err)
	require.Equal(t, bookahead.Duration(15), s.Shift)
	read, err := Read(bytes.NewReader(written(t, d)), Config{})
	require.NoError(t, err)
	require.NoError(t, read.Verify())
}

// TestARefusalNamesItsWindow: a service shows it in clock times.
func TestARefusalNamesItsWindow(t *testing.T) {
	d := deskWith(t, "room", Pool{Units: 1})
	do(t, d, Book{Request: at(8, "room", 1, 3)})
	c := BookSeries{Request: theRoom("eve"), At: weekly(1, 3, 2)}
	for _, one := range []Command{c, Batch{[]Command{Advance{1}, c}}} {
		_, err := d.Do(one)
		var refused *OccurrenceError
		require.ErrorAs(t, err, &refused)
		require.Equal(t, OccurrenceError{"BookSeries.At", 1, ticks(8, 10)}, *refused)
		require.ErrorIs(t, err, bookahead.ErrUnavailable)
		require.ErrorContains(t, err, "BookSeries.At[1] [8, 10) has no place: bookahead: no capacity for the request")
	}
}

// An Advance tells in the order of time which series and which schedules need more, and of one tick the series first.
func TestNeedsAreToldInOrder(t *testing.T) {
	d := deskWith(t, "room", Pool{Units: 1}, "hall", Pool{Units: 1})
	do(t, d, BookSeries{Request: theRoom("eve"), At: weekly(20, 1, 2), Needs: 5})
	do(t, d, BookSeries{Request: theRoom("bob"), At: weekly(30, 1, 2), Needs: 3})
	do(t, d, SetTerms{On: "room", Terms: Terms{Needs: 3}})
	do(t, d, SetTerms{On: "hall", Terms: Terms{Needs: 4}})
	var told []string
	for _, e := range do(t, d, Advance{9}).Events {
		told = append(told, fmt.Sprintf("%d %s%s", e.At, e.Owner, e.Schedule))
	}
	require.Equal(t, []string{"3 bob", "3 room", "4 hall", "5 eve", "9 "}, told)
}
