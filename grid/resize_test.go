package grid

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

func span(start, end bookahead.Time) bookahead.Interval {
	return bookahead.Interval{Start: start, End: end}
}

// A reservation is resized where it lies, whatever is free elsewhere, and ends then.
func TestResizeAtABroker(t *testing.T) {
	b, err := NewBroker(Config{Policy: Priority}, newPool(t, 2), bookahead.Locked(newPool(t, 5)))
	require.NoError(t, err)
	for _, units := range []int64{2, 5} { // one at each
		_, err := b.Reserve(bookahead.Request{Deadline: 5, Duration: 5, Units: units})
		require.NoError(t, err)
	}
	for id, want := range map[bookahead.ID]bookahead.Time{1: 3, 2: 9} {
		res, err := b.Resize(id, span(0, want), 1)
		require.NoError(t, err)
		require.Equal(t, bookahead.Reservation{ID: id, Offer: bookahead.Offer{Interval: span(0, want), Units: 1}}, res)
	}
	require.NoError(t, b.Verify())
	_, err = b.Resize(1, span(0, 3), 3)
	require.Equal(t, bookahead.ErrUnavailable, err, "it is at the small one")
	_, err = b.Resize(1, span(0, 3), 6)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	_, err = b.Resize(3, span(0, 3), 1)
	require.Equal(t, bookahead.ErrNotFound, err)
	require.NoError(t, b.Advance(3))
	_, err = b.Place(1)
	require.Equal(t, bookahead.ErrNotFound, err, "it has ended")
	require.NoError(t, b.Advance(8))
	_, err = b.Place(2)
	require.NoError(t, err)
	require.NoError(t, b.Verify())
}

// The partition counts for what is still to come; what others have released is
// forgotten; and who cannot resize says so.
func TestResizeIsRefused(t *testing.T) {
	p := newPool(t, 2)
	b, err := NewBroker(Config{Partition: ByDuration(5)}, p)
	require.NoError(t, err)
	_, err = b.Reserve(bookahead.Request{Duration: 5, Units: 1})
	require.NoError(t, err)
	_, err = b.Resize(1, span(0, 6), 1)
	require.Equal(t, bookahead.ErrUnavailable, err)
	require.NoError(t, b.Advance(1))
	_, err = b.Resize(1, span(0, 6), 1)
	require.NoError(t, err)
	require.NoError(t, p.Release(1))
	_, err = b.Resize(1, span(0, 5), 1)
	require.Equal(t, bookahead.ErrNotFound, err)
	require.NoError(t, b.Verify())

	d, err := NewDesk(struct{ bookahead.Schedule }{newPool(t, 2)}, 0)
	require.NoError(t, err)
	b, err = NewBroker(Config{}, d)
	require.NoError(t, err)
	_, err = b.Reserve(bookahead.Request{Duration: 5, Units: 1})
	require.NoError(t, err)
	for _, s := range []bookahead.Resizer{d, b} {
		_, err = s.Resize(1, span(0, 3), 1)
		require.EqualError(t, err, "bookahead: schedule struct { bookahead.Schedule } cannot resize")
	}
	require.NoError(t, b.Verify())
}

// A hold may be resized, and expires when it would have.
func TestResizeOfAHold(t *testing.T) {
	d := newDesk(t, 2)
	_, err := d.Hold(bookahead.Request{Ready: 10, Duration: 5, Units: 1}, 7)
	require.NoError(t, err)
	res, err := d.Resize(1, span(20, 30), 2)
	require.NoError(t, err)
	require.Equal(t, []bookahead.Reservation{res}, slices.Collect(d.Reservations()))
	require.Zero(t, freeIn(t, d, 20, 30))
	require.NoError(t, d.Advance(7))
	require.EqualValues(t, 2, freeIn(t, d, 20, 30))
}
