package window

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// A tight window has a slowest node under tariffs, too: the round of a shorter length stops at each
// start of a longer round, and finds the same slots there.
func TestFirstFitIsTightUnderTariffs(t *testing.T) {
	rng := rand.New(rand.NewPCG(28, 1))
	found := 0
	for range 30_000 {
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
