package window

import (
	"iter"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
)

// room is space for one leaf; each leaf begins it anew.
type room struct {
	starts []bookahead.Time // the starts to be tried, ascending; unused if every tick is tried
	active []candidate      // the slots in which a task can begin at the start
	list   []candidate      // the items of the knapsack, without the forced one
}

// few is the most starts that a leaf has. More starts in a leaf mean fewer boxes to bound,
// and more sets to try: with 1, 4 and 16 the searches of TestExactLooksAtFewBoxes
// make 12 034, 10 629 and 9 854 boxes, and try 1 379, 2 237 and 3 017 sets.
const few = 4

// leaf reports whether a box is small enough for a sweep, and collects its starts.
// Boxes are split because the parts have better bounds. A criterion without bounds
// gains nothing by a split, so each box of one length is a leaf.
func (x *exact) leaf(b *box) bool {
	if b.short < b.long {
		return false
	}
	if x.everyTick() {
		return b.to-b.from < few || !x.bounded()
	}
	x.collect(b)
	return len(x.room.starts) <= few || !x.bounded()
}

// collect gathers the starts to be tried in a box of one length. B5 needs every start at
// which a window worth more than need can begin. For some criteria fewer starts suffice:
//
//	monotone   the best window starts with the last of its slots: starts of b.items
//	any other  the start of each slot that is long enough, in b.items or not: the
//	           published search stops there, even if the slot is too dear to choose
//	breaks     the ticks of placement.go for each of b.items; and where a square window
//	           is as long as some slow slot needs, the first and last start of each
//	           slow slot
//	tariffs    the start of each slot, long enough or not, and the changes, whatever the
//	           criterion: a later start may cost less
func (x *exact) collect(b *box) {
	x.room.starts = x.room.starts[:0]
	length := x.length(b.long)
	put := func(t bookahead.Time) {
		if b.from <= t && t <= b.to {
			x.room.starts = append(x.room.starts, t)
		}
	}
	switch {
	case x.breaks != nil:
		for at, i := range b.items {
			if !x.granted(at, len(b.items)) {
				return
			}
			it := &x.items[i]
			put(it.start)
			k, _ := it.candidate(length)
			x.breaks(x.env.slots[k.slot], it.start, k, put)
		}
		if !x.c.Monotone && x.job.Shape == Square {
			slow := x.groups.of(b.long)
			for at, i := range slow {
				if !x.granted(at, len(slow)) {
					return
				}
				put(x.items[i].start)
				put(x.items[i].latest())
			}
		}
	case x.tariffed:
		from, to := x.within(b)
		for i := from; i < to; i++ {
			if !x.granted(i-from, to-from) {
				return
			}
			put(x.stops[i])
		}
	case x.c.Monotone:
		for at, i := range b.items {
			if !x.granted(at, len(b.items)) {
				return
			}
			put(x.items[i].start)
		}
	default:
		from, to := x.between(b)
		for i := from; i < to; i++ {
			if !x.granted(i-from, to-from) {
				return
			}
			_, ok := x.items[i].candidate(length)
			if ok {
				put(x.items[i].start)
			}
		}
	}
	slices.Sort(x.room.starts)
	x.room.starts = slices.Compact(x.room.starts)
}

// everyTick reports whether each tick of a box is a start. With breaks and tariffs it is: of any
// two starts only one may be affordable.
func (x *exact) everyTick() bool { return x.breaks != nil && x.tariffed }

// starts yields the starts of a leaf, ascending. Ticks are counted up, and not collected: a leaf
// of a criterion without bounds is as long as a slot may be.
func (x *exact) starts(b *box) iter.Seq[bookahead.Time] {
	if !x.everyTick() {
		return slices.Values(x.room.starts)
	}
	return func(yield func(bookahead.Time) bool) {
		for t := b.from; t <= b.to; t++ {
			if !x.meter.Go(1) || !yield(t) {
				return
			}
		}
	}
}

// granted asks for the steps of a pass over n things, chunk by chunk, and reports whether the
// pass may look at the next one.
func (x *exact) granted(at, n int) bool {
	return at%effort.Chunk != 0 || x.meter.Go(min(effort.Chunk, n-at))
}

// sweep moves the extended window over the starts of a leaf. Its items are in order
// of their starts, so each item is added once; solve takes out items that end too early.
// With tasks of 6 ticks:
//
//	items   [0,14) [4,16) [20,44) [29,39)
//	t = 4   [0,14) [4,16)
//	t = 20                [20,44)               solve finds too few for 2 nodes
//	t = 29                [20,44) [29,39)
//
// The prices of neighbouring starts are alike, so each relaxation begins at the price
// of the start before, and the first at that of the box.
func (x *exact) sweep(b *box) {
	length := x.length(b.long)
	x.inner.lambda = b.lambda
	x.room.active = x.room.active[:0]
	i := 0
	for t := range x.starts(b) {
		for ; i < len(b.items) && x.items[b.items[i]].start <= t; i++ {
			if !x.meter.Go(1) {
				return
			}
			k, _ := x.items[b.items[i]].candidate(length)
			x.room.active = append(x.room.active, k)
		}
		if len(x.room.active) >= x.job.Nodes && x.slowest(b, t) {
			x.solve(b, t)
		}
		if x.meter.Stopped() {
			return
		}
	}
}

// slowest reports whether a slot on one of the slowest nodes is there at t, as the
// published search asks (§3.2). It looks at all such slots, not only at b.items, since the
// slot need not be chosen and may be too dear. A tight search needs no such test: its box
// has a slow node, or is of the shortest length.
func (x *exact) slowest(b *box, t bookahead.Time) bool {
	if x.tight() || x.job.Shape == Rough {
		return true
	}
	slow := x.groups.of(b.long)
	for at, i := range slow {
		if !x.granted(at, len(slow)) {
			return false
		}
		it := &x.items[i]
		if it.start <= t && t <= it.latest() {
			return true
		}
	}
	return false
}

// solve finds the best window of a leaf that starts at t, if it is better than the
// best so far.
//
// If the box has a slow node, its slot is in every window. It is taken out of the
// knapsack, and its value and cost (3 and 4, say) are added outside:
//
//	the start      n = 3   budget 10       floor 20   values up to 25
//	the knapsack   n = 2   budget 10 - 4   floor 17   values up to 22, and 3 to each
func (x *exact) solve(b *box, t bookahead.Time) {
	kept := x.room.active[:0] // starts ascend, so a slot that is over is over for good
	for at, k := range x.room.active {
		if !x.granted(at, len(x.room.active)) {
			return
		}
		if t <= k.last {
			kept = append(kept, k)
		}
	}
	x.room.active = kept
	if len(kept) < x.job.Nodes {
		return
	}
	k, base := &x.inner, 0.0
	k.reset(x.job.Nodes, x.limit)
	list, forced := x.room.list[:0], -1
	for i, a := range kept {
		if !x.granted(i, len(kept)) {
			return
		}
		if x.tariffed {
			if !x.price(&kept[i], t) {
				return
			}
			a.cost = kept[i].cost
			if a.cost > x.limit && a.node != b.slow {
				continue // too dear by itself; in a sum its digits would swallow the others'
			}
		}
		value := x.value(x.c, a, t)
		if a.node == b.slow {
			forced, base = i, value
			k.n, k.budget = k.n-1, k.budget-a.cost
			continue
		}
		k.add(value, a.cost)
		list = append(list, a)
	}
	x.room.list = list
	if b.slow >= 0 && forced < 0 || k.budget < 0 {
		return // the slow node is not there at t, or it is too dear
	}
	k.shift = math.Abs(base) // rounding is measured by the whole sum
	k.solve(x.floor-base, x.scale)
	// A bound above the value, without a limit, is rounding that B7 must report too.
	if k.core.limited || k.bound > max(k.value, x.floor-base) {
		x.bound = max(x.bound, min(k.bound+base, b.bound)) // B5: this start is not proven
	}
	if !k.found {
		return
	}
	x.floor, x.scale = k.value+base, k.scale
	x.best.found = false // floor has decided already; by rounding best.value could be equal
	x.best.offer(t, x.floor, list, k.chosen)
	if forced >= 0 {
		x.best.chosen = append(x.best.chosen, kept[forced])
	}
}
