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
// The bounds of a class are those for its fewest units, the threshold, so that they serve all
// requests of the class. They lead a request for more units astray where gaps have enough units
// for the threshold, but not for the request:
//
//	a request for 10 units, bounds for 8    free  9 9 9 9 9 9 9 9     looks long enough
//
// A search that has been led astray often makes bounds for exactly its number of units. Exact
// bounds have slots of their own: in the slot of the class, two requests in turn would evict the
// bounds of each other, and each search would learn anew. If all exact slots are taken, the
// bounds that no search has asked for longest are replaced.
//
// (After a change of acc the bounds of a class could be kept among the exact ones, in case acc
// changes back. With reservations that span a tenth of the horizon this made each booking 4 %
// slower, because updates keep all bounds true.)
//
// An index costs a node up to 900 bytes for each number of units that is in use, and costs each
// update that passes the node a look at each of these.
type index[U Units] struct {
	used [(slots + 63) / 64]atomic.Uint64 // a bit for each slot that holds bounds
	slot [slots]atomic.Pointer[bounds[U]]
	turn atomic.Uint32 // a clock for bounds.asked
}

const (
	slots   = exacts + classes
	classes = 126
	// exacts is for how many numbers of units a node has exact bounds. With 4, eight numbers that
	// take turns make each search read the whole tree. With 16, a packed backlog takes 2 to 4 %
	// longer.
	exacts = 8
)

// bounds bound the runs at a floor: the stretches in which the steps below the node have that
// number or more, in the frame of the node. A change of acc leaves these stretches as they are,
// so the bounds stay true, but for another number of free units:
//
//	acc 0     floor 8    free in the frame  9 7 8     runs of 8 units
//	acc -2    floor 8    free in the frame  9 7 8     runs of 6 units, and 7 5 6 are free
type bounds[U Units] struct {
	floor U
	asked atomic.Uint32 // when a search asked for them last, by index.turn, in an exact slot
	word  [fanout]word
}

// units returns how many free units make a run, where acc is the sum of the adds above the node.
// If the result is less than 1, the sum may have wrapped around, and the bounds must not be used.
func (b *bounds[U]) units(acc U) U { return b.floor + acc }

// newBounds returns bounds at a floor; all of them are unknown.
func newBounds[U Units](floor U) *bounds[U] {
	b := &bounds[U]{floor: floor}
	for i := range b.word {
		b.word[i].put(unknown)
	}
	return b
}

// raised returns b at a higher floor. A run at the higher floor is part of a run at the lower
// one, so the same bounds hold, but they are loose.
func (b *bounds[U]) raised(floor U) *bounds[U] {
	c := &bounds[U]{floor: floor}
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

// learnt returns the index of an inner node, or nil if searches have learnt nothing. Another
// search may make the index at any time, so a caller that needs it twice calls learnt once.
func (nd *node[U]) learnt() *index[U] { return nd.index.Load() }

// bounds returns the bounds of a node that serve a request for n units of a class best, where acc
// is the sum of the adds above the node: the bounds for n, or else for the next fewer units there
// are, down to the threshold of the class.
//
// The slot of the class may hold bounds for another number of units, if acc has changed since, or
// if a clone with another acc has searched. If that number is smaller, the bounds are true of the
// threshold too, and are raised to it. Otherwise the search learns anew:
//
//	threshold 8, acc 0     filled at acc 2: floor 6, so for 6 units now: raised to 8
//	                       filled at acc -2: floor 10, so for 10 units now: no use, all unknown
func (nd *node[U]) bounds(class int, acc, n U) *bounds[U] {
	x := nd.learnt()
	if x == nil {
		nd.index.CompareAndSwap(nil, new(index[U]))
		x = nd.learnt()
	}
	least := threshold[U](class)
	if n > least {
		b := x.exact(acc, least, n)
		if b != nil {
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

// exactly is bounds for n units and no fewer. It raises the bounds for the next fewer units, so
// that the search need not learn anew where not even these had a run.
func (nd *node[U]) exactly(class int, acc, n U) *bounds[U] {
	b := nd.bounds(class, acc, n)
	if b.units(acc) < n {
		b = b.raised(n - acc)
		nd.learnt().keep(b)
	}
	return b
}

// exact returns the bounds of an exact slot that are for the most units above least and up to n;
// nil if there are none.
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

// keep puts exact bounds in a free slot, or in the slot that no search has asked for longest. A
// search that reads the slot meanwhile has the old bounds or the new, and both are true.
func (x *index[U]) keep(b *bounds[U]) {
	turn := x.turn.Add(1)
	b.asked.Store(turn)
	at := x.room(b.floor)
	if at == exacts {
		at = 0
		oldest := int32(0)
		for i := range exacts {
			age := int32(turn - x.slot[i].Load().asked.Load())
			if age > oldest {
				at, oldest = i, age
			}
		}
	}
	x.put(at, b)
}

// room returns the exact slot of the bounds at a floor, or a free one, or exacts if there is
// neither.
func (x *index[U]) room(floor U) int {
	for i := range exacts {
		b := x.slot[i].Load()
		if b == nil || b.floor == floor {
			return i
		}
	}
	return exacts
}

// put fills a slot before it sets the bit, so that no reader of the bit finds the slot empty.
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

// changed weakens the bounds of entry i. Steps below the entry have changed by delta; now holds
// their least and their most after that. Where all of these steps have stayed above a floor, or
// below it, the runs are as before. Only at the floors in between, runs begin or end elsewhere:
//
//	before     7  ───────────────
//	                                floors 5, 6 and 7: runs are shorter now, so the bounds
//	after      4  ───────────────   are still true, but may be loose
//
// If units are given back, runs are longer, and the bounds become unknown.
func (x *index[U]) changed(i int, acc U, now minmax[U], delta U) {
	if x == nil {
		return
	}
	low, high := min(now.low, now.low-delta), max(now.high, now.high-delta)
	x.each(func(slot int, b *bounds[U]) {
		units := b.units(acc)
		switch {
		case units < 1: // no search can use them; gone before the sum wraps once more
			x.slot[slot].Store(nil)
			x.used[slot/64].And(^(uint64(1) << (slot % 64)))
		case high < units || low >= units: // the same steps have that many as before
		case delta > 0:
			b.word[i].put(unknown)
		default:
			b.word[i].put(b.word[i].get() | loose)
		}
	})
}

// fold moves the floors to the frame that the node has once its numbers include add.
func (x *index[U]) fold(add U) {
	x.each(func(_ int, b *bounds[U]) { b.floor += add })
}

// unlearn makes all bounds of entry i unknown, because its kid begins or ends elsewhere, or has
// other entries than before.
func (x *index[U]) unlearn(i int) {
	x.each(func(_ int, b *bounds[U]) { b.word[i].put(unknown) })
}

// insert makes room for m entries at i, of n entries. The bounds of the new entries are unknown.
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

// remove removes the bounds of the entries [i, j) of n.
func (x *index[U]) remove(i, j, n int) {
	x.each(func(_ int, b *bounds[U]) {
		for k := j; k < n; k++ {
			b.word[k-(j-i)].put(b.word[k].get())
		}
	})
}

// copyBounds copies the bounds of the entries [i, j) of o, whose frame is the same, to entry k
// and after. Where bounds at another floor have the slot, they stay, and the new entries stay
// unknown there.
func (nd *node[U]) copyBounds(k int, o *node[U], i, j int) {
	from, to := o.learnt(), nd.learnt()
	if from == nil {
		return
	}
	if to == nil {
		to = new(index[U])
		nd.index.Store(to)
	}
	from.each(func(slot int, b *bounds[U]) {
		c := to.like(slot, b)
		if c == nil {
			return
		}
		for m := range j - i {
			c.word[k+m].put(b.word[i+m].get())
		}
	})
}

// like returns the bounds of x at the floor of b. It makes them if there is room, and otherwise
// returns nil.
func (x *index[U]) like(slot int, b *bounds[U]) *bounds[U] {
	if slot < exacts {
		slot = x.room(b.floor)
		if slot == exacts {
			return nil
		}
	}
	c := x.slot[slot].Load()
	if c == nil {
		c = newBounds(b.floor)
		c.asked.Store(x.turn.Add(1))
		x.put(slot, c)
	}
	if c.floor != b.floor {
		return nil
	}
	return c
}
