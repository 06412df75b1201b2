package carts

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest"
)

// Found by the hunt: an extension until further notice ends with the axis, and a window that ends
// there too must not see the step behind it.
func TestAWindowThatEndsWithTheAxis(t *testing.T) {
	eachForm(t, forms, func(t *testing.T, f form) {
		s, err := f.target().New(scheduletest.Config{Capacity: 1})
		require.NoError(t, err)
		c, ok := s.(bookahead.Closable)
		if !ok || f.target().Servers {
			t.Skip("its capacity does not change")
		}
		_, err = c.Extend(bookahead.Closure{Interval: bookahead.Interval{Start: 0, End: math.MaxInt64}, Units: 1 << 40})
		require.NoError(t, err)
		const late = math.MaxInt64 - 7
		first, err := s.Reserve(bookahead.At(late+2, 1, 1))
		require.NoError(t, err)
		_, err = s.Reserve(bookahead.At(late, 1, 3))
		require.NoError(t, err)
		_, err = s.Reserve(bookahead.At(20, 1, 1<<20))
		require.NoError(t, err)
		_, err = s.(bookahead.Keeper).Rebook(first.ID, bookahead.At(1<<31, 1<<52, 1<<20))
		require.NoError(t, err)
		for _, start := range []bookahead.Time{late, late + 1, late + 2} {
			a, err := s.RangeQuery(bookahead.Interval{Start: start, End: math.MaxInt64})
			require.NoError(t, err)
			want := int64(1<<40 + 1)
			if start == late {
				want -= 3
			}
			require.Equal(t, want, a.Free, "from %d on", start)
		}
	})
}
