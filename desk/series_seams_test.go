package desk

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// A series that runs out of booking IDs is refused as a whole. It gave IDs without room for a part in the calendars.
func TestASeriesBeyondTheLastID(t *testing.T) {
	d := deskWith(t, "room", Pool{Units: 1})
	must(t, d, BookSeries{Request: theRoom("eve"), At: weekly(1, 2, 2), Needs: 30})
	d.b.last = maxBookings - 2
	before := written(t, d)
	d, err := Read(bytes.NewReader(before), Config{})
	require.NoError(t, err)
	for _, c := range []Command{
		BookSeries{Request: theRoom("eve"), At: weekly(40, 3, 2)}, Continue{ID: 1, Needed: 30, At: weekly(40, 3, 2)},
		BookSeries{Request: theRoom("eve"), At: weekly(40, 3, 2), Partly: true},
		Batch{[]Command{BookSeries{Request: theRoom("eve"), At: weekly(40, 3, 2)}}},
	} {
		_, err := d.Do(c)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, "Booking.ID")
		require.Equal(t, before, written(t, d))
	}
	e, err := d.Decide(BookSeries{Request: theRoom("eve"), At: weekly(40, 2, 2)})
	require.NoError(t, err)
	forged := e
	forged.Command = BookSeries{Request: theRoom("eve"), At: weekly(40, 3, 2)}
	forged.Decision.Batch = append(slices.Clone(e.Decision.Batch), Decision{Booking: maxBookings + 1, Places: []Place{{On: "room", Interval: weekly(40, 3, 2)[2], Units: 1, Head: -1}}})
	_, err = d.Apply(forged)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.Equal(t, before, written(t, d))
	_, err = d.Apply(e)
	require.NoError(t, err)
	require.Equal(t, BookingID(maxBookings), d.b.last)
	read, err := Read(bytes.NewReader(written(t, d)), Config{})
	require.NoError(t, err)
	require.NoError(t, read.Verify())
}

// The occurrences of a series come to lie on the schedules of a broker as bookings that are made one by one: each sees how
// many live ones there are, also in windows that do not meet.
func TestASeriesSharesABroker(t *testing.T) {
	for _, policy := range []string{"shortest-queue", "least-loaded", "first"} {
		d := deskWith(t, "p", Pool{Units: 1}, "q", Pool{Units: 1}, "any", Broker{Of: []string{"p", "q"}, Policy: policy})
		must(t, d, Book{Request: at(100, "p", 1, 3)})
		c := BookSeries{Request: asks(Part{On: "any", Units: 1}), At: weekly(1, 5, 2)}
		var one Batch
		for _, w := range c.At {
			one.Commands = append(one.Commands, Book{Request: at(w.Start, "any", 1, 2)})
		}
		other := d.Clone()
		out, err := other.Do(one)
		require.NoError(t, err)
		must(t, d, c)
		for _, x := range out.Batch {
			k, err := d.Booking(x.Booking.ID)
			require.NoError(t, err)
			require.Equal(t, x.Booking.Places, k.Places, policy)
		}
	}
}

// Windows that do not meet are in each other's way by a quota, and by buffers that reach from one into the other.
func TestWindowsThatDoNotMeet(t *testing.T) {
	for name, x := range map[string]struct {
		rule Command
		at   Occurrences
	}{
		"quota":   {SetQuota{Name: "month", Quota: Quota{Ticks: 4, Every: 100}}, weekly(1, 3, 2)},
		"buffers": {SetTerms{On: "room", Terms: Terms{After: 1}}, Occurrences{ticks(1, 3), ticks(5, 7), ticks(7, 9)}},
	} {
		d := deskWith(t, "room", Pool{Units: 1})
		must(t, d, x.rule)
		_, err := d.Do(BookSeries{Request: theRoom("eve"), At: x.at})
		require.ErrorIs(t, err, bookahead.ErrUnavailable, name)
		out, err := d.Do(BookSeries{Request: theRoom("eve"), At: x.at, Partly: true})
		require.NoError(t, err, name)
		require.Equal(t, []bookahead.Interval(x.at[2:]), []bookahead.Interval(out.Refused), name)
		require.NoError(t, d.Verify())
	}
}

// The servers of an occurrence are those that its booking alone would get: the tightest or longest idle period may have been
// cut short by an occurrence of another window. Here booking 0 leaves server 0 idle from 0 to 10, and from 30 on:
//
//	          0    10   20   30   40
//	server 0                ██████
//	server 1
//	windows     ──             ────        the first cuts the idle period of a server short
func TestASeriesChoosesServersAsBookings(t *testing.T) {
	for _, prefer := range []string{"", "best", "worst", "lowest"} {
		d := deskWith(t, "lab", Servers{Count: 3, Prefer: prefer}, "any", Broker{Of: []string{"lab"}})
		must(t, d, Book{Request: at(30, "lab", 1, 6)})
		for _, on := range []string{"lab", "any"} {
			c := BookSeries{Request: asks(Part{On: on, Units: 1}), At: Occurrences{ticks(2, 4), ticks(12, 14), ticks(22, 24), ticks(40, 44), ticks(60, 62)}}
			var one Batch
			for _, w := range c.At {
				one.Commands = append(one.Commands, Book{Request: at(w.Start, on, 1, bookahead.Duration(w.End-w.Start))})
			}
			other := d.Clone()
			want, err := other.Do(one)
			require.NoError(t, err)
			out := do(t, d, c)
			for i, x := range want.Batch {
				k, err := d.Booking(out.Occurrences[i])
				require.NoError(t, err)
				require.Equal(t, x.Booking.Places, k.Places, "%s: window %d", prefer, i)
			}
		}
	}
}
