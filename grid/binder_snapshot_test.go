package grid

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest"
)

func FuzzBinderSnapshot(f *testing.F) {
	for _, data := range hostile(f) {
		f.Add(data)
	}
	scheduletest.FuzzSnapshot(f, binders[0])
}

// Running reservations keep their servers: the lowest that were free at the start.
func TestBinderRemembersServers(t *testing.T) {
	b := newBinder(t, 4)
	for _, r := range []bookahead.Request{
		{Duration: 5, Units: 2}, {Duration: 20, Units: 1}, {Ready: 6, Duration: 5, Units: 3},
	} {
		_, err := b.Reserve(r)
		require.NoError(t, err)
	}
	require.NoError(t, b.Advance(7)) // #2 is on server 2, #3 around it
	data, err := b.MarshalBinary()
	require.NoError(t, err)
	read := newBinder(t, 1)
	require.NoError(t, read.UnmarshalBinary(data))
	require.NoError(t, read.Verify())
	for id, want := range map[bookahead.ID][]int{2: {2}, 3: {0, 1, 3}} {
		got, err := read.Servers(id)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err = read.Servers(1)
	require.Equal(t, bookahead.ErrNotFound, err)
	require.NoError(t, b.Release(3), "the one that was written has not changed")
	require.NoError(t, read.Advance(12))
	require.NoError(t, read.Verify())
}

// A binder knows the kind of its pool from the one it has.
func TestBinderNeedsAPool(t *testing.T) {
	data, err := newBinder(t, 4).MarshalBinary()
	require.NoError(t, err)
	require.ErrorIs(t, new(Binder).UnmarshalBinary(data), bookahead.ErrInvalid)
	b, err := NewBinder(copied{newPool(t, 4)}) // no Snapshotter
	require.NoError(t, err)
	_, err = b.MarshalBinary()
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	require.ErrorIs(t, b.UnmarshalBinary(data), bookahead.ErrInvalid)
	require.Equal(t, bookahead.MaxTime, b.Frame().Horizon)
}
