package bookahead_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
)

// keepsBooks is a Keeper that keeps books about another schedule, as a grid.Broker does. It has
// no other ability, although the other schedule has.
type keepsBooks struct{ bookahead.Keeper }

func newFlat(t *testing.T) *carts.Flat {
	s, err := carts.NewFlat(4, carts.Config{Horizon: 60})
	require.NoError(t, err)
	return s
}

// View and Update open locks, also a lock within a lock, and nothing else.
func TestViewOpensLocksAlone(t *testing.T) {
	flat := newFlat(t)
	for name, c := range map[string]struct {
		s    bookahead.Schedule
		find bool
	}{
		"bare":                       {flat, true},
		"locked":                     {bookahead.Locked(flat), true},
		"locked twice":               {bookahead.Locked(bookahead.Locked(flat)), true},
		"wrapped":                    {keepsBooks{flat}, false},
		"wrapped, and locked":        {bookahead.Locked(keepsBooks{flat}), false},
		"locked, and wrapped":        {keepsBooks{bookahead.Locked(flat)}, false},
		"locked, wrapped and locked": {bookahead.Locked(keepsBooks{bookahead.Locked(flat)}), false},
	} {
		var viewed, updated bookahead.Profiler
		require.Equal(t, c.find, bookahead.View(c.s, func(p bookahead.Profiler) { viewed = p }), name)
		require.Equal(t, c.find, bookahead.Update(c.s, func(p bookahead.Profiler) { updated = p }), name)
		if !c.find {
			require.Nil(t, viewed, name)
			require.Nil(t, updated, name)
			continue
		}
		require.Same(t, flat, viewed, name)
		require.Same(t, flat, updated, name)
	}
	found := bookahead.View(bookahead.Locked(keepsBooks{flat}), func(k bookahead.Keeper) { require.Equal(t, keepsBooks{flat}, k) })
	require.True(t, found, "the wrapper itself")
}

// The functions return false, or an error, if a schedule lacks the ability that they need.
func TestFunctionsWithoutAbilities(t *testing.T) {
	flat := newFlat(t)
	for _, s := range []bookahead.Schedule{plain{flat}, keepsBooks{flat}, bookahead.Locked(keepsBooks{flat})} {
		_, ok := bookahead.Blocks(s, bookahead.Interval{Start: 0, End: 60})
		require.False(t, ok, "%T", s)
		c, ok := bookahead.Clone(s)
		require.False(t, ok, "%T", s)
		require.Nil(t, c)
		_, err := bookahead.Snapshot(s)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, "cannot be written")
		err = bookahead.Restore(s, nil)
		require.ErrorIs(t, err, bookahead.ErrInvalid)
		require.ErrorContains(t, err, "cannot be read")
	}
}

// A clone has the type of the original, and a lock of its own.
func TestCloneKeepsTheType(t *testing.T) {
	flat := newFlat(t)
	bare, ok := bookahead.Clone(flat)
	require.True(t, ok)
	locked := bookahead.Locked(flat)
	copied, ok := bookahead.Clone(locked)
	require.True(t, ok)
	var keeper bookahead.Keeper = locked
	again, ok := bookahead.Clone(keeper)
	require.True(t, ok)
	require.IsType(t, locked, again)
	bookahead.Update(locked, func(bookahead.Keeper) { // the clones do not wait for the original
		for _, k := range []bookahead.Keeper{bare, copied, again} {
			_, err := k.Reserve(bookahead.Request{Duration: 60, Units: 4})
			require.NoError(t, err)
		}
	})
	a, err := locked.RangeQuery(bookahead.Interval{Start: 0, End: 60})
	require.NoError(t, err)
	require.Equal(t, int64(4), a.Free)
}

// A loop over the reservations or the blocks of a locked schedule may use it.
func TestLoopsBehindALock(t *testing.T) {
	s := bookahead.Locked(newFlat(t))
	for ready := range bookahead.Time(5) {
		_, err := s.Reserve(bookahead.At(10*ready, 5, 2))
		require.NoError(t, err)
	}
	n := 0
	for res := range s.Reservations(s.Frame().Window()) {
		require.NoError(t, s.Release(res.ID))
		n++
		if n == 3 {
			break
		}
	}
	require.Equal(t, 3, n)
	blocks, ok := bookahead.Blocks(s, bookahead.Interval{Start: 0, End: 60})
	require.True(t, ok)
	area := int64(0)
	for b := range blocks {
		area += b.Units * int64(b.Len())
		require.NoError(t, s.Advance(0))
	}
	require.Equal(t, int64(4*60-2*2*5), area)
	for range blocks {
		break
	}
}
