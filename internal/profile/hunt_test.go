package profile

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

// The example of the package comment: 4 units for 12 ticks, and six leaves.
func TestHuntByHand(t *testing.T) {
	leaves := []struct {
		ticks bookahead.Time
		free  []int64
		word  run // if known
		carry bookahead.Time
	}{
		{5, []int64{4, 1, 4, 2, 1, 5}, run{5, 5, 5}, 5},
		{5, []int64{6, 1, 3, 4, 2, 1}, run{5, 5, 0}, 0},
		{5, []int64{2, 1, 3, 1, 2, 3}, run{}, 0},
		{5, []int64{1, 4, 5, 1, 2, 6}, run{0, 10, 5}, 5},
		{1, []int64{4, 5, 4, 5, 4, 5}, run{}, 11},
		{5, []int64{4, 1, 2, 1, 2, 1}, run{5, 5, 0}, 0},
	}
	var steps []pool.Step
	at := bookahead.Time(0)
	for _, leaf := range leaves {
		for _, free := range leaf.free {
			steps = append(steps, pool.Step{Start: at, Free: free})
			at += leaf.ticks
		}
	}
	const n, d, last = 4, 12, 1000
	p := New[int32](steps, Knobs{Width: 8, Astray: 100})
	require.Equal(t, len(leaves), p.root.n)

	// The tree is cut off after leaf k, to see the carry with which a hunt leaves that leaf.
	for k := 1; k < len(leaves)-1; k++ {
		var c cursor[int32]
		c.seek(p.root, 5)
		c.path[0].end = p.root.start(k + 1)
		h := hunt[int32]{cursor: &c, n: n, d: d, last: last, class: classOf(n), enough: up(d), half: up((d + 1) / 2), astray: p.Astray}
		p.root.n = k + 1
		require.False(t, h.leap(p))
		require.Equal(t, leaves[k].carry, h.carry, "behind leaf %d", k)
		p.root.n = len(leaves)
	}

	start, ok := p.Search(0, last, d, n)
	require.True(t, ok)
	require.Equal(t, bookahead.Time(115), start)
	known := p.root.bounds(classOf(n), 0, n)
	for k, leaf := range leaves {
		b := known.word[k].get()
		if leaf.word == (run{}) {
			require.Equal(t, unknown, b, "leaf %d", k)
			continue
		}
		require.Zero(t, b&loose)
		require.Equal(t, leaf.word, unpack(b, bookahead.MaxTime), "leaf %d", k)
	}
	_, err := p.check()
	require.NoError(t, err)
}
