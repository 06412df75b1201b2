package nodes

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/depth"
)

// Of nodes with few steps and many, in any packing, abreast finds the steps that the binary search of each finds.
func TestAbreast(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 3))
	var x abreast
	for range depth.Cases(2_000) {
		most := Vector{1 << (7 + rng.IntN(50)), 1 << rng.IntN(60), 1 << rng.IntN(60)}[:1+rng.IntN(3)]
		p := newPacking(most)
		x.n = 0
		nodes := make([]steps, rng.IntN(side+1))
		end := 1 + rng.Int64N(200)
		for k := range nodes {
			s := newSteps(p, 0, most)
			for range rng.IntN(1 << rng.IntN(7)) {
				start := bookahead.Time(rng.Int64N(end))
				s.change(bookahead.Interval{Start: start, End: start + 1 + bookahead.Time(rng.Int64N(9))}, Vector{1, 0, 0}[:len(most)], 2*rng.Int64N(2)-1)
			}
			nodes[k] = s
			x.add(k, &nodes[k])
		}
		for range 20 {
			at := bookahead.Time(rng.Int64N(end + 12))
			if rng.IntN(9) == 0 {
				at = bookahead.MaxTime - bookahead.Time(rng.Int64N(3))
			}
			x.find(at)
			require.Equal(t, len(nodes), x.n)
			for k := range nodes {
				require.Equal(t, k, x.node[k])
				require.Equal(t, nodes[k].at(at), x.step[k], "node %d of %d at %d", k, len(nodes), at)
			}
		}
	}
}

// A hint that locate leaves says nothing but the step: neither a gap nor a free stretch. Nodes that are sure, or have a hint of
// the search, keep what they have.
func TestLocate(t *testing.T) {
	const n = 20
	m, err := New(Config{Resources: []string{"gpus"}, Nodes: slices.Repeat([]Vector{{8}}, n)})
	require.NoError(t, err)
	for k := range n {
		for i := range bookahead.Time(k) {
			_, err = m.Reserve(Request{Ready: 4 * i, Duration: 2, Tasks: 1, Each: Vector{3}, Nodes: []int{k}})
			require.NoError(t, err)
		}
	}
	s := m.index.begin()
	defer s.done()
	old := hint{bookahead.Interval{Start: 1, End: 2}, 9, 1, s.epoch}
	s.hints[3], s.hints[4] = old, hint{bookahead.Interval{Start: 1, End: 2}, 9, 1, s.epoch - 1}
	s.sure[0] = 1 << 5
	unread := s.hints[5]
	var fresh abreast
	for range 2 {
		s.locate(&fresh, []int{2, 3, 4, 5, 19}, 13)
	}
	require.Equal(t, old, s.hints[3])
	require.Equal(t, unread, s.hints[5])
	for _, k := range []int{2, 4, 19} {
		at := bookahead.Interval{Start: 13, End: 13}
		require.Equal(t, hint{at, 13, int32(m.index.nodes[k].at(13)), s.epoch}, s.hints[k])
	}
	require.Less(t, m.index.nodes[2].at(13), m.index.nodes[19].at(13))
}

// inTurn yields each node once, in order, and stops when it is told to.
func TestInTurn(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 4))
	for range depth.Cases(500) {
		n := 1 + rng.IntN(200)
		m, err := New(Config{Resources: []string{"gpus"}, Nodes: slices.Repeat([]Vector{{8}}, n)})
		require.NoError(t, err)
		s := m.index.begin()
		s.crowd = 0
		var want, got []int
		clear(s.able)
		for k := range n {
			if rng.IntN(4) == 0 {
				s.able[k/64] |= 1 << (k % 64)
			}
		}
		stop := rng.IntN(n + 1)
		for k := range m.index.whole[0].in(s.able) {
			if len(want) == stop {
				break
			}
			want = append(want, k)
		}
		for k := range s.inTurn(m.index.whole[0], 0) {
			if len(got) == stop {
				break
			}
			require.Equal(t, s.epoch, s.hints[k].epoch)
			got = append(got, k)
		}
		require.Equal(t, want, got)
		s.done()
	}
}
