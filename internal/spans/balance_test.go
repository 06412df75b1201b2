package spans

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// leavesWith returns an index of three levels whose leaves have the given sizes. The spans start
// at 0, 10, 20 ... in order.
func leavesWith(width int, sizes ...[]int) Index {
	x := Index{width: width, soonest: 1}
	x.owner.Renew()
	x.root = x.newInner()
	for _, below := range sizes {
		nd := x.newInner()
		for _, size := range below {
			leaf := x.newLeaf()
			for range size {
				leaf.start[leaf.n], leaf.end[leaf.n] = bookahead.Time(10*x.n), bookahead.Time(10*x.n+1)
				leaf.n++
				x.n++
			}
			nd.kid[nd.n] = leaf
			nd.refresh(nd.n)
			nd.n++
		}
		x.root.kid[x.root.n] = nd
		x.root.n++
		x.root.refresh(x.root.n - 1)
	}
	return x
}

func sizes(x *Index) (list [][]int) {
	for _, nd := range x.root.kid[:x.root.n] {
		var below []int
		for _, kid := range nd.size[:nd.n] {
			below = append(below, int(kid))
		}
		list = append(list, below)
	}
	return list
}

// A full leaf between two that are nearly empty is divided, and each half is joined to its
// neighbour. So an Add makes the tree lower:
//
//	2 8 1 | 7 7 7 7      2 4 5 1 | 7 7 7 7      6 6 | 7 7 7 7      6 6 7 7 7 7
func TestAddMakesTheTreeLower(t *testing.T) {
	x := leavesWith(8, []int{2, 8, 1}, []int{7, 7, 7, 7})
	require.NoError(t, x.Verify())
	x.Add(Span{bookahead.Interval{Start: 85, End: 99}, 1})
	require.NoError(t, x.Verify())
	require.Equal(t, 2, height(&x))
	require.Equal(t, []uint8{6, 6, 7, 7, 7, 7}, x.root.size[:x.root.n])
}

// Where inner nodes are joined, the leaves at the seam are joined too, if they have few spans:
//
//	5 2 7 2 | 3 7 7      4 2 7 2 | 3 7 7      6 7 2 | 3 7 7      6 7 5 7 7
func TestJoinAtTheSeam(t *testing.T) {
	x := leavesWith(8, []int{5, 2, 7, 2}, []int{3, 7, 7}, []int{7, 7, 7, 7})
	require.NoError(t, x.Verify())
	require.True(t, x.Remove(Span{bookahead.Interval{Start: 10}, 0}))
	require.NoError(t, x.Verify())
	require.Equal(t, [][]int{{6, 7, 5, 7, 7}, {7, 7, 7, 7}}, sizes(&x))
}

// Spans that come in the order of their starts leave full nodes behind, and others leave halves
// at worst.
func TestFill(t *testing.T) {
	const n = 10_000
	for name, c := range map[string]struct {
		start func(i int) bookahead.Time
		most  int // bytes for each span
	}{
		"ascending":  {func(i int) bookahead.Time { return bookahead.Time(i) }, 26},
		"one start":  {func(int) bookahead.Time { return 7 }, 26},
		"descending": {func(i int) bookahead.Time { return bookahead.Time(n - i) }, 51},
		"any":        {func(i int) bookahead.Time { return bookahead.Time(i * 7919 % n) }, 40},
	} {
		var x Index
		for i := range n {
			x.Add(Span{bookahead.Interval{Start: c.start(i), End: n + 1}, bookahead.ID(i)})
		}
		require.NoError(t, x.Verify())
		require.LessOrEqual(t, memory(&x), c.most*n, name)
	}
}
