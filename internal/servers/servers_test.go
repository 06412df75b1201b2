package servers

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

func span(start, end bookahead.Time) bookahead.Interval {
	return bookahead.Interval{Start: start, End: end}
}

func offer(start, end bookahead.Time, list ...int) bookahead.Offer {
	return bookahead.Offer{Interval: span(start, end), Units: int64(len(list)), Servers: list}
}

func TestNewRefuses(t *testing.T) {
	_, err := New(Max, 0, 0)
	require.NoError(t, err)
	for _, capacity := range []int64{0, Max + 1} {
		_, err := New(capacity, 0, 0)
		require.ErrorIs(t, err, bookahead.ErrInvalid, capacity)
		require.ErrorContains(t, err, "capacity")
	}
}

// A reservation is remembered with all its servers, in a slice of its own, until
// it ends or is struck out.
func TestEnterAndStrike(t *testing.T) {
	s, err := New(8, 10, 50)
	require.NoError(t, err)
	o := offer(12, 20, 1, 4, 7)
	res := s.Enter(o)
	require.Equal(t, bookahead.Reservation{ID: 1, Offer: o}, res)
	require.Equal(t, bookahead.ID(2), s.Enter(offer(12, 13, 0)).ID)
	o.Servers[0] = 6
	listed := slices.Collect(s.Reservations())
	require.Equal(t, []bookahead.Reservation{{ID: 1, Offer: offer(12, 20, 1, 4, 7)}, {ID: 2, Offer: offer(12, 13, 0)}}, listed)
	listed[0].Servers[0] = -1
	for first := range s.Reservations() {
		require.Equal(t, []int{1, 4, 7}, first.Servers, "the slice of the list was the caller's")
		break
	}

	require.NoError(t, s.Advance(13))
	_, err = s.Strike(2)
	require.Equal(t, bookahead.ErrNotFound, err, "it has ended")
	b, err := s.Strike(1)
	require.NoError(t, err)
	require.Equal(t, Booking{span(12, 20), []int32{1, 4, 7}}, b)
	_, err = s.Strike(1)
	require.Equal(t, bookahead.ErrNotFound, err)
	require.Empty(t, slices.Collect(s.Reservations()))
}

func TestClonesAreApart(t *testing.T) {
	s, err := New(8, 0, 50)
	require.NoError(t, err)
	s.Enter(offer(1, 9, 2))
	c := s.Clone()
	_, err = c.Strike(1)
	require.NoError(t, err)
	require.Equal(t, bookahead.ID(2), c.Enter(offer(1, 5, 3)).ID)
	require.NoError(t, c.Advance(4))
	require.Equal(t, bookahead.Time(0), s.Now)
	require.Equal(t, []bookahead.Reservation{{ID: 1, Offer: offer(1, 9, 2)}}, slices.Collect(s.Reservations()))
}

func TestAnswers(t *testing.T) {
	r := bookahead.Request{Duration: 5, Units: 3}
	require.Equal(t, offer(7, 12, 1, 4, 6), OfferAt(7, r, []int{6, 1, 4}))
	require.Equal(t, bookahead.Availability{Free: 2, Servers: []int{3, 5}}, Available([]int{3, 5}))
	require.NotNil(t, Available(nil).Servers, "nil would say that it knows no servers")
	s, err := New(4, 10, 20)
	require.NoError(t, err)
	r.Servers = []int{3, 0, 1}
	first, last, err := s.Starts(r)
	require.NoError(t, err)
	require.Equal(t, [2]bookahead.Time{10, 25}, [2]bookahead.Time{first, last})
	r.Servers[0] = 4
	_, _, err = s.Starts(r)
	require.ErrorContains(t, err, "Request.Servers 4 is not below the capacity 4")
}
