package window

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/depth"
)

// A tight window has a slowest node under tariffs, too: the round of a shorter length stops at each
// start of a longer round, and finds the same slots there.
func TestFirstFitIsTightUnderTariffs(t *testing.T) {
	rng := rand.New(rand.NewPCG(28, 1))
	found := 0
	for range depth.Cases(30_000) {
		e, j := hard(t, rng, 8+rng.IntN(12))
		j.Volume, j.Shape = 30, Tight
		w, err := FirstFit(e, j)
		if err != nil {
			require.Equal(t, bookahead.ErrUnavailable, err)
			continue
		}
		found++
		requireTight(t, e, j, w)
	}
	require.NotZero(t, found)
}

// The fast nodes have a window early, so that the rounds of the slow nodes, whose slots come late, have nothing to find. They
// end before they look at all slots.
func TestFirstFitEndsWhereNothingIsEarlier(t *testing.T) {
	const count = 300
	var nodes []Node
	var slots []Slot
	for i := range count {
		nodes = append(nodes, Node{Performance: 1 / float64(1+i), Price: 1})
		slots = append(slots, Slot{Node: i, Interval: bookahead.Interval{Start: bookahead.Time(i), End: bookahead.MaxTime}})
	}
	e, err := New(nodes, slots)
	require.NoError(t, err)
	j := Job{Nodes: 2, Volume: 1, Budget: 1e9, Effort: bookahead.Effort{Steps: 10 * count}}
	w, err := FirstFit(e, j)
	require.NoError(t, err)
	require.EqualValues(t, 1, w.Start)
}
