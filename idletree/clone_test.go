package idletree

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// A clone may be used on a goroutine of its own: it has no room in common with the
// original in which either notes what it is about to do. Without the race detector,
// nothing but this would show that.
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
	require.NotEmpty(t, tree.fleet.edits[:cap(tree.fleet.edits)])
	require.NotEmpty(t, tree.found[:cap(tree.found)])
	copied := tree.Clone().(*Tree)
	require.Zero(t, cap(copied.fleet.edits)+cap(copied.found)+cap(copied.index.stack)+cap(copied.index.entries))

	lists := busy(NewLists(6, Config{})).(*Lists)
	require.Zero(t, cap(lists.Clone().(*Lists).fleet.edits))

	slotted := busy(NewSlotted(6, SlottedConfig{Horizon: 200, Step: 1})).(*Slotted)
	require.NotEmpty(t, slotted.changes[:cap(slotted.changes)])
	apart := slotted.Clone().(*Slotted)
	require.Zero(t, cap(apart.fleet.edits)+cap(apart.changes)+cap(apart.room.items)+cap(apart.room.ends)+cap(apart.room.spare))

	for _, s := range []bookahead.Schedule{copied, apart} { // and both work
		_, err := s.Reserve(bookahead.Request{Ready: 150, Duration: 5, Units: 6})
		require.NoError(t, err)
		require.NoError(t, s.(bookahead.Verifier).Verify())
	}
}
