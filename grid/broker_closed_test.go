package grid

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// extend adds units, or servers.
func extend(t require.TestingT, c bookahead.Closable, start, end bookahead.Time, units int64) {
	_, err := c.Extend(bookahead.Closure{Interval: span(start, end), Units: units})
	require.NoError(t, err)
}

// A provider is closed, and a pool is extended, at the provider itself. The Broker searches around that.
func TestABrokerSeesClosuresOfItsProviders(t *testing.T) {
	for name, p := range policies {
		one, two := newPool(t, 3), newPool(t, 4)
		b := brokerOf(t, Config{Policy: p}, bookahead.Locked(one), two)
		for pool, units := range map[bookahead.Closable]int64{one: 3, two: 4} {
			_, err := pool.Close(bookahead.Closure{Interval: span(0, 5), Units: units})
			require.NoError(t, err)
		}
		require.Equal(t, bookahead.Frame{Horizon: bookahead.MaxTime}, b.Frame(), name)
		o, err := b.Search(bookahead.Request{Duration: 2, Units: 4})
		require.NoError(t, err)
		require.EqualValues(t, 5, o.Start, name)
		_, err = b.Search(bookahead.Request{Duration: 2, Units: 5})
		require.Equal(t, bookahead.ErrUnavailable, err)
		extend(t, one, 10, 20, 6)
		o, err = b.Search(bookahead.Request{Duration: 2, Units: 9})
		require.NoError(t, err)
		require.EqualValues(t, 10, o.Start, name)
		require.NoError(t, b.Verify())
		reread(t, b)
	}
}

// A reservation that a closure of its provider leaves overbooked stays. If it is booked anew, it lies at another
// provider.
func TestAnOverbookedReservationIsBookedAnew(t *testing.T) {
	one, two := newPool(t, 3), newPool(t, 3)
	b := brokerOf(t, Config{}, one, two)
	res := reserve(t, b, 4, 8, 2)
	_, err := one.Close(bookahead.Closure{Interval: span(6, 20), Units: 3})
	require.NoError(t, err)
	require.NoError(t, b.Verify())
	require.NoError(t, b.Release(res.ID))
	moved := reserve(t, b, 4, 8, 2)
	require.Equal(t, res.Offer, moved.Offer)
	at, err := b.Place(moved.ID)
	require.NoError(t, err)
	require.Equal(t, 1, at.Provider)
	require.EqualValues(t, 3, freeIn(t, one, 4, 6))
	require.NoError(t, b.Verify())
}

// Servers that are added to a provider have no number at the Broker, which says so.
func TestNoServersAreAddedToAProvider(t *testing.T) {
	tree := newServers(t, 1)
	b := brokerOf(t, Config{}, tree)
	reserve(t, b, 0, 5, 1)
	extend(t, tree, 0, 20, 1)
	const want = "providers[0]: servers 2 is not the number of servers with numbers, 1: no servers can be added to a provider"
	_, err := b.Search(bookahead.Request{Deadline: 4, Duration: 4, Units: 1})
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.ErrorContains(t, err, want)
	_, err = b.RangeQuery(span(0, 4))
	require.ErrorContains(t, err, want)
	_, err = b.Rebook(1, bookahead.Request{Deadline: 5, Duration: 5, Units: 2})
	require.ErrorContains(t, err, want)
	_, err = b.MarshalBinary()
	require.ErrorContains(t, err, want)
	require.ErrorContains(t, b.Verify(), want)
	_, err = b.Search(bookahead.Request{Deadline: 9, Duration: 4, Units: 1, Servers: []int{0}})
	require.NoError(t, err, "no other is needed")
}

// Brokers once passed closures on to their providers, and wrote them as another kind of snapshot.
func TestABrokerWithClosuresIsRefusedByName(t *testing.T) {
	w := snapshot.Begin("grid.Broker with closures")
	data, err := w.End()
	require.NoError(t, err)
	b := brokerOf(t, Config{}, newPool(t, 3))
	err = b.UnmarshalBinary(data)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.ErrorContains(t, err, `kind, before byte 0, "grid.Broker with closures" is not "grid.Broker"`)
}
