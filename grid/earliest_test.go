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
		desk, err := NewDesk(b, 0)
		require.NoError(t, err)
		for _, on := range []Member{b, bookahead.Locked(b), desk} {
			a, err := CoAllocate(Job{Deadline: 400, Parts: []Part{{On: on, Duration: 10, Units: 1}, {On: other, Duration: 10, Units: 1}}})
			require.NoError(t, err, name)
			require.Zero(t, a.Start, name)
			require.NoError(t, a.Release())
		}
	}
}

// What a provider cannot book, as its horizon is near, is not free there.
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

// What others have released at a provider is forgotten when the Broker is told to.
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
