package avail

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
)

// A tick that fits is found, although it lies further from the origin than a Duration can say.
func TestStartsFarFromTheOrigin(t *testing.T) {
	const first, last = math.MinInt64, math.MaxInt64
	for _, x := range []struct {
		a    Axis
		i    int
		want bookahead.Time
		ok   bool
	}{
		{Axis{Origin: -1, Width: 1 << 61}, 4, last, true},
		{Axis{Origin: 0, Width: 1 << 61}, 4, 0, false},
		{Axis{Origin: first, Width: last}, 2, last - 1, true},
		{Axis{Origin: first, Width: last}, 3, 0, false},
		{Axis{Origin: last, Width: last}, -2, first + 1, true},
		{Axis{Origin: last, Width: last}, -3, 0, false},
		{Axis{Origin: last, Width: 1}, 1, 0, false},
		{Axis{Origin: first, Width: 1}, -1, 0, false},
		{Axis{Origin: 7, Width: 5}, -2, -3, true},
		{Axis{Origin: 7, Width: 5}, 0, 7, true},
	} {
		got, err := x.a.Start(x.i)
		require.Equal(t, x.ok, err == nil, "%+v, %d: %v", x.a, x.i, err)
		require.Equal(t, x.want, got, "%+v, %d", x.a, x.i)
		if !x.ok {
			require.ErrorIs(t, err, bookahead.ErrInvalid)
		}
	}
}
