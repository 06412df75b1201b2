package bench_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/bench"
)

func TestStructures(t *testing.T) {
	seen := map[string]bool{}
	for _, st := range bench.Structures() {
		require.False(t, seen[st.Name], "%s is there twice", st.Name)
		seen[st.Name] = true

		s, err := st.New(3, bench.Config{Origin: 5, Horizon: 1000})
		require.NoError(t, err, st.Name)
		require.ErrorIs(t, s.Advance(4), bookahead.ErrInvalid, "%s ignores the origin", st.Name)
		_, err = s.Search(bookahead.Request{Ready: 2000, Duration: 1, Units: 1})
		require.Equal(t, bookahead.ErrUnavailable, err, "%s ignores the horizon", st.Name)
		_, err = s.Search(bookahead.Request{Duration: 1, Units: 4})
		require.ErrorIs(t, err, bookahead.ErrInvalid, "%s ignores the capacity", st.Name)

		s, err = st.New(0, bench.Config{Horizon: 1000})
		require.ErrorIs(t, err, bookahead.ErrInvalid, st.Name)
		require.True(t, s == nil, "%s: an error, and a schedule", st.Name)
	}
	require.Equal(t, bench.Default, bench.Structures()[0].Name)
}

// TestSlotWidths books a tick, and sees the slot taken that the name promises.
func TestSlotWidths(t *testing.T) {
	for _, st := range bench.Structures() {
		width := bookahead.Time(1)
		if _, after, ok := strings.Cut(st.Name, "-"); ok && !strings.HasPrefix(st.Name, "idletree.") {
			n, err := strconv.Atoi(after)
			require.NoError(t, err, st.Name)
			width = bookahead.Time(n)
		}
		s, err := st.New(3, bench.Config{Horizon: 10_000})
		require.NoError(t, err, st.Name)
		_, err = s.Reserve(bookahead.Request{Duration: 1, Units: 1})
		require.NoError(t, err, st.Name)
		for at, free := range map[bookahead.Time]int64{width - 1: 2, width: 3} {
			a, err := s.RangeQuery(bookahead.Interval{Start: at, End: at + 1})
			require.NoError(t, err, st.Name)
			require.Equal(t, free, a.Free, "%s at %d", st.Name, at)
		}
	}
}
