package idletree

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// The lowest number of a server is 0 in its last 32 bits. A schedule has no such server, so that
// no reservation holds it, with and without an index.
func TestServersBeyond32BitsHoldNothing(t *testing.T) {
	x, err := NewTree(2, Config{})
	require.NoError(t, err)
	_, err = x.Reserve(bookahead.At(0, 5, 2))
	require.NoError(t, err)
	for _, on := range []bool{false, true} {
		x.Track(on)
		for res := range x.ReservationsOn(bookahead.Interval{Start: 0, End: 5}, []int{math.MinInt}) {
			t.Errorf("index %v: %v", on, res)
		}
	}
}
