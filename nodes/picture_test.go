package nodes

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// TestPicture runs the example of the package comment: its chunks, its rows, the answer, and the facts and
// the zone that the search leaves.
func TestPicture(t *testing.T) {
	m, err := New(Config{Resources: []string{"gpus"}, Nodes: []Vector{{8}, {8}, {8}}})
	require.NoError(t, err)
	for k, free := range [][]int64{
		{2, 0, 0, 2, 2, 3, 8, 8, 6, 6, 6, 6},
		{6, 1, 1, 1, 3, 3, 3, 4, 4, 4, 4, 8},
		{2, 2, 6, 6, 6, 6, 6, 6, 6, 2, 6, 6},
	} {
		for i, n := range free {
			if n == 8 {
				continue
			}
			at := bookahead.Time(5 * i)
			_, err = m.Reserve(Request{Ready: at, Deadline: at + 5, Duration: 5, Tasks: 1, Each: Vector{8 - n}, Nodes: []int{k}})
			require.NoError(t, err)
		}
	}
	x := m.index
	x.limit = 4
	x.build()
	require.NoError(t, m.Verify())

	require.Equal(t, []bookahead.Time{0, 10, 20, 30, 40, 50, 60}, x.starts)
	level := x.highest(0, 4)
	for c, want := range []struct{ most, least uint64 }{
		{0b010, 0b000}, {0b100, 0b100}, {0b100, 0b100}, {0b111, 0b101}, {0b111, 0b011}, {0b111, 0b111}, {0b111, 0b111},
	} {
		require.Equal(t, want.most, x.row(x.chunks[c], x.mostRow()+level)[0], "chunk %d", c)
		require.Equal(t, want.least, x.row(x.chunks[c], level)[0], "chunk %d", c)
	}

	b, err := m.find(Request{Duration: 25, Tasks: 2, Each: Vector{4}, PerNode: 1}, true)
	require.NoError(t, err)
	require.Equal(t, "[35, 60) 1 on 0, 1 on 1", b.offer().String())
	zone := []bookahead.Interval{{Start: 0, End: 35}}
	more := Request{Duration: 30, Tasks: 3, Each: Vector{6}, PerNode: 1}
	shorter := Request{Duration: 5, Tasks: 2, Each: Vector{4}, PerNode: 1}
	require.Equal(t, zone, zonesFor(t, m, more))
	require.Empty(t, zonesFor(t, m, shorter))
	require.Equal(t, []bool{true, true, true, false, false, false, false}, deniedFor(t, m, shorter))

	x.change(bookahead.Interval{Start: 12, End: 20}, 1, func(yield func(int, Vector) bool) { yield(2, Vector{1}) })
	zone[0].Start = 20
	require.Equal(t, zone, zonesFor(t, m, more))
	require.Equal(t, []bool{true, false, true}, deniedFor(t, m, shorter)[:3])
}

// zonesFor returns the times in which zones say that a request has no start.
func zonesFor(t *testing.T, m *Machine, r Request) []bookahead.Interval {
	var q query
	require.NoError(t, m.ask(r, &q))
	asked := q.demand()
	return m.index.dead.of(&asked, m.index.packing, 0, nil)
}

// deniedFor returns for each chunk whether its facts say that a request has no start in it.
func deniedFor(t *testing.T, m *Machine, r Request) []bool {
	var q query
	require.NoError(t, m.ask(r, &q))
	var denied []bool
	for _, f := range m.index.facts {
		denied = append(denied, m.index.denies(f, q.need[:], q.d, q.few))
	}
	return denied
}
