package grid

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// inner is the snapshot of a pool of 4 units at tick 5, of which 2 run.
func inner(t require.TestingT) []byte {
	w := snapshot.Begin("pool")
	for _, n := range []uint64{4, 5, 60, 1, 1, 1, 4, 2, 0} { // #1 from tick 4 to 8
		w.Uint(n)
	}
	data, err := w.End()
	require.NoError(t, err)
	return data
}

// binderOf returns a snapshot of the pool, and of the servers on which its reservation
// runs: each as the number of servers skipped since the one before.
func binderOf(t require.TestingT, pool []byte, servers ...uint64) []byte {
	w := snapshot.Begin(kindOfBinder)
	w.Bytes(pool)
	for _, k := range servers {
		w.Uint(k)
	}
	data, err := w.End()
	require.NoError(t, err)
	return data
}

// hostile are snapshots that nothing has written.
func hostile(t require.TestingT) map[string][]byte {
	pool := inner(t)
	huge := snapshot.Begin("pool")
	for _, n := range []uint64{maxServers + 1, 0, 0, 0, 0} {
		huge.Uint(n)
	}
	many, err := huge.End()
	require.NoError(t, err)
	deep := pool
	for range 50 {
		deep = binderOf(t, deep)
	}
	return map[string][]byte{
		"no pool":                       binderOf(t, nil),
		"truncated pool":                binderOf(t, pool[:len(pool)-1], 0, 0),
		"truncated":                     binderOf(t, pool, 0),
		"a pool longer than the bytes":  snapshot.Seal([]byte("BKAH\x01\x0bgrid.Binder\xff\xff\xff\xff\xff\xff\xff\xff\x7f....")),
		"a server out of range":         binderOf(t, pool, 0, 3),
		"a gap that overflows":          binderOf(t, pool, 0, math.MaxUint64),
		"more servers than a binder":    binderOf(t, many),
		"bytes that are left":           binderOf(t, pool, 0, 0, 0),
		"a binder of a binder, 50 deep": deep,
		"the pool alone":                pool,
		"a kind that is no UTF-8":       snapshot.Seal([]byte("BKAH\x01\x0b\xff\xfe\xc0\x80\xed\xa0\x80....\x00....")),
	}
}

func TestHostileSnapshotsAreRefused(t *testing.T) {
	for name, data := range hostile(t) {
		b := newBinder(t, 3)
		require.ErrorIs(t, b.UnmarshalBinary(data), bookahead.ErrInvalid, name)
		require.Equal(t, int64(3), b.Frame().Capacity, name)
		require.NoError(t, b.Verify(), name)
	}
	b := newBinder(t, 3)
	require.NoError(t, b.UnmarshalBinary(binderOf(t, inner(t), 0, 1))) // snapshots that differ from them are good
	list, err := b.Servers(1)
	require.NoError(t, err)
	require.Equal(t, []int{0, 2}, list)
}

// Two that run have different servers.
func TestAServerRunsOne(t *testing.T) {
	b := newBinder(t, 4)
	for range 2 {
		_, err := b.Reserve(bookahead.Request{Duration: 5, Units: 2})
		require.NoError(t, err)
	}
	data, err := b.MarshalBinary()
	require.NoError(t, err)
	same := append([]byte(nil), data...)
	same[len(same)-6] = 0 // of the second, the first: 0 for 2
	require.NotEqual(t, data, snapshot.Seal(same))
	require.ErrorContains(t, newBinder(t, 1).UnmarshalBinary(snapshot.Seal(same)), "0 runs two reservations")
}
