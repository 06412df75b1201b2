package carts

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

func offer(start, end bookahead.Time, servers ...int) bookahead.Offer {
	return bookahead.Offer{Interval: bookahead.Interval{Start: start, End: end}, Units: int64(len(servers)), Servers: servers}
}

// §3.2: "there are not m the same processors available in subsequent slots": one
// server is free at every tick, and none throughout. The number does not see it.
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
		"Config.Booked[1] [4, 9) [2] lies before":                        offer(4, 9, 2),
		"Config.Booked[1] [3, 4) [1] starts before the one in front":     offer(3, 4, 1),
		"Config.Booked[1] [60, 90) [1] lies before":                      offer(60, 90, 1),
		"Config.Booked[1]: bookahead: Request.Servers 3":                 offer(4, 9, 3),
	} {
		_, err := NewSR(3, Config{Horizon: 80, Booked: []bookahead.Offer{offer(4, 9, 2), bad}})
		require.ErrorIs(t, err, bookahead.ErrInvalid, want)
		require.ErrorContains(t, err, want)
	}
	_, err := NewSR(0, Config{})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
}
