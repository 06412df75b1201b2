package carts

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// What a change leaves pending far up in the tree counts in all that is said below
// it, when something is changed there.
func TestChangesBelowPendingOnes(t *testing.T) {
	const slots, step = 600, 4
	var flat []slot
	for i := range bookahead.Time(slots) {
		flat = append(flat, slot{Start: i * step, Free: 50 + int64(i%7)})
	}
	free := make([]int64, slots*step)
	for i := range free {
		free[i] = flat[i/step].Free
	}
	p := newProfile[int32](flat, shape{width: 8})
	require.NotNil(t, p.root.kid[0].inner.kid[0].inner, "adds lie on two levels above a node with kids")
	change := func(start, end bookahead.Time, delta int32) {
		p.add(bookahead.Interval{Start: start, End: end}, delta)
		for i := start; i < end; i++ {
			free[i] += int64(delta)
		}
	}
	compare := func() {
		got, err := p.check()
		require.NoError(t, err)
		for k, s := range got {
			for i := s.Start; i < bookahead.Time(len(free)) && (k+1 == len(got) || i < got[k+1].Start); i++ {
				require.Equal(t, s.Free, free[i], "free at %d", i)
			}
		}
	}
	end := bookahead.Time(len(free))
	for k, wide := range []bookahead.Interval{{Start: 1, End: end - 1}, {Start: end / 5, End: end / 2}, {Start: end / 3, End: end - 9}} {
		change(wide.Start, wide.End, int32(-9-k))
		compare()
		for at := bookahead.Time(0); at+step < end; at += 37 {
			change(at, at+step, -3)
			change(at+1, at+step, 2)
			compare()
		}
	}
}
