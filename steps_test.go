package bookahead_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/carts"
	"github.com/bookahead/bookahead/internal/structures"
)

// stepsOf joins ticks to steps.
func stepsOf(list []tick) (steps []bookahead.Step) {
	for _, x := range list {
		if n := len(steps); n > 0 && steps[n-1].Free == x.free {
			steps[n-1].End++
			continue
		}
		steps = append(steps, bookahead.Step{Interval: bookahead.Interval{Start: x.at, End: x.at + 1}, Free: x.free})
	}
	return steps
}

// Steps, NextChange and PreviousChange agree with a count tick by tick, bare and locked.
func TestSteps(t *testing.T) {
	each(t, func(t *testing.T, empty bookahead.Keeper) {
		rapid.Check(t, func(t *rapid.T) {
			s := drawHistory(t, empty)
			w := drawWindow(t, s)
			all := stepsOf(ticks(t, s, s.Frame().Window()))
			at := s.Frame().Now + drawn[bookahead.Time](t, -10, horizon+10, "at")
			var next, previous bookahead.Time // 0 if there is none
			for _, change := range all[1:] {
				if change.Start <= at {
					previous = change.Start
				} else if next == 0 {
					next = change.Start
				}
			}
			want := stepsOf(ticks(t, s, w))
			for _, s := range []bookahead.Schedule{s, bookahead.Locked(s)} {
				steps, ok := bookahead.Steps(s, w)
				_, profiles := bookahead.Blocks(s, w)
				require.Equal(t, profiles, ok)
				if !ok {
					_, ok = bookahead.NextChange(s, at)
					require.False(t, ok)
					_, ok = bookahead.PreviousChange(s, at)
					require.False(t, ok)
					continue
				}
				require.Equal(t, want, slices.Collect(steps), "%v", w)
				for first := range steps { // again, and not to the end
					require.Equal(t, want[0], first)
					break
				}
				got, ok := bookahead.NextChange(s, at)
				require.Equal(t, next > 0, ok, "after %d: %d", at, got)
				if ok {
					require.Equal(t, next, got, "after %d", at)
				}
				got, ok = bookahead.PreviousChange(s, at)
				require.Equal(t, previous > 0, ok, "by %d: %d", at, got)
				if ok {
					require.Equal(t, previous, got, "by %d", at)
				}
			}
		})
	})
}

// A loop that stops at any step has seen the steps up to there.
func TestStepsStop(t *testing.T) {
	each(t, func(t *testing.T, s bookahead.Keeper) {
		for k := range bookahead.Time(9) {
			_, err := s.Reserve(bookahead.At(7*k+7, 14, 1+int64(k)%4))
			require.NoError(t, err)
		}
		steps, ok := bookahead.Steps(s, s.Frame().Window())
		if !ok {
			return
		}
		all := slices.Collect(steps)
		require.Greater(t, len(all), 8)
		for n := range all {
			var some []bookahead.Step
			for step := range steps {
				some = append(some, step)
				if len(some) == n+1 {
					break
				}
			}
			require.Equal(t, all[:n+1], some)
		}
	})
}

// unlimited runs a test on each pool that needs no horizon, with the largest capacity there is.
func unlimited(t *testing.T, test func(t *testing.T, s bookahead.Keeper)) {
	for _, st := range structures.Simple() {
		if st.Slotted() || st.Servers {
			continue
		}
		t.Run(st.Name, func(t *testing.T) {
			s, err := st.New(math.MaxInt64, structures.Config{Origin: 5})
			require.NoError(t, err)
			test(t, s)
		})
	}
}

// The steps go to the end of the axis, and a change at the end is no change.
func TestStepsToTheEndOfTheAxis(t *testing.T) {
	const most, end = math.MaxInt64, bookahead.MaxTime
	whole := bookahead.Interval{Start: math.MinInt64, End: end}
	unlimited(t, func(t *testing.T, s bookahead.Keeper) {
		check := func(want ...bookahead.Step) {
			t.Helper()
			steps, ok := bookahead.Steps(s, whole)
			require.True(t, ok)
			require.Equal(t, want, slices.Collect(steps))
			for k, step := range want {
				for _, at := range []bookahead.Time{step.Start, step.Start + step.Interval.End/2 - step.Start/2, step.End - 1} {
					change, ok := bookahead.NextChange(s, at)
					require.Equal(t, k+1 < len(want), ok)
					if ok {
						require.Equal(t, step.End, change)
					}
					change, ok = bookahead.PreviousChange(s, at)
					require.Equal(t, k > 0, ok)
					if ok {
						require.Equal(t, step.Start, change)
					}
				}
			}
			for _, past := range []bookahead.Time{math.MinInt64, 4} {
				_, ok := bookahead.PreviousChange(s, past)
				require.False(t, ok)
				change, ok := bookahead.NextChange(s, past)
				require.Equal(t, len(want) > 1, ok)
				if ok {
					require.Equal(t, want[1].Start, change)
				}
			}
			_, ok = bookahead.NextChange(s, end)
			require.False(t, ok)
			change, ok := bookahead.PreviousChange(s, end)
			require.Equal(t, len(want) > 1, ok)
			if ok {
				require.Equal(t, want[len(want)-1].Start, change)
			}
		}
		step := func(start, end bookahead.Time, free int64) bookahead.Step {
			return bookahead.Step{Interval: bookahead.Interval{Start: start, End: end}, Free: free}
		}
		check(step(5, end, most))
		book := func(r bookahead.Request) {
			t.Helper()
			_, err := s.Reserve(r)
			require.NoError(t, err)
		}
		book(bookahead.At(10, bookahead.Duration(end-10), most-1))
		check(step(5, 10, most), step(10, end, 1))
		book(bookahead.At(5, 5, most))
		check(step(5, 10, 0), step(10, end, 1))
		book(bookahead.At(end-1, 1, 1))
		check(step(5, 10, 0), step(10, end-1, 1), step(end-1, end, 0))
		require.NoError(t, s.Advance(end-1))
		check(step(end-1, end, 0))
		require.NoError(t, s.Advance(end))
		check()
	})
}

// A caller who asks for a few steps pays for a few, however many come before or after.
func TestStepsAreLazy(t *testing.T) {
	pool, err := carts.NewIndexed(10, carts.Config{})
	require.NoError(t, err)
	const n = 10_000
	for k := range bookahead.Time(n) {
		_, err := pool.Reserve(bookahead.At(10*k, 5, 1+int64(k)%3))
		require.NoError(t, err)
	}
	blocks := 0
	s := counted{pool, &blocks}
	read := func() int {
		n := blocks
		blocks = 0
		return n
	}
	steps, ok := bookahead.Steps(s, s.Frame().Window())
	require.True(t, ok)
	require.Zero(t, read())
	for step := range steps {
		if step.Start == 50 {
			break
		}
	}
	require.LessOrEqual(t, read(), 11+2)
	change, ok := bookahead.NextChange(s, n*5+1)
	require.True(t, ok)
	require.Equal(t, bookahead.Time(n*5+5), change)
	require.LessOrEqual(t, read(), 1+2)
	change, ok = bookahead.PreviousChange(s, n*20)
	require.True(t, ok)
	require.Equal(t, bookahead.Time(n*10-5), change)
	require.Less(t, read(), 100)
}

// The functions return false if there is no profile to read.
func TestStepsWithoutAProfile(t *testing.T) {
	flat := newFlat(t)
	whole := flat.Frame().Window()
	type frameless struct{ bookahead.Profiler }
	for _, s := range []bookahead.Schedule{plain{flat}, frameless{flat}, keepsBooks{flat}, bookahead.Locked(keepsBooks{flat})} {
		_, ok := bookahead.Steps(s, whole)
		require.False(t, ok, "%T", s)
		_, ok = bookahead.NextChange(s, 0)
		require.False(t, ok, "%T", s)
		_, ok = bookahead.PreviousChange(s, 0)
		require.False(t, ok, "%T", s)
		_, ok = bookahead.Rectangles(s, whole, 1)
		require.False(t, ok, "%T", s)
		k, keeps := s.(bookahead.Keeper)
		if keeps {
			used, free, ok := bookahead.Usage(k, whole)
			require.False(t, ok, "%T", s)
			require.Nil(t, used)
			require.Nil(t, free)
		}
	}
}
