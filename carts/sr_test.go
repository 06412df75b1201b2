package carts

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

func offer(start, end bookahead.Time, servers ...int) bookahead.Offer {
	return bookahead.Offer{Interval: bookahead.Interval{Start: start, End: end}, Units: int64(len(servers)), Servers: servers}
}

// §3.2: "there are not m the same processors available in subsequent slots": one server is free
// at every tick, and none throughout. The number of free servers does not show this.
func TestSetsDecide(t *testing.T) {
	booked := []bookahead.Offer{offer(0, 10, 0), offer(10, 20, 1)}
	sr, err := NewSR(2, Config{Booked: booked})
	require.NoError(t, err)
	long := bookahead.Request{Duration: 15, Units: 1}
	o, err := sr.Search(long)
	require.NoError(t, err)
	require.Equal(t, offer(10, 25, 0), o)
	long.Deadline = 20
	_, err = sr.Search(long)
	require.ErrorIs(t, err, bookahead.ErrUnavailable)

	number, err := NewFlat(2, Config{Booked: []bookahead.Offer{
		{Interval: booked[0].Interval, Units: 1}, {Interval: booked[1].Interval, Units: 1},
	}})
	require.NoError(t, err)
	_, err = number.Search(long)
	require.NoError(t, err)
}

// §3.5: a slot ends where the set changes, even if as many are free as before.
func TestSlotWhereTheSetChanges(t *testing.T) {
	sr, err := NewSR(3, Config{Booked: []bookahead.Offer{offer(0, 10, 0), offer(10, 20, 1), offer(20, 30, 1)}})
	require.NoError(t, err)
	var got []bookahead.Offer
	for b := range sr.Blocks(bookahead.Interval{Start: 0, End: 40}) {
		got = append(got, bookahead.Offer(b))
	}
	require.Equal(t, []bookahead.Offer{offer(0, 10, 1, 2), offer(10, 30, 0, 2), offer(30, 40, 0, 1, 2)}, got)
}

func TestSRBookedFromTheStart(t *testing.T) {
	for want, bad := range map[string]bookahead.Offer{
		"Config.Booked[1] [4, 5) 1 does not name a server for each unit": {Interval: bookahead.Interval{Start: 4, End: 5}, Units: 1},
		"Config.Booked[1] 2 is a server that is booked at 6 already":     offer(6, 11, 1, 2),
		"Config.Booked[1] [60, 90) [1] ends beyond the horizon 80":       offer(60, 90, 1),
		"Config.Booked[1]: bookahead: Request.Servers 3":                 offer(4, 9, 3),
	} {
		_, err := NewSR(3, Config{Horizon: 80, Booked: []bookahead.Offer{offer(4, 9, 2), bad}})
		require.ErrorIs(t, err, bookahead.ErrInvalid, want)
		require.ErrorContains(t, err, want)
	}
	_, err := NewSR(0, Config{})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
}

// An SR built from existing reservations, in any order, has the slots that booking them one by
// one gives.
func TestSRBuiltIsSRBooked(t *testing.T) {
	one, err := NewSR(8, Config{Horizon: 2000})
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, 2))
	var booked []bookahead.Offer
	for range 60 {
		r := bookahead.Request{Ready: bookahead.Time(rng.IntN(300)), Duration: bookahead.Duration(1 + rng.IntN(40)), Units: 1 + rng.Int64N(6)}
		res, err := one.Reserve(r)
		require.NoError(t, err)
		booked = append(booked, res.Offer)
	}
	built, err := NewSR(8, Config{Horizon: 2000, Booked: booked})
	require.NoError(t, err)
	require.NoError(t, built.Verify())
	require.Equal(t, one.sets(), built.sets())
	for id := range booked {
		require.NoError(t, built.Release(bookahead.ID(id+1)))
	}
	require.Len(t, built.sets().start, 1)
}
