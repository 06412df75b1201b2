package profile

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// The table at the top of balance.go: two kids side by side before the first is prepared, and the
// kids after.
func TestRelieveByHand(t *testing.T) {
	for _, c := range []struct{ before, after []int }{
		{[]int{105, 60}, []int{82, 83}},
		{[]int{105, 90}, []int{52, 53, 90}},
		{[]int{30, 80}, []int{55, 55}},
		{[]int{30, 45}, []int{75}},
		{[]int{104, 60}, []int{104, 60}},
		{[]int{39, 45}, []int{39, 45}},
	} {
		p := &Tree[int32]{Knobs: Usual, height: 1}
		p.owner.Renew()
		p.root = p.newInner()
		start := bookahead.Time(0)
		for i, n := range c.before {
			kid := p.newLeaf()
			kid.countFrom(start, 0)
			for k := range n {
				kid.setStart(k, start)
				kid.low[k] = int32(start % 7)
				start++
			}
			kid.n = n
			p.root.kid[i] = kid
			p.root.refresh(i, 0)
			p.root.n++
		}
		moved := p.prepare(spot[int32]{nd: p.root, end: bookahead.MaxTime}, 0)
		require.Equal(t, len(c.after) != 2 || c.after[0] != c.before[0], moved)
		var after []int
		for _, kid := range p.root.kid[:p.root.n] {
			after = append(after, kid.n)
		}
		require.Equal(t, c.after, after)
		steps, err := p.check()
		require.NoError(t, err)
		for i, s := range steps {
			require.Equal(t, bookahead.Time(i), s.Start)
			require.Equal(t, int64(i%7), s.Free)
		}
	}
}
