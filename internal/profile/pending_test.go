package profile

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
)

// A pending add far up in the tree counts in all numbers below it, when a step there is changed.
func TestChangesBelowPendingOnes(t *testing.T) {
	const slots, step = 600, 4
	var flat []pool.Step
	for i := range bookahead.Time(slots) {
		flat = append(flat, pool.Step{Start: i * step, Free: 50 + int64(i%7)})
	}
	free := make([]int64, slots*step)
	for i := range free {
		free[i] = flat[i/step].Free
	}
	p := New[int32](flat, Knobs{Width: 8})
	require.NotNil(t, p.root.kid[0].inner.kid[0].inner, "adds lie on two levels above a node with kids")
	change := func(start, end bookahead.Time, delta int32) {
		p.Change(bookahead.Interval{Start: start, End: end}, int64(delta))
		for i := start; i < end; i++ {
			free[i] += int64(delta)
		}
	}
	compare := func() {
		got, err := p.check()
		require.NoError(t, err)
		for k, s := range got {
			for i := s.Start; i < bookahead.Time(len(free)) && (k+1 == len(got) || i < got[k+1].Start); i++ {
				require.Equal(t, s.Free, free[i], "free at %d", i)
			}
		}
	}
	end := bookahead.Time(len(free))
	for k, wide := range []bookahead.Interval{{Start: 1, End: end - 1}, {Start: end / 5, End: end / 2}, {Start: end / 3, End: end - 9}} {
		change(wide.Start, wide.End, int32(-9-k))
		compare()
		for at := bookahead.Time(0); at+step < end; at += 37 {
			change(at, at+step, -3)
			change(at+1, at+step, 2)
			compare()
		}
	}
}

// Changes of wide intervals lie far up, and the changes that undo them piece by piece lie in the
// leaves, so that sums drift away from each other until they wrap around. Bounds have a floor in
// the frame of a node, which drifts with it.
func TestSumsThatWrapAround(t *testing.T) {
	const cells, ticks, all = 150, 10, math.MaxInt32
	var flat []pool.Step
	for i := range bookahead.Time(cells) {
		flat = append(flat, pool.Step{Start: i * ticks, Free: all - int64(i*i*37%1000)})
	}
	flat = append(flat, pool.Step{Start: cells * ticks, Free: 0})
	for _, wideFirst := range []bool{true, false} {
		p := New[int32](flat, Knobs{Width: 8, Astray: 1})
		free := make([]int64, cells)
		for i := range free {
			free[i] = flat[i].Free
		}
		rng := rand.New(rand.NewPCG(4, 4))
		wraps, sign := 0, int32(-1)
		change := func(i, j int, delta int32) {
			p.Change(bookahead.Interval{Start: bookahead.Time(i * ticks), End: bookahead.Time(j * ticks)}, int64(delta))
			for ; i < j; i++ {
				free[i] += int64(delta)
			}
			for _, kid := range p.root.kid[:p.root.n] {
				for _, add := range kid.add[:kid.n] {
					if sum := add + p.root.add[1]; sum < 0 == (sign > 0) {
						wraps++
					}
				}
			}
		}
		compare := func() {
			_, err := p.check()
			require.NoError(t, err)
			for range 8 {
				n, d := 1+rng.Int64N(all), 1+rng.IntN(90)
				if rng.IntN(2) == 0 {
					n = min(all, max(1, free[rng.IntN(cells)]-rng.Int64N(3)+1))
				}
				want, run := -1, 0
				for i := 0; i < cells && want < 0; i++ {
					run++
					if free[i] < n {
						run = 0
					}
					if run*ticks >= d {
						want = (i - run + 1) * ticks
					}
				}
				got, ok := p.Search(0, cells*ticks, bookahead.Time(d), n)
				require.Equal(t, want >= 0, ok, "%d units for %d ticks", n, d)
				if ok {
					require.EqualValues(t, want, got, "%d units for %d ticks", n, d)
				}
			}
		}
		const taken = all - 1000
		if !wideFirst {
			sign = 1
			for i := 0; i < cells; i += 5 {
				change(i, i+5, -taken)
				compare()
			}
		}
		for range 12 {
			change(0, cells, sign*taken)
			compare()
			for i := 0; i < cells; i += 5 {
				change(i, i+5, -sign*taken)
				compare()
			}
		}
		require.NotZero(t, wraps)
	}
}
