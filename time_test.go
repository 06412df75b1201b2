package bookahead_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
)

func TestSumsNeverWrap(t *testing.T) {
	const least, most = math.MinInt64, math.MaxInt64
	for _, c := range []struct {
		t  bookahead.Time
		d  bookahead.Duration
		ok bool
	}{
		{0, 0, true}, {5, -3, true}, {most, 0, true}, {most, 1, false}, {most, most, false}, {most, least, true},
		{least, 0, true}, {least, -1, false}, {least, least, false}, {-1, least, false}, {0, least, true}, {1, most, false},
	} {
		sum, err := c.t.Add(c.d)
		require.Equal(t, c.ok, err == nil, "%d + %d", c.t, c.d)
		if c.ok {
			require.Equal(t, c.t+bookahead.Time(c.d), sum)
		} else {
			require.ErrorIs(t, err, bookahead.ErrInvalid)
		}
	}
	for _, c := range []struct {
		t, u bookahead.Time
		ok   bool
	}{
		{0, 0, true}, {3, 5, true}, {0, most, true}, {-1, most, true}, {-2, most, false}, {0, least, false},
		{-1, least, true}, {least, least, true}, {most, least, false}, {most, -1, false}, {least, 1, false},
	} {
		diff, err := c.t.Sub(c.u)
		require.Equal(t, c.ok, err == nil, "%d - %d", c.t, c.u)
		if c.ok {
			require.Equal(t, bookahead.Duration(c.t-c.u), diff)
		}
	}
}

func TestIntervals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) bookahead.Interval {
			return bookahead.Interval{
				Start: bookahead.Time(rapid.IntRange(-3, 9).Draw(t, label)),
				End:   bookahead.Time(rapid.IntRange(-3, 9).Draw(t, label)),
			}
		}
		a, b := draw("a"), draw("b")
		both, n := 0, 0
		for tick := bookahead.Time(-5); tick < 12; tick++ {
			if a.Contains(tick) {
				n++
			}
			if a.Contains(tick) && b.Contains(tick) {
				both++
			}
			require.Equal(t, a.Contains(tick) && b.Contains(tick), a.Intersect(b).Contains(tick))
		}
		require.Equal(t, bookahead.Duration(n), a.Len())
		require.Equal(t, n == 0, a.Empty())
		require.Equal(t, both > 0, a.Overlaps(b))
		require.Equal(t, bookahead.Duration(both), a.Intersect(b).Len())
	})
	all := bookahead.Interval{Start: math.MinInt64, End: math.MaxInt64}
	require.Equal(t, bookahead.Duration(math.MaxInt64), all.Len(), "as many as there can be")
	require.Equal(t, "[2, 5)", bookahead.Interval{Start: 2, End: 5}.String())
}

func TestClock(t *testing.T) {
	epoch := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	minutes := bookahead.Clock{Epoch: epoch, Tick: time.Minute}
	for wall, want := range map[time.Duration][2]bookahead.Time{ // floor, ceil
		0: {0, 0}, time.Second: {0, 1}, time.Minute: {1, 1}, 61 * time.Second: {1, 2}, -time.Second: {-1, 0}, -time.Minute: {-1, -1},
	} {
		floor, err := minutes.Floor(epoch.Add(wall))
		require.NoError(t, err)
		ceil, err := minutes.Ceil(epoch.Add(wall))
		require.NoError(t, err)
		require.Equal(t, want, [2]bookahead.Time{floor, ceil}, wall)
	}
	back, err := minutes.Wall(90)
	require.NoError(t, err)
	require.Equal(t, epoch.Add(90*time.Minute), back)
	n, err := minutes.Ticks(90 * time.Second)
	require.NoError(t, err)
	require.Equal(t, bookahead.Duration(2), n, "never shorter than asked for")

	_, err = minutes.Wall(math.MaxInt64)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	_, err = minutes.Wall(1 << 40)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	_, err = minutes.Floor(epoch.AddDate(500, 0, 0))
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	_, err = minutes.Ceil(epoch.AddDate(-500, 0, 0))
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	backwards := bookahead.Clock{Tick: -1}
	_, err = backwards.Floor(epoch)
	require.ErrorContains(t, err, "Clock.Tick -1ns is negative")
	_, err = backwards.Wall(0)
	require.ErrorIs(t, err, bookahead.ErrInvalid)
	_, err = backwards.Ticks(1)
	require.ErrorIs(t, err, bookahead.ErrInvalid)

	seconds := bookahead.Clock{Epoch: epoch} // the zero Tick
	at, err := seconds.Floor(epoch.Add(3500 * time.Millisecond))
	require.NoError(t, err)
	require.Equal(t, bookahead.Time(3), at)
}
