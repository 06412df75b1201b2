package volume

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest"
)

// drawSteps draws steps, of which some touch, some have the same units as the one before, and some have none.
func drawSteps(rng *rand.Rand) (list []bookahead.Step, free []int64) {
	free = make([]int64, horizon)
	for t := bookahead.Time(rng.IntN(3)); t < horizon; {
		s := bookahead.Step{Interval: bookahead.Interval{Start: t, End: t + 1 + bookahead.Time(rng.IntN(4))}, Free: rng.Int64N(capacity + 1)}
		s.End = min(s.End, horizon)
		list = append(list, s)
		for tick := s.Start; tick < s.End; tick++ {
			free[tick] = s.Free
		}
		t = s.End + max(0, bookahead.Time(rng.IntN(4)-2))
	}
	return list, free
}

// Units of two lists are planned as the brute force plans their least.
func TestMeetAgainstBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 4))
	for range scheduletest.Operations() / 3 {
		a, free := drawSteps(rng)
		b, other := drawSteps(rng)
		both := Meet(a, b)
		for t := range free {
			free[t] = min(free[t], other[t])
		}
		for i, s := range both {
			require.False(t, s.Empty())
			if i > 0 {
				require.LessOrEqual(t, both[i-1].End, s.Start)
				require.False(t, both[i-1].End == s.Start && both[i-1].Free == s.Free)
			}
			for tick := s.Start; tick < s.End; tick++ {
				require.Equal(t, free[tick], s.Free)
			}
		}
		r := drawRequest(rng)
		steps := both
		if rng.IntN(2) == 0 { // also steps that could be one
			steps = nil
			for tick, n := range free {
				at := bookahead.Time(tick)
				steps = append(steps, bookahead.Step{Interval: bookahead.Interval{Start: at, End: at + 1}, Free: n})
			}
		}
		p, err := SearchSteps(slices.Values(steps), r, bookahead.Effort{})
		if r.Validate() != nil {
			require.ErrorIs(t, err, bookahead.ErrInvalid)
			continue
		}
		cost := brute(free, 0, r)
		if cost == nil {
			require.ErrorIs(t, err, bookahead.ErrUnavailable, "%+v in %v", r, free)
			continue
		}
		require.NoError(t, err, "%+v in %v: at %d", r, free, cost)
		require.Zero(t, cost.Cmp(bruteCost(r, p.Completion(), len(p.Stretches)-1)), "%+v in %v: %+v", r, free, p)
		check(t, free, 0, r, p)
	}
	_, err := SearchSteps(slices.Values([]bookahead.Step{}), Request{Volume: 1}, bookahead.Effort{Steps: -1})
	require.ErrorContains(t, err, "Effort.Steps")
}

// Nothing before tick 0 is free, as in a schedule.
func TestStepsBeforeTheAxis(t *testing.T) {
	for _, c := range []struct {
		from, to, end bookahead.Time // 0 for no plan
	}{{-10, -4, 0}, {-10, 2, 0}, {-10, 5, 3}, {1, 5, 4}} {
		steps := []bookahead.Step{{Interval: bookahead.Interval{Start: c.from, End: c.to}, Free: 1}}
		p, err := SearchSteps(slices.Values(steps), Request{Ready: -10, Volume: 3, Price: 1}, bookahead.Effort{})
		if c.end == 0 {
			require.ErrorIs(t, err, bookahead.ErrUnavailable)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.end, p.Completion())
		require.Equal(t, c.end, p.Cost)
	}
}
