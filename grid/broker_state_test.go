package grid

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
)

// A clock that could not be moved lags, and is not taken for a fault.
func TestAClockThatLagsIsRead(t *testing.T) {
	for _, lags := range []int{0, 1} {
		b, err := NewBroker(Config{}, newPool(t, 2), newPool(t, 2))
		require.NoError(t, err)
		_, err = b.Reserve(bookahead.Request{Duration: 5, Units: 1})
		require.NoError(t, err)
		require.NoError(t, b.Provider(1-lags).Advance(7))
		b.limits.Now = 7 // as after an Advance of which the provider said that it failed
		for {
			e, ok := b.ends.Min()
			if !ok {
				break
			}
			b.drop(e.id)
		}
		for starts := range b.Openings(bookahead.Request{Deadline: 20, Duration: 5, Units: 2}) {
			require.Equal(t, span(7, 16), starts, "none in the past")
		}
		read := reread(t, b)
		sameBrokers(t, b, read)
		require.NoError(t, read.Advance(8))
	}
	near, err := carts.NewIndexed(1, carts.Config{Horizon: 5})
	require.NoError(t, err)
	b, err := NewBroker(Config{}, near)
	require.NoError(t, err)
	b.limits.Now = 7
	require.Equal(t, bookahead.Frame{Now: 7, Horizon: 7, Capacity: 1}, b.Frame())
}

// Frame bounds RangeQuery: it has the capacity of the provider with the most, and the horizon of
// the provider that reaches farthest.
func TestFrameOfABroker(t *testing.T) {
	near, err := carts.NewIndexed(100, carts.Config{Horizon: 10})
	require.NoError(t, err)
	far, err := carts.NewIndexed(1, carts.Config{Horizon: 50})
	require.NoError(t, err)
	b, err := NewBroker(Config{Origin: 3}, near, far)
	require.NoError(t, err)
	require.Equal(t, bookahead.Frame{Now: 3, Horizon: 53, Capacity: 100}, b.Frame())
	b, err = NewBroker(Config{Origin: 3}, near, bookahead.Locked(far)) // which hides nothing
	require.NoError(t, err)
	require.Equal(t, bookahead.Frame{Now: 3, Horizon: 53, Capacity: 100}, b.Frame())
	b, err = NewBroker(Config{}, newServers(t, 3), bookahead.Locked(newServers(t, 2)))
	require.NoError(t, err)
	require.Equal(t, bookahead.Frame{Horizon: bookahead.MaxTime, Capacity: 3, Servers: 5}, b.Frame())
}

// The slices that Reservations yields are the caller's, with the Broker's numbers; reservations
// of others are not listed.
func TestReservationsOfABroker(t *testing.T) {
	b, err := NewBroker(Config{Policy: Priority}, newServers(t, 2), newServers(t, 3))
	require.NoError(t, err)
	_, err = b.Provider(1).Reserve(bookahead.Request{Duration: 5, Units: 1})
	require.NoError(t, err)
	var want []bookahead.Reservation
	for _, units := range []int64{2, 2} {
		res, err := b.Reserve(bookahead.Request{Deadline: 5, Duration: 5, Units: units})
		require.NoError(t, err)
		want = append(want, res)
	}
	require.Equal(t, []int{3, 4}, want[1].Servers)
	for range 2 {
		got := booked(b)
		require.Equal(t, want, got)
		got[1].Servers[0] = 9
	}
	for range b.Reservations(ahead(b)) {
		break
	}
}

// Verify finds each fault.
func TestVerifyOfABroker(t *testing.T) {
	for want, spoil := range map[string]func(b *Broker){
		"#2 of 2 lies at {0 1}, where #1 is": func(b *Broker) {
			b.last = 2
			b.enter(2, b.booked[1])
		},
		"2 ends for 1 reservations":            func(b *Broker) { b.ends.ReplaceOrInsert(event{9, 2}) },
		"which is known: false":                func(b *Broker) { b.ends.Delete(event{5, 1}) },
		"at 0, #1 of 0":                        func(b *Broker) { b.last = 0 },
		"at 5, #1 of 1":                        func(b *Broker) { b.limits.Now = 5 },
		"provider 0 has 1 reservations, not 2": func(b *Broker) { b.providers[0].live = 2 },
		"provider 0: grid: ": func(b *Broker) {
			b.Provider(0).(*Binder).waiting.ReplaceOrInsert(event{9, 9})
		},
		"reservation 1: place {0 1} is not booked": func(b *Broker) { _ = b.Provider(0).Release(1) },
	} {
		b, err := NewBroker(Config{}, newBinder(t, 2))
		require.NoError(t, err)
		_, err = b.Reserve(bookahead.Request{Duration: 5, Units: 1})
		require.NoError(t, err)
		require.NoError(t, b.Verify())
		spoil(b)
		require.ErrorContains(t, b.Verify(), want)
	}
}

// In a hierarchy each server has a number of its own, and is booked once.
func TestServersOfAHierarchy(t *testing.T) {
	below, err := NewBroker(Config{}, newServers(t, 3), newServers(t, 2))
	require.NoError(t, err)
	b, err := NewBroker(Config{Policy: Random(1)}, bookahead.Locked(below), newServers(t, 3))
	require.NoError(t, err)
	require.Equal(t, 5, b.providers[1].first)
	at := func(units int64, servers ...int) bookahead.Request {
		return bookahead.Request{Deadline: 5, Duration: 5, Units: units, Servers: servers}
	}
	res, err := b.Reserve(at(2, 3, 4, 5))
	require.NoError(t, err)
	require.Equal(t, []int{3, 4}, res.Servers)
	taken := []int{3, 4}
	b = reread(t, b)
	for range 6 {
		res, err := b.Reserve(at(1))
		require.NoError(t, err)
		taken = append(taken, res.Servers...)
	}
	slices.Sort(taken)
	require.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7}, taken)
	_, err = b.Reserve(at(1, 8))
	require.ErrorIs(t, err, bookahead.ErrInvalid)
}
