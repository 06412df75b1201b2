package profile

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
	"github.com/bookahead/bookahead/scheduletest"
)

// scan is the oracle of a hunt: it looks at every step.
func scan(steps []pool.Step, first, last, d bookahead.Time, n int64) (bookahead.Time, bool) {
	t := first
	for i, s := range steps {
		end := bookahead.MaxTime
		if i+1 < len(steps) {
			end = steps[i+1].Start
		}
		if end <= t {
			continue
		}
		if s.Start >= t+d {
			break
		}
		if s.Free < n {
			t = end
		}
	}
	return t, t <= last
}

// compareScan searches a tree, and its steps one by one.
func compareScan(t *testing.T, p *Tree[int32], steps []pool.Step, first, last, d bookahead.Time, n int64) {
	t.Helper()
	got, ok := p.Search(first, last, d, n)
	want, wantOK := scan(steps, first, last, d, n)
	require.Equal(t, wantOK, ok, "from %d to %d, %d ticks, %d units", first, last, d, n)
	if ok {
		require.Equal(t, want, got, "from %d to %d, %d ticks, %d units", first, last, d, n)
	}
}

// shortRuns returns a profile of 60 leaves with 6 steps each, of 5 ticks a step. In most leaves
// runs are short, so that a hunt skips them. Others are free throughout, or have long runs, or
// little free. Durations are often twice as long as a run, or as a few of them.
func shortRuns(rng *rand.Rand) []pool.Step {
	var steps []pool.Step
	at := bookahead.Time(0)
	kind := 0
	for range 60 {
		if kind != 8 || rng.IntN(3) == 0 { // leaves free throughout come side by side
			kind = rng.IntN(12)
		}
		for i := range 6 {
			free := int64(i % 2)
			many := false
			switch kind {
			case 8:
				many = true
			case 9:
				many = rng.IntN(3) > 0
			case 10:
				free += 2
			case 11: // little free
			default:
				many = rng.IntN(4) == 0 || (i == 0 || i == 5) && rng.IntN(2) == 0
			}
			if many {
				free += 4
			}
			if len(steps) > 0 && steps[len(steps)-1].Free == free {
				free += 2
			}
			steps = append(steps, pool.Step{Start: at, Free: free})
			at += 5
		}
	}
	return append(steps, pool.Step{Start: at, Free: 9})
}

// TestHuntAmongShortRuns: a hunt that skips leaves with short runs finds the start that a scan
// finds.
func TestHuntAmongShortRuns(t *testing.T) {
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 1))
		steps := shortRuns(rng)
		p := New[int32](steps, Knobs{Width: []int{8, 16, 106}[rng.IntN(3)], Patience: rng.IntN(2), Astray: rng.IntN(4)})
		end := int(steps[len(steps)-1].Start)
		for range 40 {
			first := bookahead.Time(rng.IntN(end))
			n, d := int64(1+rng.IntN(7)), bookahead.Time(1+rng.IntN(60))
			last := first + bookahead.Time(rng.IntN(end))
			switch rng.IntN(4) {
			case 0, 1:
				d = d/5*5 + 5
			case 2:
				d += 60 // so that a leaf free throughout is short too
			}
			compareScan(t, p, steps, first, last, d, n)
		}
		_, err := p.check()
		require.NoError(t, err, "seed %d", seed)
	}
}

// anySteps returns a profile with steps of 1 to 10 ticks. How many of them have much free differs
// from profile to profile.
func anySteps(rng *rand.Rand) []pool.Step {
	var steps []pool.Step
	at, before, share := bookahead.Time(0), int64(-1), 0.2+0.6*rng.Float64()
	for range 600 + rng.IntN(3000) {
		free := int64(rng.IntN(4))
		if rng.Float64() < share {
			free = 4 + int64(rng.IntN(5))
		}
		if free == before {
			free = (free + 1) % 9
		}
		before = free
		steps = append(steps, pool.Step{Start: at, Free: free})
		at += bookahead.Time(1 + rng.IntN(10))
	}
	return append(steps, pool.Step{Start: at, Free: 9})
}

// TestHuntBetweenChanges: a tree and its clones change between hunts, so that their bounds come
// from other profiles, and hunts still find the starts that a scan finds.
func TestHuntBetweenChanges(t *testing.T) {
	for seed := range uint64(max(50, scheduletest.Operations()/250)) {
		rng := rand.New(rand.NewPCG(seed, 1))
		steps := anySteps(rng)
		end := int(steps[len(steps)-1].Start)
		trees := []*Tree[int32]{New[int32](steps, Knobs{Width: 8 + rng.IntN(98), Patience: rng.IntN(2), Astray: rng.IntN(6)})}
		for range 60 {
			p := trees[rng.IntN(len(trees))]
			first := bookahead.Time(rng.IntN(end))
			switch rng.IntN(6) {
			case 0:
				length := 1 + rng.IntN(end/4)
				if rng.IntN(2) == 0 {
					length = 1 + rng.IntN(20)
				}
				at := bookahead.Interval{Start: first, End: first + bookahead.Time(length)}
				if rng.IntN(2) == 0 {
					p.Change(at, 1)
				} else if p.Least(at) > 0 {
					p.Change(at, -1)
				}
			case 1:
				if len(trees) < 4 {
					trees = append(trees, p.Clone())
				}
			default:
				n, d := int64(1+rng.IntN(8)), bookahead.Time(1+rng.IntN(120))
				compareScan(t, p, p.All(), first, first+bookahead.Time(rng.IntN(end)), d, n)
			}
		}
		for _, p := range trees {
			_, err := p.check()
			require.NoError(t, err, "seed %d", seed)
		}
	}
}
