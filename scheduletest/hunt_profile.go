package scheduletest

import (
	"math"
	"math/big"
	"slices"

	"github.com/bookahead/bookahead"
)

// huntBlocks is how many blocks and steps of a schedule are looked at.
const huntBlocks = 10_000

// profiles compares the blocks of a window, and all that the root package makes of them: steps,
// changes, rectangles and the use.
func (h *hunter) profiles(w world) {
	win := h.window(w)
	if !h.mostly(4) {
		win = always
	}
	h.Does("Blocks(%v)", win)
	seq, ok := bookahead.Blocks(w.s, win)
	if !ok {
		return // no Profiler
	}
	steps := w.o.Profile(win)
	h.sums(win, first(seq, huntBlocks), steps)
	h.did(h, "Blocks(%v)", win)
	k, ok := w.s.(bookahead.Keeper)
	if !ok {
		return
	}
	h.Does("Steps(%v)", win)
	list, _ := bookahead.Steps(k, win)
	got := first(list, huntBlocks)
	if !slices.Equal(got, steps) {
		h.Fatalf("the steps of %v are %v, not %v", win, got, steps)
	}
	switch h.IntN(4) {
	case 3:
		h.fills(k, win, steps)
	case 0:
		h.changes(w, k)
	case 1:
		h.rectangles(w, win, steps)
	case 2:
		h.usage(w, k, win, steps)
	}
}

// fills compares the units that work of some rates can have.
func (h *hunter) fills(k bookahead.Keeper, win bookahead.Interval, steps []bookahead.Step) {
	least, most := int64(h.IntN(4)), math.MaxInt64-int64(h.IntN(2))
	if len(steps) > 0 && h.mostly(4) {
		most = max(0, steps[h.IntN(len(steps))].Free+int64(h.IntN(3))-1)
	}
	if h.mostly(2) {
		least += most / 2
	}
	var want []bookahead.Step
	for _, s := range steps {
		s.Free = min(s.Free, most)
		if most < least || s.Free < max(1, least) {
			continue
		}
		if n := len(want); n > 0 && want[n-1].End == s.Start && want[n-1].Free == s.Free {
			want[n-1].End = s.End
		} else {
			want = append(want, s)
		}
	}
	h.Does("Fill(%v, %d, %d)", win, least, most)
	seq, _ := bookahead.Fill(k, win, least, most)
	got := first(seq, len(want)+1)
	if !slices.Equal(got, want) {
		h.Fatalf("work of %d to %d units can have %v of %v, not %v", least, most, want, win, got)
	}
}

// sums checks that the blocks lie in the window by start, and that they add up to the free units
// at the first and the last tick of each step. Between these, no block may begin or end unless
// another does so too: at each edge of a block the sum is checked as well.
func (h *hunter) sums(win bookahead.Interval, blocks []bookahead.Block, steps []bookahead.Step) {
	var ticks []bookahead.Time
	for _, s := range steps {
		ticks = append(ticks, s.Start, s.End-1)
	}
	for i, b := range blocks {
		if b.Empty() || b.Units < 1 || b.Intersect(win) != b.Interval || i > 0 && b.Start < blocks[i-1].Start {
			h.Fatalf("block %v of %d units in %v", b.Interval, b.Units, win)
		}
		if i < 40 {
			ticks = append(ticks, b.Start, b.End-1)
		}
	}
	for _, t := range ticks {
		sum, want := int64(0), int64(0)
		for _, b := range blocks {
			if b.Contains(t) {
				sum += b.Units
			}
		}
		for _, s := range steps {
			if s.Contains(t) {
				want = s.Free
			}
		}
		if sum != want {
			h.Fatalf("at %d the blocks of %v add up to %d, not %d", t, win, sum, want)
		}
	}
}

// changes compares the changes beside a time.
func (h *hunter) changes(w world, k bookahead.Keeper) {
	t := h.time(w)
	steps := w.o.Profile(always)
	var next, previous bookahead.Time
	var isNext, isPrevious bool
	for _, s := range steps[min(1, len(steps)):] {
		if s.Start > t && !isNext {
			next, isNext = s.Start, true
		}
		if s.Start <= t {
			previous, isPrevious = s.Start, true
		}
	}
	h.Does("NextChange(%d)", t)
	got, ok := bookahead.NextChange(k, t)
	if ok != isNext || ok && got != next {
		h.Fatalf("it is %d, %t, not %d, %t", got, ok, next, isNext)
	}
	h.Does("PreviousChange(%d)", t)
	got, ok = bookahead.PreviousChange(k, t)
	if ok != isPrevious || ok && got != previous {
		h.Fatalf("it is %d, %t, not %d, %t", got, ok, previous, isPrevious)
	}
}

// rectangles checks that each rectangle is as high as the steps below it allow, that the area
// falls, and that the first is the largest of all.
func (h *hunter) rectangles(w world, win bookahead.Interval, steps []bookahead.Step) {
	n := int(min(h.Number(), 1<<30))
	h.Does("Rectangles(%v, %d)", win, n)
	got, ok := bookahead.Rectangles(w.s, win, n)
	if ok == h.target.Servers {
		h.Fatalf("it returns %t", ok)
	}
	if !ok || n < 1 {
		return
	}
	most := new(big.Int)
	for i := range steps {
		low := steps[i].Free
		for _, s := range steps[i:] {
			low = min(low, s.Free)
			most = larger(most, areaOf(low, bookahead.Interval{Start: steps[i].Start, End: s.End}))
		}
	}
	last := most
	for i, b := range got {
		low := b.Units
		for _, s := range steps {
			if s.Overlaps(b.Interval) {
				low = min(low, s.Free)
			}
		}
		area := areaOf(b.Units, b.Interval)
		if low < b.Units || area.Cmp(last) > 0 || i == 0 && area.Cmp(most) != 0 {
			h.Fatalf("rectangle %d is %v of %d units; the largest has %v", i, b.Interval, b.Units, most)
		}
		last = area
	}
	if len(got) == 0 && most.Sign() > 0 {
		h.Fatalf("there is none, and the largest has %v", most)
	}
}

func larger(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return b
	}
	return a
}

// areaOf returns units times ticks.
func areaOf(units int64, w bookahead.Interval) *big.Int {
	return new(big.Int).Mul(big.NewInt(units), big.NewInt(int64(w.Len())))
}

// usage compares the unit-ticks that are booked, and those that are free.
func (h *hunter) usage(w world, k bookahead.Keeper, win bookahead.Interval, steps []bookahead.Step) {
	h.Does("Usage(%v)", win)
	used, free, ok := bookahead.Usage(k, win)
	if !ok {
		h.Fatalf("it returns false")
	}
	booked, left := new(big.Int), new(big.Int)
	win = win.Intersect(bookahead.Interval{Start: w.o.Now(), End: w.o.Until()})
	for _, res := range w.o.List() {
		booked.Add(booked, areaOf(res.Units, res.Intersect(win)))
	}
	for _, s := range steps {
		left.Add(left, areaOf(s.Free, s.Interval))
	}
	if used.Cmp(booked) != 0 || free.Cmp(left) != 0 {
		h.Fatalf("%v are booked and %v free, not %v and %v", used, free, booked, left)
	}
}
