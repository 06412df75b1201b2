package profile

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// The tree of the package comment, in which -1 is pending at entry 30.
func TestPicture(t *testing.T) {
	p := &Tree[int32]{Knobs: Usual, height: 1}
	p.owner.Renew()
	p.root = p.newInner()
	for i, free := range [][]int32{{4, 1, 3}, {3, 5, 4}} {
		kid := p.newLeaf()
		start := bookahead.Time(30 * i)
		kid.countFrom(start, 0)
		for k, n := range free {
			kid.setStart(k, start+10*bookahead.Time(k))
			kid.low[k] = n
		}
		kid.n = len(free)
		p.root.kid[i], p.root.add[i] = kid, -int32(i)
		p.root.refresh(i, 0)
		p.root.n++
	}
	_, err := p.check()
	require.NoError(t, err)
	require.Equal(t, []int32{1, 2}, p.root.low[:2])
	require.Equal(t, []int32{4, 4}, p.root.high[:2])
	for at, free := range map[bookahead.Time]int32{0: 4, 12: 1, 20: 3, 30: 2, 45: 4, 50: 3} {
		require.Equal(t, free, p.freeAt(at), "at %d", at)
	}
	require.Equal(t, int64(2), p.Least(bookahead.Interval{Start: 20, End: 45}))
	require.Equal(t, int64(3), p.Least(bookahead.Interval{Start: 20, End: 30}))

	p.Forget(35)
	require.Equal(t, bookahead.Time(30), p.root.start(0))
	require.Equal(t, int32(2), p.freeAt(35))
}
