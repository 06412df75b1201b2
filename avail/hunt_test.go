package avail

import (
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/scheduletest"
)

func TestHunt(t *testing.T) { scheduletest.Hunt(t, hunted) }

func FuzzHunt(f *testing.F) { scheduletest.FuzzHunt(f, hunted) }

// hunted lays slots on the axis and makes vectors, with numbers at the edges.
func hunted(h *scheduletest.Hunter) {
	h.Calls(func() {
		switch h.IntN(3) {
		case 0:
			huntAxis(h)
		case 1:
			huntBlocks(h)
		case 2:
			huntRuns(h)
		}
	})
}

// huntAxis compares the times of slots with exact arithmetic.
func huntAxis(h *scheduletest.Hunter) {
	a := Axis{bookahead.Time(h.Number()), bookahead.Duration(h.Number()), int(h.Number())}
	i := int(h.Number())
	h.Does("Window and Start(%d) of %+v", i, a)
	var w bookahead.Interval
	var err error
	h.Weigh(func() { w, err = a.Window() })
	length := new(big.Int).Mul(big.NewInt(int64(a.Width)), big.NewInt(int64(a.Slots)))
	end := length.Add(length, big.NewInt(int64(a.Origin)))
	good := a.Width >= 1 && a.Slots >= 0 && a.Slots <= MaxSlots && end.IsInt64()
	require.Equal(h, good, err == nil, "%v", err)
	if err != nil {
		require.ErrorIs(h, err, bookahead.ErrInvalid)
		return
	}
	require.Equal(h, bookahead.Interval{Start: a.Origin, End: bookahead.Time(end.Int64())}, w)
	start, err := a.Start(i)
	if err == nil {
		exact := new(big.Int).Mul(big.NewInt(int64(a.Width)), big.NewInt(int64(i)))
		exact.Add(exact, big.NewInt(int64(a.Origin)))
		require.True(h, exact.IsInt64() && exact.Int64() == int64(start), "%v", exact)
	} else {
		require.ErrorIs(h, err, bookahead.ErrInvalid)
	}
	_, err = NewVector(-1 - i)
	require.Equal(h, -1-i >= 0 && -1-i <= MaxSlots, err == nil)
}

// huntBlocks compares both discretisations with sums at the edges of blocks.
func huntBlocks(h *scheduletest.Hunter) {
	a := Axis{bookahead.Time(h.Number()), max(1, bookahead.Duration(h.Number())), h.IntN(70)}
	w, err := a.Window()
	if err != nil {
		return
	}
	var blocks []bookahead.Block
	for range h.IntN(6) {
		b := bookahead.Block{Units: h.Number() / 4}
		b.Start, b.End = bookahead.Time(h.Number()), bookahead.Time(h.Number())
		if h.IntN(2) == 0 && a.Slots > 0 {
			b.Start, _ = a.Start(h.IntN(a.Slots))
			b.End, _ = a.Start(h.IntN(a.Slots) + 1)
		}
		if h.IntN(8) > 0 {
			b.Start, b.End = min(b.Start, b.End), max(b.Start, b.End)
			b.Units = max(1, b.Units)
		}
		blocks = append(blocks, b)
	}
	units := h.Number()
	h.Does("Discretise(%+v, %+v, %d)", blocks, a, units)
	var v *Vector
	var r *Runs
	var err2 error
	h.Weigh(func() { v, err = Discretise(slices.Values(blocks), a, units) })
	h.Weigh(func() { r, err2 = DiscretiseRuns(slices.Values(blocks), a, units) })
	require.Equal(h, err == nil, err2 == nil, "%v, %v", err, err2)
	if err != nil {
		require.ErrorIs(h, err, bookahead.ErrInvalid)
		return
	}
	require.Equal(h, v.String(), r.String())
	for i := range a.Slots {
		start, _ := a.Start(i)
		slot := bookahead.Interval{Start: start, End: min(w.End, start+bookahead.Time(a.Width))}
		free := true
		for t := range ticksOf(slot, blocks) {
			sum := new(big.Int)
			for _, b := range blocks {
				if b.Contains(t) {
					sum.Add(sum, big.NewInt(b.Units))
				}
			}
			free = free && sum.Cmp(big.NewInt(units)) >= 0
		}
		require.Equal(h, free, v.Get(i), "slot %d, %v", i, slot)
	}
}

// ticksOf returns the ticks of a slot at which the sum may change.
func ticksOf(slot bookahead.Interval, blocks []bookahead.Block) map[bookahead.Time]bool {
	ticks := map[bookahead.Time]bool{slot.Start: true}
	for _, b := range blocks {
		for _, t := range []bookahead.Time{b.Start, b.End} {
			if slot.Contains(t) {
				ticks[t] = true
			}
		}
	}
	return ticks
}

// huntRuns books on runs as long as may be: the time goes with the runs, and not with the slots.
func huntRuns(h *scheduletest.Hunter) {
	n := []int{1, 5, 100, 1 << 20, MaxSlots - 1, MaxSlots}[h.IntN(6)]
	x, err := NewRuns(n)
	require.NoError(h, err)
	y, err := NewRuns(n)
	require.NoError(h, err)
	at := func() int { return min(n, max(0, int(h.Number()))) }
	for range 3 {
		from, to := at(), at()
		x.Set(min(from, to), max(from, to))
		y.Set(h.IntN(n), n)
		from = at()
		y.Clear(from, max(from, at()))
	}
	b, delay := max(0, int(h.Number())), max(0, int(h.Number()))
	h.Does("Runs of %d slots, %d of them set: b = %d, delay = %d", n, x.Weight(), b, delay)
	h.Weigh(func() {
		c := x.Compose(y, delay)
		require.LessOrEqual(h, c.Weight(), x.Weight())
		require.True(h, x.Covers(c))
		m := x.Mask(h.IntN(70))
		require.True(h, x.Covers(m) || m.Covers(x))
		if b > 0 {
			i, ok := x.FirstRun(b)
			s := x.Starts(b)
			require.Equal(h, s.Weight() > 0, ok)
			if ok {
				require.True(h, s.Get(i))
				require.True(h, i+b <= n, "%d", i)
			}
			_, _ = x.NextRun(at(), b)
			_, _ = x.EST(b, delay)
		}
		require.True(h, x.Clone().Equal(x))
	})
}
