package profile

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/pool"
	"github.com/bookahead/bookahead/scheduletest"
)

// TestProfile changes profiles with narrow nodes, whose searches ask the index at once, and
// compares them with a cell for each tick. Some are stretched, so that the starts in a node lie
// far apart. It has found an update whose first edge divided a node, and which then took the
// wrong node for its last edge. It has also found a leaf whose first step became part of the leaf
// before, of which the index knew nothing.
func TestProfile(t *testing.T) {
	known, far := 0, map[bookahead.Time]int{}
	for seed := range uint64(max(50, scheduletest.Operations()/200)) {
		tick := []bookahead.Time{1, 1, 1 << 28, 1 << 40}[seed/4%4]
		if seed%4 == 3 {
			k, w := profileRun[int64](t, seed, math.MaxInt64, tick)
			known, far[tick] = known+k, far[tick]+w
		} else {
			k, w := profileRun[int32](t, seed, []int32{9, 1000, math.MaxInt32}[seed%3], tick)
			known, far[tick] = known+k, far[tick]+w
		}
	}
	require.Greater(t, known, 100, "the index has been of no use")
	require.Zero(t, far[1])
	require.NotZero(t, far[1<<28])
	require.NotZero(t, far[1<<40])
}

// cells is a profile as the number of booked units at each tick.
type cells [300]int64

func (c *cells) fits(at, d, n, capacity int64) bool {
	for i := at; i < min(at+d, int64(len(c))); i++ {
		if capacity-c[i] < n {
			return false
		}
	}
	return true
}

// world is a profile, and the cells that it must agree with; a cell stands for tick ticks.
type world[U Units] struct {
	p      *Tree[U]
	tick   bookahead.Time
	cells  cells
	booked []update[U]
	now    int64
}

func (w *world[U]) stretch(i bookahead.Interval) bookahead.Interval {
	return bookahead.Interval{Start: i.Start * w.tick, End: i.End * w.tick}
}

func (w *world[U]) change(i bookahead.Interval, delta U) { w.p.Change(w.stretch(i), int64(delta)) }

// profileRun returns how many bounds searches have found in the end, and in how many nodes starts
// lie far apart.
func profileRun[U Units](t *testing.T, seed uint64, capacity U, tick bookahead.Time) (known, far int) {
	rng := rand.New(rand.NewPCG(seed, 1))
	all := int64(capacity)
	worlds := []*world[U]{{p: New[U]([]pool.Step{{Start: 0, Free: all}}, Knobs{Width: 8, Astray: int(seed % 3)}), tick: tick}}
	add := func(w *world[U], u update[U]) {
		for i := u.Start; i < u.End; i++ {
			w.cells[i] -= int64(u.delta)
		}
	}
	for range 300 {
		w := worlds[rng.IntN(len(worlds))]
		start := w.now + rng.Int64N(200-w.now)
		d := 1 + rng.Int64N(18)
		n := 1 + rng.Int64N(1+all/4)
		switch rng.IntN(8) {
		case 0:
			n = 1 + rng.Int64N(all)
		case 1, 2:
			d, n = 1+rng.Int64N(290-start), 1+rng.Int64N(1+all/8) // most of the axis
		}
		at := bookahead.Interval{Start: bookahead.Time(start), End: bookahead.Time(start + d)}
		switch k := rng.IntN(20); {
		case k < 8 && len(w.booked) > 0: // give back
			i := rng.IntN(len(w.booked))
			u := w.booked[i]
			w.booked[i] = w.booked[len(w.booked)-1]
			w.booked = w.booked[:len(w.booked)-1]
			u.Start, u.delta = max(u.Start, bookahead.Time(w.now)), -u.delta
			if !u.Empty() {
				w.change(u.Interval, u.delta)
				add(w, u)
			}
		case k == 8 && len(w.booked) > 0 && w.p.Least(w.stretch(bookahead.Interval{Start: bookahead.Time(w.now), End: 290})) > 0:
			// The index knows a profile that comes back later, but with other steps.
			i := rng.IntN(len(w.booked))
			if u := w.booked[i]; u.Start > bookahead.Time(w.now) {
				whole := bookahead.Interval{Start: bookahead.Time(w.now), End: 290}
				w.change(whole, -1)
				w.change(u.Interval, -u.delta)
				w.change(whole, 1)
				u.delta = -u.delta
				add(w, u)
				w.booked = append(w.booked[:i], w.booked[i+1:]...)
			}
		case k < 17:
			last := bookahead.Time(250)
			if k%2 == 0 {
				last = at.Start
			}
			found, ok := w.p.Book(at.Start*tick, last*tick, bookahead.Time(d)*tick, n)
			found /= tick
			at.Start = found
			if !ok || found+bookahead.Time(d) > bookahead.Time(len(w.cells)) {
				if ok {
					w.change(bookahead.Interval{Start: found, End: found + bookahead.Time(d)}, U(n))
				}
				break
			}
			u := update[U]{Interval: bookahead.Interval{Start: found, End: found + bookahead.Time(d)}, delta: -U(n)}
			require.True(t, w.cells.fits(int64(found), d, n, all))
			add(w, u)
			w.booked = append(w.booked, u)
		case k < 19:
			w.now = min(190, w.now+rng.Int64N(6))
			w.p.Forget(bookahead.Time(w.now) * tick)
		case len(worlds) < 3:
			c := *w
			c.p = w.p.Clone()
			c.booked = append([]update[U]{}, w.booked...)
			worlds = append(worlds, &c)
		}
		for _, w := range worlds {
			for range 4 {
				compareSearches(t, w, rng, all)
			}
		}
		compareCells(t, w, all)
	}
	for _, w := range worlds {
		known += w.p.Shape().Bounds
		far += w.p.Shape().Far
	}
	return known, far
}

func compareCells[U Units](t *testing.T, w *world[U], all int64) {
	slots, err := w.p.check()
	require.NoError(t, err)
	for i, k := w.now, 0; i < int64(len(w.cells)); i++ {
		for k+1 < len(slots) && slots[k+1].Start <= bookahead.Time(i)*w.tick {
			k++
		}
		if all-w.cells[i] != slots[k].Free {
			t.Fatalf("%d are free at %d, not %d", slots[k].Free, i, all-w.cells[i])
		}
	}
}

func compareSearches[U Units](t *testing.T, w *world[U], rng *rand.Rand, all int64) {
	n, d, first := 1+rng.Int64N(all), 1+rng.Int64N(30), w.now+rng.Int64N(100)
	last := first + rng.Int64N(200)
	earliest, latest := int64(-1), int64(-1)
	for at := first; at <= last; at++ {
		if w.cells.fits(at, d, n, all) {
			if earliest < 0 {
				earliest = at
			}
			latest = at
		}
	}
	at, ok := w.p.Search(bookahead.Time(first)*w.tick, bookahead.Time(last)*w.tick, bookahead.Time(d)*w.tick, n)
	if ok != (earliest >= 0) || ok && at != bookahead.Time(earliest)*w.tick {
		t.Fatalf("found %d, %v from %d to %d for %d ticks, %d units, not %d", at, ok, first, last, d, n, earliest)
	}
	at, ok = w.p.Latest(bookahead.Time(first)*w.tick, bookahead.Time(last)*w.tick, bookahead.Time(d)*w.tick, n)
	if ok != (latest >= 0) || ok && at != bookahead.Time(latest)*w.tick {
		t.Fatalf("found %d, %v backwards from %d to %d for %d ticks, %d units, not %d", at, ok, last, first, d, n, latest)
	}
}
