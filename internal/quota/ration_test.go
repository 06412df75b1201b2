package quota

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/cow"
	"github.com/bookahead/bookahead/internal/depth"
	"github.com/bookahead/bookahead/internal/effort"
)

// drawAllowances draws bounds of unit-ticks, with some use in so many ticks.
func drawAllowances(rng *rand.Rand, ticks int) (list []Allowance) {
	var owner cow.Owner
	owner.Renew()
	for range 1 + rng.IntN(3) {
		b := &Bounds{Ticks: 1 + rng.Int64N(12)}
		if rng.IntN(3) > 0 {
			b.From, b.Every = bookahead.Time(rng.IntN(5)), bookahead.Duration(1+rng.IntN(ticks))
		}
		if b.Every == 0 || rng.IntN(3) == 0 {
			for at := rng.IntN(3); at < ticks; at += rng.IntN(3) {
				end := at + 1 + rng.IntN(ticks)
				b.Periods = append(b.Periods, bookahead.Interval{Start: bookahead.Time(at), End: bookahead.Time(end)})
				at = end
			}
		}
		x := Allowance{Bounds: b}
		for range rng.IntN(3) {
			start := bookahead.Time(rng.IntN(ticks))
			x.Has.Add(owner, bookahead.Interval{Start: start, End: start + 1 + bookahead.Time(rng.IntN(4))}, 1+rng.Int64N(2))
		}
		list = append(list, x)
	}
	return list
}

// bound is a period, and how many unit-ticks it still has.
type bound struct {
	bookahead.Interval
	left int64
}

// boundsIn returns all periods in so many ticks.
func boundsIn(of []Allowance, ticks int) (list []bound) {
	for _, x := range of {
		periods := x.Bounds.Periods
		for start := x.Bounds.From; x.Bounds.Every > 0 && start < bookahead.Time(ticks); start += bookahead.Time(x.Bounds.Every) {
			periods = append(periods[:len(periods):len(periods)], window(start, x.Bounds.Every))
		}
		for _, p := range periods {
			used := int64(0)
			for t := p.Start; t < p.End; t++ {
				value, _ := x.Has.at(t)
				used += int64(value.low)
			}
			list = append(list, bound{p, max(0, x.Bounds.Ticks-used)})
		}
	}
	return list
}

// most returns the most unit-ticks from a tick on, by trying all ways.
func most(free []int64, at int, list []bound) (best int64) {
	if at == len(free) {
		return 0
	}
	units := free[at]
	for _, b := range list {
		if b.Contains(bookahead.Time(at)) {
			units = min(units, b.left)
		}
	}
	for n := range units + 1 {
		for i := range list {
			if list[i].Contains(bookahead.Time(at)) {
				list[i].left -= n
			}
		}
		best = max(best, n+most(free, at+1, list))
		for i := range list {
			if list[i].Contains(bookahead.Time(at)) {
				list[i].left += n
			}
		}
	}
	return best
}

// drawFree draws free units for so many ticks, and the steps of them.
func drawFree(rng *rand.Rand, ticks int, units int64) (free []int64, steps []bookahead.Step) {
	for len(free) < ticks {
		n, end := rng.Int64N(units+1), min(ticks, len(free)+1+rng.IntN(ticks))
		if n > 0 {
			steps = append(steps, bookahead.Step{Interval: bookahead.Interval{Start: bookahead.Time(len(free)), End: bookahead.Time(end)}, Free: n})
		}
		for len(free) < end {
			free = append(free, n)
		}
	}
	return free, steps
}

// meterOf returns a meter of so many steps.
func meterOf(t *testing.T, steps int64) *effort.Meter {
	m, err := effort.New(bookahead.Effort{Steps: steps})
	require.NoError(t, err)
	return &m
}

// atTicks returns the units of steps at each of some ticks.
func atTicks(steps []bookahead.Step, ticks int) []int64 {
	list := make([]int64, ticks)
	for _, s := range steps {
		for t := s.Start; t < s.End; t++ {
			list[t] += s.Free
		}
	}
	return list
}

// No other use has more by any tick, whatever periods there are.
func TestRationTakesTheMost(t *testing.T) {
	const ticks = 6
	rng := rand.New(rand.NewPCG(45, 1))
	for range depth.Cases(4_000) {
		free, steps := drawFree(rng, ticks, 3)
		of := drawAllowances(rng, ticks)
		got := atTicks(Ration(steps, 1, math.MaxInt64, of, 1000, meterOf(t, 1000)), ticks)
		list, sum := boundsIn(of, ticks), int64(0)
		for tick, n := range got {
			sum += n
			require.Equal(t, most(free[:tick+1], 0, list), sum, "by %d: %v of %v, %+v", tick+1, got, free, list)
		}
	}
}

// Long steps and equal periods are as if each tick took what is left.
func TestRationTickByTick(t *testing.T) {
	const ticks = 150
	rng := rand.New(rand.NewPCG(45, 2))
	for range depth.Cases(4_000) {
		free, steps := drawFree(rng, ticks, 9)
		of := drawAllowances(rng, 1+rng.IntN(40))
		for i := range of {
			of[i].Bounds.Ticks = 1 + rng.Int64N(120)
		}
		least, most := 1+rng.Int64N(3), 3+rng.Int64N(7)
		got := atTicks(Ration(steps, least, most, of, 1000, meterOf(t, 10_000)), ticks)
		list := boundsIn(of, ticks)
		for tick := range free {
			n := min(free[tick], most)
			for _, b := range list {
				if b.Contains(bookahead.Time(tick)) {
					n = min(n, b.left)
				}
			}
			if n < least {
				n = 0
			}
			for i := range list {
				if list[i].Contains(bookahead.Time(tick)) {
					list[i].left -= n
				}
			}
			require.Equal(t, n, got[tick], "at %d of %v, %+v", tick, steps, list)
		}
	}
}

// Numbers may be as great as can be, and periods that bind nothing cost nothing.
func TestRationOfMany(t *testing.T) {
	all := bookahead.Interval{Start: 0, End: bookahead.MaxTime}
	free := []bookahead.Step{{Interval: all, Free: 1 << 40}}
	loose := Allowance{Bounds: &Bounds{Ticks: 7 << 40, Every: 7}}
	m := meterOf(t, 50)
	require.Equal(t, free, Ration(free, 1, math.MaxInt64, []Allowance{loose}, 9, m))
	require.LessOrEqual(t, m.Steps(), int64(4))
	tight := Allowance{Bounds: &Bounds{Ticks: 7<<40 - 1, Every: 7}}
	list := Ration(free, 1, math.MaxInt64, []Allowance{tight, loose}, 9, m)
	require.Equal(t, []bookahead.Step{{Interval: bookahead.Interval{End: 6}, Free: 1 << 40}, {Interval: bookahead.Interval{Start: 6, End: 7}, Free: 1<<40 - 1}}, list[:2])
	require.Len(t, list, 10)
	require.False(t, m.Stopped())
	require.NotEmpty(t, Ration(free, 1, math.MaxInt64, []Allowance{tight, loose}, 1_000, m))
	require.True(t, m.Stopped())

	// Somebody else has all of each period for ever, but for the first.
	var owner cow.Owner
	owner.Renew()
	used := Allowance{Bounds: &Bounds{Ticks: 7 << 40, Every: 7}}
	used.Has.Add(owner, bookahead.Interval{Start: 7, End: bookahead.MaxTime}, 1<<40)
	m = meterOf(t, 50)
	require.Equal(t, []bookahead.Step{{Interval: bookahead.Interval{End: 7}, Free: 1 << 40}}, Ration(free, 1, math.MaxInt64, []Allowance{used}, 9, m))
	require.False(t, m.Stopped())

	free[0].Free = math.MaxInt64
	whole := Allowance{Bounds: &Bounds{Ticks: math.MaxInt64, Periods: []bookahead.Interval{all}}}
	list = Ration(free, 1, math.MaxInt64, []Allowance{whole}, 9, meterOf(t, 50))
	require.Equal(t, []bookahead.Step{{Interval: bookahead.Interval{End: 1}, Free: math.MaxInt64}}, list)
}
