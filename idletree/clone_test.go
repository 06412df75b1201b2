package idletree

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// verified is a schedule of this package.
type verified interface {
	bookahead.Keeper
	bookahead.Snapshotter
	Verify() error
}

// A clone may be used on a goroutine of its own, because it shares no scratch with the
// original. Without the race detector, only this test shows such a fault.
func TestClonesShareNoRoom(t *testing.T) {
	busy := func(s bookahead.Schedule, err error) bookahead.Schedule {
		require.NoError(t, err)
		for k := range bookahead.Time(40) {
			_, err := s.Reserve(bookahead.Request{Ready: 3 * k, Duration: 5, Units: 2})
			require.NoError(t, err)
		}
		require.NoError(t, s.Release(7))
		return s
	}
	tree, ok := busy(NewTree(6, Config{})).(*Tree)
	require.True(t, ok)
	require.NotEmpty(t, tree.tree().edits[:cap(tree.tree().edits)])
	require.NotEmpty(t, tree.tree().found[:cap(tree.tree().found)])
	copied := tree.Clone().(*Tree)
	x := copied.tree()
	require.Zero(t, cap(x.edits)+cap(x.found)+cap(x.index.stack)+cap(x.index.entries))

	lists := busy(NewLists(6, Config{})).(*Lists)
	require.Zero(t, cap(lists.Clone().(*Lists).roster().calendars().edits))

	slotted := busy(NewSlotted(6, SlottedConfig{Horizon: 200, Step: 1})).(*Slotted)
	require.NotEmpty(t, slotted.slots().changes[:cap(slotted.slots().changes)])
	apart := slotted.Clone().(*Slotted)
	y := apart.slots()
	require.Zero(t, cap(y.edits)+cap(y.changes)+cap(y.room.items)+cap(y.room.ends)+cap(y.room.spare))

	for _, s := range []verified{copied, apart} { // and both work
		_, err := s.Reserve(bookahead.Request{Ready: 150, Duration: 5, Units: 6})
		require.NoError(t, err)
		require.NoError(t, s.Verify())
	}
}
