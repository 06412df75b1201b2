package desk

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

func gpus(units int64) Request {
	return Request{Shapes: []Shape{{{On: "gpus", Units: units, Duration: 5}}}}
}

// Books that disagree with the schedules are refused, whatever the sums say.
func TestBooksThatDisagreeAreRefused(t *testing.T) {
	for want, spoil := range map[string]func(b *books){
		"closures 1 of \"gpus\" are of no outage": func(b *books) { b.outages = nil },
		"reservations 3 are on \"gpus\"": func(b *books) {
			_, err := b.schedules[0].Keeper().Reserve(bookahead.At(50, 1, 1))
			require.NoError(t, err)
		},
		"Booking.Key one is that of another": func(b *books) {
			k, _ := b.booking(2)
			k.Key = "one"
		},
		"horizon 9223372036854775807 is not 30": func(b *books) { b.schedules[0].kind = Pool{8, 30} },
	} {
		d := mustNew(t)
		for _, c := range []Command{
			always[0], Book{Key: "one", Request: gpus(2)}, Book{Request: gpus(3)},
			Close{On: "gpus", Interval: bookahead.Interval{Start: 70, End: 80}, Units: 1},
		} {
			_, err := d.Do(c)
			require.NoError(t, err)
		}
		require.True(t, accepts(t, written(t, d)))
		spoil(&d.b)
		_, err := Read(bytes.NewReader(written(t, d)), keepsNine)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, want)
	}
}

// A snapshot keeps the first request of a key, after a change too.
func TestAKeyOutlivesAChangeAndASnapshot(t *testing.T) {
	d := mustNew(t)
	for _, c := range []Command{always[0], Book{Key: "one", Request: gpus(2)}, Change{ID: 1, To: gpus(3)}} {
		_, err := d.Do(c)
		require.NoError(t, err)
	}
	read, err := Read(bytes.NewReader(written(t, d)), keepsNine)
	require.NoError(t, err)
	out, err := read.Do(Book{Key: "one", Request: gpus(2)})
	require.NoError(t, err)
	require.Equal(t, BookingID(1), out.Booking.ID)
	_, err = read.Do(Book{Key: "one", Request: gpus(3)})
	require.ErrorIs(t, err, ErrKey)
}

// A retry says how long it holds from its own now on, and may have become more or less urgent.
func TestARetryMayHoldLongerAndForceOthers(t *testing.T) {
	d := mustNew(t)
	do(t, d, always[0])
	first := do(t, d, Book{Key: "one", Request: gpus(2), Hold: 5}).Booking
	do(t, d, Advance{1})
	before := written(t, d)
	for _, c := range []Book{{Hold: 6}, {Force: Lower}, {Hold: 1}, {}} {
		c.Key, c.Request = "one", gpus(2)
		out := do(t, d, c)
		require.Equal(t, first, out.Booking)
		require.Empty(t, out.Events)
	}
	require.True(t, bytes.Equal(before, written(t, d)))
	do(t, d, Advance{6})
	out := do(t, d, Book{Key: "one", Request: gpus(2), Hold: 9})
	require.Equal(t, []any{first.ID, Expired}, []any{out.Booking.ID, out.Booking.State})
}

// A key that is used otherwise is told apart from a command that makes no sense.
func TestErrKey(t *testing.T) {
	d := mustNew(t)
	do(t, d, always[0])
	do(t, d, Book{Key: "one", Request: gpus(2)})
	_, err := d.Do(Book{Key: "one", Request: gpus(3)})
	var named *bookahead.InvalidError
	require.ErrorIs(t, err, ErrKey)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.ErrorAs(t, err, &named)
	require.Equal(t, "Book.Key", named.Field)
	_, err = d.Do(Book{Key: "one", Hold: -1, Request: gpus(2)})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.NotErrorIs(t, err, ErrKey)
}

// Of an entry whose second place has no room, the first is not booked either.
func TestReplayUndoesHalfAnEntry(t *testing.T) {
	d := mustNew(t)
	var b bytes.Buffer
	l := NewLog(d, &b)
	_, err := l.Do(always[0])
	require.NoError(t, err)
	want := written(t, d)
	two := Request{Shapes: []Shape{{{On: "gpus", Units: 8, Duration: 5}, {On: "gpus", Units: 8, Duration: 5}}}}
	place := Place{On: "gpus", Interval: bookahead.Interval{Start: 0, End: 5}, Units: 8, Head: -1}
	bad := Entry{2, Book{Request: two}, Decision{Booking: 1, Places: []Place{place, place}}}
	_, err = d.Apply(bad)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.True(t, bytes.Equal(want, written(t, d)))
	frame, err := appendValue(nil, markEntry, bad.append)
	require.NoError(t, err)
	b.Write(frame)
	read := mustNew(t)
	_, err = Replay(&b, read, nil)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.True(t, bytes.Equal(want, written(t, read)))
}
