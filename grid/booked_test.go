package grid

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// Reservations that providers hold already become the Broker's in the order of Config.Booked,
// also running ones; the others stay with their owners.
func TestBookedAtProviders(t *testing.T) {
	first, second := newServers(t, 2), newServers(t, 3)
	running := reserve(t, second, 0, 9, 2)
	others := reserve(t, second, 20, 5, 3)
	later := reserve(t, first, 30, 4, 1)
	c := Config{Origin: 5, Booked: []Place{{1, running.ID}, {0, later.ID}}}
	b := brokerOf(t, c, first, second)
	require.NoError(t, b.Verify())
	require.Equal(t, []bookahead.Reservation{
		{ID: 1, Offer: bookahead.Offer{Interval: span(0, 9), Units: 2, Servers: []int{2, 3}}},
		{ID: 2, Offer: bookahead.Offer{Interval: span(30, 34), Units: 1, Servers: []int{0}}},
	}, booked(b))
	for id, place := range map[bookahead.ID]Place{1: c.Booked[0], 2: c.Booked[1]} {
		at, err := b.Place(id)
		require.NoError(t, err)
		require.Equal(t, place, at)
	}
	_, err := b.ID(Place{1, others.ID})
	require.Equal(t, bookahead.ErrNotFound, err)
	sameBrokers(t, b, reread(t, b))
	require.EqualValues(t, 3, reserve(t, b, 50, 1, 1).ID)
	require.NoError(t, b.Release(2))
	_, err = first.Reservation(later.ID)
	require.Equal(t, bookahead.ErrNotFound, err)
	require.NoError(t, b.Advance(9))
	_, err = b.Reservation(1)
	require.Equal(t, bookahead.ErrNotFound, err)
}

// A place that cannot be the Broker's is refused by its index, and no clock is moved.
func TestBookedAtProvidersIsChecked(t *testing.T) {
	p := newPool(t, 4)
	reserve(t, p, 0, 9, 1)
	reserve(t, p, 0, 5, 1)
	for want, c := range map[string]struct {
		p      bookahead.Schedule
		booked []Place
	}{
		"Config.Booked[1] {1 1} is at none of the 1 providers":                       {p, []Place{{0, 1}, {1, 1}}},
		"Config.Booked[0] {-1 1} is at none of the 1 providers":                      {p, []Place{{-1, 1}}},
		"Config.Booked[0]: bookahead: reservation 1: place {0 7} is not booked":      {p, []Place{{0, 7}}},
		"Config.Booked[1]: bookahead: reservation 2: place {0 1} is also that of re": {p, []Place{{0, 1}, {0, 1}}},
		"Config.Booked[0] {0 2} ends at 5, by the Origin 5":                          {p, []Place{{0, 2}}},
		"Config.Booked[0]: bookahead: providers[0] grid.five is no bookahead.Keeper": {five{p}, []Place{{0, 1}}},
	} {
		_, err := NewBroker(Config{Origin: 5, Booked: c.booked}, c.p)
		require.ErrorIs(t, err, bookahead.ErrInvalid, want)
		require.ErrorContains(t, err, want)
		require.Zero(t, p.Frame().Now)
	}
}
