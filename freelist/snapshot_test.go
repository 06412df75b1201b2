package freelist

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest"
)

func FuzzTimeExclusiveSnapshot(f *testing.F) { scheduletest.FuzzSnapshot(f, target(0)) }

func FuzzCapacityHierarchicalSnapshot(f *testing.F) { scheduletest.FuzzSnapshot(f, target(1)) }

func FuzzMixedSnapshot(f *testing.F) { scheduletest.FuzzSnapshot(f, target(2)) }

func FuzzUsedSnapshot(f *testing.F) { scheduletest.FuzzSnapshot(f, target(3)) }

// A list without a tree stays one.
func TestUsedListStaysAList(t *testing.T) {
	list, err := NewUsedList(4, Config{})
	require.NoError(t, err)
	_, err = list.Reserve(bookahead.Request{Ready: 3, Duration: 4, Units: 2})
	require.NoError(t, err)
	data, err := list.MarshalBinary()
	require.NoError(t, err)
	require.NoError(t, list.UnmarshalBinary(data))
	require.Nil(t, list.s.Profile.(*used).index)
	var zero Used
	require.NoError(t, zero.UnmarshalBinary(data))
	require.NotNil(t, zero.s.Profile.(*used).index)
}

// At the last tick there is no time left to book, and a snapshot of that is read.
func TestSnapshotAtTheEndOfTheAxis(t *testing.T) {
	for _, v := range variants {
		s, err := v.open(4, Config{})
		require.NoError(t, err)
		_, err = s.Reserve(bookahead.Request{Ready: 3, Duration: 4, Units: 2})
		require.NoError(t, err)
		require.NoError(t, s.Advance(bookahead.MaxTime))
		data, err := s.(bookahead.Snapshotter).MarshalBinary()
		require.NoError(t, err)
		require.NoError(t, s.(bookahead.Snapshotter).UnmarshalBinary(data))
		require.NoError(t, s.(interface{ Verify() error }).Verify(), v.name)
	}
}
