package idletree

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
)

func FuzzListsSnapshot(f *testing.F) { fuzzSnapshot(f, targets[0], kindOfLists) }

func FuzzTreeSnapshot(f *testing.F) { fuzzSnapshot(f, targets[2], kindOfTree) }

func FuzzSlottedSnapshot(f *testing.F) { fuzzSnapshot(f, slottedTargets[1], kindOfSlotted, 7, 1, 9) }

// Two servers are free now, and the server that has been idle for the shortest time is
// taken. No reservation that is left shows how long each has been idle.
func TestIdleTimesAreRemembered(t *testing.T) {
	x, err := NewTree(3, Config{})
	require.NoError(t, err)
	for _, r := range []bookahead.Request{{Duration: 5, Units: 1, Servers: []int{1}}, {Duration: 9, Units: 1, Servers: []int{2}}} {
		_, err := x.Reserve(r)
		require.NoError(t, err)
	}
	require.NoError(t, x.Advance(20))
	var read Tree
	data, err := x.MarshalBinary()
	require.NoError(t, err)
	require.NoError(t, read.UnmarshalBinary(data))
	for _, s := range []bookahead.Schedule{x, &read} {
		var order []int
		for range 3 {
			res, err := s.Reserve(bookahead.Request{Duration: 10, Units: 1, Deadline: 30, Ready: 20})
			require.NoError(t, err)
			order = append(order, res.Servers...)
		}
		require.Equal(t, []int{2, 1, 0}, order)
	}
}

// Policies of this package are written. For a policy of the caller's own, the receiver's
// is taken.
func TestPoliciesAreWritten(t *testing.T) {
	own := PreferFunc(func(_ bookahead.Interval, a, b Period) int { return b.Server - a.Server })
	for name, prefer := range map[string]Prefer{"first": {}, "best": BestFit, "worst": WorstFit, "lowest": LowestIndex, "own": own} {
		x, err := NewTree(5, Config{Prefer: prefer})
		require.NoError(t, err)
		data, err := x.MarshalBinary()
		require.NoError(t, err)
		var read Tree
		err = read.UnmarshalBinary(data)
		if name == "own" {
			require.ErrorIs(t, err, bookahead.ErrInvalid)
			require.ErrorContains(t, err, "Config.Prefer")
			made, err := NewTree(1, Config{Prefer: own})
			require.NoError(t, err)
			require.NoError(t, made.UnmarshalBinary(data))
			o, err := made.Search(bookahead.Request{Duration: 1, Units: 1})
			require.NoError(t, err)
			require.Equal(t, []int{4}, o.Servers)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, prefer.policy, read.tree().prefer.policy, name)
		require.Equal(t, prefer.order == nil, read.tree().prefer.order == nil, name)
		require.Equal(t, prefer.bound, read.tree().prefer.bound, name)
	}
}

// A few reservations far ahead fill the trees of many slots: so much must be asked
// for by the receiver as well.
func TestManyCellsWantConsent(t *testing.T) {
	c := SlottedConfig{Horizon: 1 << 19, Slot: 1}
	s, err := NewSlotted(32, c)
	require.NoError(t, err)
	last := bookahead.Request{Ready: 40_000, Duration: 1, Units: 32}
	_, err = s.Reserve(last)
	require.NoError(t, err)
	data, err := s.MarshalBinary()
	require.NoError(t, err)
	require.Less(t, len(data), 200)
	var zero Slotted
	require.ErrorContains(t, zero.UnmarshalBinary(data), "read it into a schedule that has been made with the same arguments")
	other, err := NewSlotted(32, c)
	require.NoError(t, err)
	require.NoError(t, other.UnmarshalBinary(data))
	require.NoError(t, other.Release(1))
}

// A few bytes may not ask for a tree in each of many slots: 45 of them took 300 MiB.
func TestFewBytesAskForFewTrees(t *testing.T) {
	const slots = 1<<19 - 2
	data := snapshot.Numbers(kindOfSlotted, 1, 1, 9, 1, 5, slots, 1, 1, 2*(slots-2), 1, 1, 0, 0, 0, 6)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := new(Slotted).UnmarshalBinary(data)
	runtime.ReadMemStats(&after)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.ErrorContains(t, err, "bytes of trees")
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20))

	// The ring counts too, however few of its slots are in use.
	for span := uint64(1); span <= 1<<19; span *= 2 {
		for _, slots := range []uint64{maxSlots - 2, slots} {
			data := snapshot.Numbers(kindOfSlotted, 1, 1, 1, 1, 0, slots, 1, 1, 2*(span-1), 4, 1, 0, 0, 0, 1)
			runtime.ReadMemStats(&before)
			_ = new(Slotted).UnmarshalBinary(data)
			runtime.ReadMemStats(&after)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20+len(data)<<10), span)
		}
	}

	asked := openSlotted(t, 1, SlottedConfig{Horizon: slots, Slot: 1, Step: 1, Attempts: 9})
	require.NoError(t, asked.UnmarshalBinary(data), "who has made one of that size consents")
}
