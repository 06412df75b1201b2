package profile

import (
	"math/bits"
	"sync/atomic"
)

// index holds the bounds that searches have left at an inner node: for some numbers of units,
// how long a run below each entry can be.
//
//	slot    0 ... 7      8   9   10   11   12   13    14    15    ...
//	units   exactly      1   -    2    3   4-5  6-7  8-11  12-15  ...
//	        so many      a class of requests each, two for a power of 2
//
// The bounds of a class are those for its fewest units, the threshold, so that they serve
// all requests of the class. They lead a request for more astray where gaps have enough
// units for the threshold, but not for the request:
//
//	a request for 10 units, bounds for 8    free  9 9 9 9 9 9 9 9     looks long enough
//
// A search that has been led astray often keeps bounds for exactly its number of units. They
// stay until searches have asked for eight other numbers. If they took the place of the class's
// bounds, two requests in turn would each spoil the bounds of the other.
//
// Only searches write bounds, and only those that could not do without. A bound follows from
// the tree alone, so searches may write at once, also in nodes that clones share: whatever
// they leave is true. An update never learns; it weakens the bounds that it may have broken.
type index[U Units] struct {
	used [(slots + 63) / 64]atomic.Uint64 // a bit for each slot that holds bounds
	slot [slots]atomic.Pointer[bounds[U]]
	turn atomic.Uint32 // how often a search has asked for other exact bounds than the one before
}

const (
	slots   = exacts + classes
	classes = 126
	// exacts is for how many numbers of units a node has exact bounds. With 4, eight numbers
	// that take turns make each search read the whole tree; with 16, a packed backlog takes 2
	// to 4 % longer.
	exacts = 8
)

// bounds bound the runs at a level: the stretches in which the steps below the node have that
// number or more, in the frame of the node. A change of acc leaves these stretches as they are,
// so that the bounds stay true. They are bounds for another number of free units then:
//
//	acc 0     level 8    free in the frame  9 7 8     runs of 8 units
//	acc -2    level 8    free in the frame  9 7 8     runs of 6 units, and 7 5 6 are free
type bounds[U Units] struct {
	level U
	asked atomic.Uint32 // the turn at which a search asked for them last, if they are exact
	word  [fanout]word
}

// units returns how many free units make a run, where acc is added to the node. If the sum
// is less than 1, it may have wrapped around, and the bounds must not be used.
func (b *bounds[U]) units(acc U) U { return b.level + acc }

// newBounds returns bounds at a level of which nothing is known.
func newBounds[U Units](level U) *bounds[U] {
	b := &bounds[U]{level: level}
	for i := range b.word {
		b.word[i].put(unknown)
	}
	return b
}

// raised returns b at a higher level. A run at that level is part of a run at the lower one, so
// the same bounds hold.
func (b *bounds[U]) raised(level U) *bounds[U] {
	c := &bounds[U]{level: level}
	for i := range c.word {
		c.word[i].put(b.word[i].get() | loose)
	}
	return c
}

// classOf returns the class of a request for n units.
func classOf(n uint64) int {
	k := bits.Len64(n) - 1
	return 2*k + int(n<<1>>k&1)
}

// threshold returns the fewest units of a class.
func threshold[U Units](class int) U {
	if class < 2 {
		return 1
	}
	return U(2+class&1) << (class/2 - 1)
}

// learnt returns the index of an inner node, or nil if searches have learnt nothing.
func (nd *node[U]) learnt() *index[U] { return nd.index.Load() }

// bounds returns those that serve a request for n units of a class best, where acc is added
// to the node: exact ones for n or the next fewer, or else those of the class. It makes the
// latter if there are none at the threshold. After a change of acc, those in the slot
// may be for fewer units, and all that they say is true of the threshold as well. If they are
// for more, they say nothing of it.
func (nd *node[U]) bounds(class int, acc, n U) *bounds[U] {
	x := nd.learnt()
	if x == nil {
		nd.index.CompareAndSwap(nil, new(index[U]))
		x = nd.learnt()
	}
	least := threshold[U](class)
	if n > least {
		if b := x.exact(acc, least, n); b != nil {
			return b
		}
	}
	b := x.slot[exacts+class].Load()
	switch {
	case b != nil && b.units(acc) == least:
		return b
	case b != nil && b.units(acc) >= 1 && b.units(acc) < least:
		b = b.raised(least - acc)
	default:
		b = newBounds(least - acc)
	}
	x.put(exacts+class, b)
	return b
}

// exactly is bounds for n units and no fewer. It makes them of the next fewer, so that the
// search need not learn anew where they had no room.
func (nd *node[U]) exactly(class int, acc, n U) *bounds[U] {
	b := nd.bounds(class, acc, n)
	if b.units(acc) < n {
		b = b.raised(n - acc)
		nd.learnt().keep(b)
	}
	return b
}

// exact returns the exact bounds for the most units up to n and above least; nil if there
// are none.
func (x *index[U]) exact(acc, least, n U) *bounds[U] {
	var best *bounds[U]
	for used := x.used[0].Load() % (1 << exacts); used != 0; used &= used - 1 {
		b := x.slot[bits.TrailingZeros64(used)].Load()
		units := b.units(acc)
		if units > least && units <= n && (best == nil || units > best.units(acc)) {
			best = b
		}
	}
	if best == nil {
		return nil
	}
	if best.asked.Load() != x.turn.Load() { // a search for another number was the last
		best.asked.Store(x.turn.Add(1))
	}
	return best
}

// keep puts exact bounds in a free slot, or in that of the bounds for which no search has
// asked for longest. A search that reads the slot meanwhile has the old bounds or the new, and
// both are true.
func (x *index[U]) keep(b *bounds[U]) {
	turn := x.turn.Add(1)
	b.asked.Store(turn)
	at := x.room(b.level)
	if at == exacts {
		at = 0
		for i := range exacts {
			if turn-x.slot[i].Load().asked.Load() > turn-x.slot[at].Load().asked.Load() {
				at = i
			}
		}
	}
	x.put(at, b)
}

// room returns the slot of the exact bounds at a level, or a free slot, or exacts if there
// is neither.
func (x *index[U]) room(level U) int {
	for i := range exacts {
		b := x.slot[i].Load()
		if b == nil || b.level == level {
			return i
		}
	}
	return exacts
}

func (x *index[U]) put(slot int, b *bounds[U]) {
	x.slot[slot].Store(b)
	x.used[slot/64].Or(1 << (slot % 64))
}

// each calls do for the bounds in each slot.
func (x *index[U]) each(do func(slot int, b *bounds[U])) {
	if x == nil {
		return
	}
	for word := range x.used {
		for used := x.used[word].Load(); used != 0; used &= used - 1 {
			slot := 64*word + bits.TrailingZeros64(used)
			do(slot, x.slot[slot].Load())
		}
	}
}

// changed weakens the bounds of entry i, below which steps have changed by delta to the
// extent now. A level that all of these steps have stayed above, or below, divides them as
// before. Only those in between have runs that begin or end elsewhere:
//
//	before     7  ───────────────
//	                                levels 5, 6 and 7: runs are shorter now, so the bounds
//	after      4  ───────────────   hold on, and may be loose
//
// If units are given back, runs are longer, and the bounds are unknown.
func (x *index[U]) changed(i int, acc U, now extent[U], delta U) {
	if x == nil {
		return
	}
	low, high := min(now.low, now.low-delta), max(now.high, now.high-delta)
	x.each(func(slot int, b *bounds[U]) {
		units := b.units(acc)
		switch {
		case units < 1: // no search can use them, and it must not wrap around once more
			x.slot[slot].Store(nil)
			x.used[slot/64].And(^(uint64(1) << (slot % 64)))
		case high < units || low >= units: // the same steps have so many as before
		case delta > 0:
			b.word[i].put(unknown)
		default:
			b.word[i].put(b.word[i].get() | loose)
		}
	})
}

// fold moves the levels to the frame that the node has once add is in its numbers.
func (x *index[U]) fold(add U) {
	x.each(func(_ int, b *bounds[U]) { b.level += add })
}

// unlearn makes all bounds of entry i unknown. Its kid begins or ends elsewhere, or has other
// entries than before.
func (x *index[U]) unlearn(i int) {
	x.each(func(_ int, b *bounds[U]) { b.word[i].put(unknown) })
}

// insert makes room for m entries at i, where there are n. Their bounds are unknown.
func (x *index[U]) insert(i, m, n int) {
	x.each(func(_ int, b *bounds[U]) {
		for j := n - 1; j >= i; j-- {
			b.word[j+m].put(b.word[j].get())
		}
		for j := range m {
			b.word[i+j].put(unknown)
		}
	})
}

// remove takes the entries [i, j) of n away.
func (x *index[U]) remove(i, j, n int) {
	x.each(func(_ int, b *bounds[U]) {
		for k := j; k < n; k++ {
			b.word[k-(j-i)].put(b.word[k].get())
		}
	})
}

// copyBounds copies the bounds of the entries [i, j) of o, whose frame is the same, to entry
// k and after. They stay unknown where bounds at another level have the slot, which are of more
// use there.
func (nd *node[U]) copyBounds(k int, o *node[U], i, j int) {
	if nd.learnt() == nil && o.learnt() != nil {
		nd.index.Store(new(index[U]))
	}
	x := nd.learnt()
	o.learnt().each(func(slot int, b *bounds[U]) {
		to := x.like(slot, b)
		if to == nil {
			return
		}
		for m := range j - i {
			to.word[k+m].put(b.word[i+m].get())
		}
	})
}

// like returns the bounds at the level of b, which are in a slot of another index. It makes
// them if there is room, and otherwise returns nil.
func (x *index[U]) like(slot int, b *bounds[U]) *bounds[U] {
	if slot < exacts {
		slot = x.room(b.level)
		if slot == exacts {
			return nil
		}
	}
	c := x.slot[slot].Load()
	if c == nil {
		c = newBounds(b.level)
		c.asked.Store(x.turn.Add(1))
		x.put(slot, c)
	}
	if c.level != b.level {
		return nil
	}
	return c
}
