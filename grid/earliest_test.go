package grid

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
)

// A part on a Broker starts as early as any provider lets it, whatever the policy
// would rather have.
func TestPartsOnABrokerStartFirst(t *testing.T) {
	for name, policy := range map[string]Policy{
		"MCT": MCT, "priority": Priority, "shortest queue": ShortestQueue, "least loaded": LeastLoaded, "random": Random(3),
	} {
		busy, idle, other := newPool(t, 1), newPool(t, 1), newPool(t, 1)
		for _, b := range []struct {
			s          bookahead.Schedule
			start, end bookahead.Time
		}{{busy, 0, 1000}, {other, 500, 100_000}} {
			_, err := b.s.Reserve(bookahead.Request{Ready: b.start, Duration: bookahead.Duration(b.end - b.start), Units: 1})
			require.NoError(t, err)
		}
		b, err := NewBroker(Config{Policy: policy}, busy, idle)
		require.NoError(t, err)
		for _, on := range []Member{b, bookahead.Locked(b)} {
			a, err := CoAllocate(Job{Deadline: 400, Parts: []Part{{On: on, Duration: 10, Units: 1}, {On: other, Duration: 10, Units: 1}}})
			require.NoError(t, err, name)
			require.Zero(t, a.Start, name)
			require.NoError(t, a.Release())
		}
	}
}

// Time beyond the near horizon of a provider is not free there.
func TestRangeQueryKnowsHorizons(t *testing.T) {
	near, err := carts.NewIndexed(100, carts.Config{Horizon: 10})
	require.NoError(t, err)
	far, err := carts.NewIndexed(1, carts.Config{Horizon: 100})
	require.NoError(t, err)
	b, err := NewBroker(Config{}, near, far)
	require.NoError(t, err)
	for end, want := range map[bookahead.Time]int64{10: 100, 11: 1, 50: 1, 100: 1, 500: 1} {
		a, err := b.RangeQuery(bookahead.Interval{Start: 0, End: end})
		require.NoError(t, err)
		require.Equal(t, want, a.Free, end)
		r := bookahead.Request{Deadline: min(end, 100), Duration: bookahead.Duration(min(end, 100)), Units: want + 1}
		_, err = b.Search(r)
		require.Error(t, err)
		r.Units--
		_, err = b.Search(r)
		require.NoError(t, err)
	}
}

// Where one provider has a horizon and another has none, time has no end for the Broker; and
// a clock that the one with a horizon cannot follow is not moved at any, in either order.
func TestAdvanceWithHorizonsThatDiffer(t *testing.T) {
	for _, order := range [][2]int{{0, 1}, {1, 0}} {
		near, err := carts.NewIndexed(4, carts.Config{Horizon: 100})
		require.NoError(t, err)
		providers := []bookahead.Keeper{near, newPool(t, 2)}
		b := brokerOf(t, Config{Origin: 5}, providers[order[0]], providers[order[1]])
		require.Equal(t, bookahead.Frame{Now: 5, Horizon: bookahead.MaxTime, Capacity: 4}, b.Frame())
		reserve(t, b, 500, 10, 2)
		_, err = b.Search(bookahead.At(500, 10, 3))
		require.Equal(t, bookahead.ErrUnavailable, err)
		err = b.Advance(bookahead.MaxTime - 99)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, "plus the horizon 100 of provider")
		for _, k := range append(providers, b) {
			require.EqualValues(t, 5, k.Frame().Now, "%T", k)
		}
		require.NoError(t, reread(t, b).Advance(bookahead.MaxTime-100))
		require.NoError(t, b.Advance(bookahead.MaxTime-100))
		require.NoError(t, reread(t, b).Verify())
		_, err = NewBroker(Config{Origin: bookahead.MaxTime - 8}, newPool(t, 1), another(t, near))
		require.ErrorIs(t, err, bookahead.ErrInvalid)
	}
}

// All clocks move or none, also where a sliding horizon has reached the end of the axis.
func TestAdvanceFromTheEndOfTheAxis(t *testing.T) {
	near, err := carts.NewIndexed(4, carts.Config{Horizon: 100})
	require.NoError(t, err)
	b := brokerOf(t, Config{}, newPool(t, 2), near)
	require.NoError(t, b.Advance(bookahead.MaxTime-100))
	require.Equal(t, bookahead.MaxTime, near.Frame().Horizon)
	clone, ok := bookahead.Clone(bookahead.Schedule(b))
	require.True(t, ok)
	for _, b := range []*Broker{b, clone.(*Broker)} {
		require.ErrorIs(t, b.Advance(bookahead.MaxTime-50), bookahead.ErrInvalid)
		require.Equal(t, bookahead.MaxTime-100, b.Frame().Now)
		for k := range b.Providers() {
			require.Equal(t, bookahead.MaxTime-100, b.Provider(k).(framer).Frame().Now, "provider %d", k)
		}
	}
}

// A reservation that others have released at a provider goes when the Broker releases it.
func TestReleasedByOthers(t *testing.T) {
	p := newPool(t, 1)
	b, err := NewBroker(Config{}, p)
	require.NoError(t, err)
	res, err := b.Reserve(bookahead.Request{Duration: 5, Units: 1})
	require.NoError(t, err)
	require.NoError(t, p.Release(res.ID))
	require.Equal(t, bookahead.ErrNotFound, b.Release(res.ID))
	_, err = b.Place(res.ID)
	require.Equal(t, bookahead.ErrNotFound, err)
	require.Zero(t, b.providers[0].live)
}
