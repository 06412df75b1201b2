package nodes

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// The order of the caller's own is not in the bytes.
func TestTheCallersPolicyIsNotInTheBytes(t *testing.T) {
	c := racks()
	c.Policy = Own(highest)
	m, err := New(c)
	require.NoError(t, err)
	data, err := m.MarshalBinary()
	require.NoError(t, err)
	require.ErrorIs(t, new(Machine).UnmarshalBinary(data), bookahead.ErrInvalid)
	require.NoError(t, m.UnmarshalBinary(data))
}

func FuzzSnapshot(f *testing.F) {
	m, err := New(racks())
	require.NoError(f, err)
	_, err = m.Reserve(Request{Duration: 9, Tasks: 3, Each: Vector{1, 2}, Head: Vector{0, 1}})
	require.NoError(f, err)
	_, err = m.Close(bookahead.Closure{Interval: bookahead.Interval{Start: 3, End: 8}, Servers: []int{0, 2}})
	require.NoError(f, err)
	data, err := m.MarshalBinary()
	require.NoError(f, err)
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		data = snapshot.Seal(data)
		read := new(Machine)
		err := read.UnmarshalBinary(data)
		if err != nil {
			require.ErrorIs(t, err, bookahead.ErrInvalid)
			return
		}
		require.NoError(t, read.Verify())
		again, err := read.MarshalBinary()
		require.NoError(t, err)
		require.Equal(t, data, again)
	})
}
