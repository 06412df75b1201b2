package servers

import (
	"math/rand/v2"
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

func opened(t require.TestingT, booked ...bookahead.Offer) Servers {
	s, err := Open(8, 10, 50, booked)
	require.NoError(t, err)
	return s
}

func listed(s *Servers) []bookahead.Reservation {
	return slices.Collect(s.Reservations(s.Frame().Window()))
}

func TestOpenRefuses(t *testing.T) {
	_, err := Open(Max, 0, 0, nil)
	require.NoError(t, err)
	for _, capacity := range []int64{0, Max + 1} {
		_, err := Open(capacity, 0, 0, nil)
		require.ErrorIs(t, err, bookahead.ErrInvalid, capacity)
		require.ErrorContains(t, err, "capacity")
	}
	for want, bad := range map[string]bookahead.Offer{
		"Config.Booked[1] [14, 15) 1 does not name a server for each unit": {Interval: span(14, 15), Units: 1},
		"Config.Booked[1]: bookahead: Request.Servers 8":                   offer(12, 20, 8),
		"Config.Booked[1] [5, 10) [1] ends by the origin 10":               offer(5, 10, 1),
		"Config.Booked[1] [50, 61) [1] ends beyond the horizon 60":         offer(50, 61, 1),
	} {
		_, err := Open(8, 10, 50, []bookahead.Offer{offer(12, 20, 1), bad})
		require.ErrorIs(t, err, bookahead.ErrInvalid, want)
		require.ErrorContains(t, err, want)
	}
}

// Reservations from the start may come in any order, and may have begun.
func TestOpen(t *testing.T) {
	s := opened(t, offer(12, 20, 7, 4), offer(12, 60, 0), offer(5, 12, 0, 1))
	require.Equal(t, bookahead.Frame{Now: 10, Horizon: 60, Capacity: 8, Servers: 8}, s.Frame())
	require.Equal(t, []bookahead.Reservation{
		{ID: 3, Offer: offer(5, 12, 0, 1)}, {ID: 1, Offer: offer(12, 20, 4, 7)}, {ID: 2, Offer: offer(12, 60, 0)},
	}, listed(&s))
	res, err := s.Reservation(1)
	require.NoError(t, err)
	res.Servers[0] = -1
	listed(&s)[1].Servers[0] = -1
	res, err = s.Reservation(1)
	require.NoError(t, err)
	require.Equal(t, []int{4, 7}, res.Servers, "the slices were the caller's")
	_, err = s.Reservation(4)
	require.Equal(t, bookahead.ErrNotFound, err)
}

// Runs begin now at the earliest, by server, then by time.
func TestRuns(t *testing.T) {
	s := opened(t, offer(12, 20, 7, 4), offer(21, 30, 4), offer(5, 12, 4))
	runs, err := s.Runs(nil, InConfig)
	require.NoError(t, err)
	require.Equal(t, []Run{{span(10, 12), 4, 3}, {span(12, 20), 4, 1}, {span(21, 30), 4, 2}, {span(12, 20), 7, 1}}, runs)

	inTens := func(w bookahead.Interval) bookahead.Interval { return span(w.Start/10*10, (w.End+9)/10*10) }
	_, err = s.Runs(inTens, InConfig)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.EqualError(t, err, "bookahead: Config.Booked[2] [5, 12) is on server 4, which Config.Booked[0] has")
	s = opened(t, offer(12, 20, 7, 4), offer(21, 30, 4), offer(28, 29, 2, 4))
	_, err = s.Runs(nil, InSnapshot)
	require.EqualError(t, err, "bookahead: snapshot: reservation #3 [28, 29) is on server 4, which snapshot: reservation #2 has")
}

// Servers beyond the first 12 bits are in their places.
func TestRunsOfManyServers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var booked []bookahead.Offer
	var want []Run
	for k, server := range rng.Perm(100_000) {
		w := span(bookahead.Time(k%7), bookahead.Time(k%7+3))
		booked = append(booked, bookahead.Offer{Interval: w, Units: 1, Servers: []int{server}})
		want = append(want, Run{w, int32(server), bookahead.ID(k + 1)})
	}
	s, err := Open(Max, 0, 0, booked)
	require.NoError(t, err)
	runs, err := s.Runs(nil, InConfig)
	require.NoError(t, err)
	slices.SortFunc(want, func(a, b Run) int { return int(a.Server - b.Server) })
	require.True(t, slices.Equal(want, runs))
}

func TestClonesAreApart(t *testing.T) {
	s := opened(t, offer(11, 19, 2))
	c := s.Clone()
	c.Booked.Remove(1, 10)
	require.Equal(t, bookahead.ID(2), c.Booked.Add(Booking{span(11, 15), []int32{3}}, 10))
	require.NoError(t, c.Advance(14))
	require.Equal(t, bookahead.Time(10), s.Now)
	require.Equal(t, []bookahead.Reservation{{ID: 1, Offer: offer(11, 19, 2)}}, listed(&s))
}
