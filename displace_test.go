package bookahead_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/idletree"
)

// An Again that panics, or returns a request that makes no sense, leaves a schedule behind Locked
// as it was, and unlocked.
func TestDisplaceSurvivesAgain(t *testing.T) {
	pool, err := carts.NewIndexed(2, carts.Config{Horizon: 100})
	require.NoError(t, err)
	tree, err := idletree.NewTree(2, idletree.Config{Horizon: 100})
	require.NoError(t, err)
	for _, k := range []bookahead.Keeper{pool, tree} {
		_, err := k.Reserve(bookahead.At(0, 10, 2))
		require.NoError(t, err)
		require.NoError(t, k.Advance(5))
		s := bookahead.Locked(k)
		before, err := bookahead.Snapshot(s)
		require.NoError(t, err)

		urgent := bookahead.At(7, 5, 1)
		force := bookahead.Force{Request: &urgent}
		force.Again = func(bookahead.Reservation) (bookahead.Request, bool) { panic("no idea") }
		require.PanicsWithValue(t, "no idea", func() { _, _ = bookahead.Displace(s, force) })
		for _, r := range []bookahead.Request{{}, {Ready: bookahead.MaxTime, Duration: 1, Units: 1}, {Duration: 1, Units: 1, Servers: []int{9}}} {
			force.Again = func(bookahead.Reservation) (bookahead.Request, bool) { return r, true }
			_, err = bookahead.Displace(s, force)
			require.ErrorIs(t, err, bookahead.ErrInvalid)
		}
		after, err := bookahead.Snapshot(s)
		require.NoError(t, err)
		require.Equal(t, before, after)

		force.Again = nil
		done, err := bookahead.Displace(s, force)
		require.NoError(t, err)
		require.Equal(t, "#1 [12, 17)", done.Moved[0].To.String()[:11])
	}
}

// liftCounter counts the reservations that Displace takes out.
type liftCounter struct {
	*carts.Indexed
	lifts *int
}

func (c liftCounter) Clone() bookahead.Schedule {
	return liftCounter{c.Indexed.Clone().(*carts.Indexed), c.lifts}
}

func (c liftCounter) Adopt(clone bookahead.Schedule) { c.Indexed.Adopt(clone.(liftCounter).Indexed) }

func (c liftCounter) Lift(id bookahead.ID) (back func() error, err error) {
	*c.lifts++
	return c.Indexed.Lift(id)
}

// While the request does not fit, Displace leaves a reservation alone that is no longer
// overbooked and does not lie where the request could. Of the reservations in [50, 60), only the
// last must go.
//
//	request   ├────┤                  3 units
//	#1        ├────────┤              3
//	#2 - #4              50 ├────┤    1 each, where a unit is closed
func TestDisplaceTakesOutOnlyThoseInTheWay(t *testing.T) {
	pool, err := carts.NewIndexed(3, carts.Config{})
	require.NoError(t, err)
	for _, r := range []bookahead.Request{bookahead.At(0, 20, 3), bookahead.At(50, 10, 1), bookahead.At(50, 10, 1), bookahead.At(50, 10, 1)} {
		_, err = pool.Reserve(r)
		require.NoError(t, err)
	}
	_, err = pool.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 50, End: 60}, Units: 1})
	require.NoError(t, err)
	c := liftCounter{pool, new(int)}
	urgent := bookahead.At(0, 10, 3)
	done, err := bookahead.Displace(c, bookahead.Force{Request: &urgent})
	require.NoError(t, err)
	require.Len(t, done.Moved, 2)
	require.Equal(t, 2, *c.lifts)
}
