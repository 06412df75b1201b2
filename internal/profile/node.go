package profile

import (
	"sync/atomic"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/cow"
)

// Units is the type of a number of free units. 32 bits are enough for most pools, and make
// shorter leaves.
type Units interface{ int32 | int64 }

// fanout is the most entries of a node. With 106, a leaf of 32-bit units has 40 + 2·4·106 = 888
// bytes, and with the 8 that the allocator puts before it fills its size class of 896.
const fanout = 106

// node is a leaf, or, if it has the part inner, an inner node. Its numbers are in its own frame.
type node[U Units] struct {
	owner     cow.Owner
	n         int
	*inner[U] // here, and not at the end, so that it shares a cache line with n
	starts
	low [fanout]U // the free units of each step of a leaf, or else the least below the entry
}

type inner[U Units] struct {
	high  [fanout]U // the most free units below each entry
	add   [fanout]U // units to add to all numbers below the entry
	kid   [fanout]*node[U]
	index atomic.Pointer[index[U]]
}

// spot is a node on the way to a leaf, and the entry through which the way goes on.
type spot[U Units] struct {
	nd  *node[U]
	i   int
	acc U              // the adds on the way; with acc, the numbers of nd are free units
	end bookahead.Time // where the node ends
}

// below returns the spot of the kid of entry i.
func (s spot[U]) below(i int) spot[U] {
	return spot[U]{nd: s.nd.kid[i], acc: s.acc + s.nd.add[i], end: s.nd.end(i, s.end)}
}

// entryAt returns the entry that contains t, or the first entry if t lies before it.
func (nd *node[U]) entryAt(t bookahead.Time) int { return nd.starts.find(t, nd.n) }

// entryFrom is entryAt for a t that lies in entry i or a later one. It looks from entry i on.
func (nd *node[U]) entryFrom(i int, t bookahead.Time) int { return nd.starts.findFrom(i, t, nd.n) }

// startsBefore returns how many entries start before t. The caller knows of i such entries.
func (nd *node[U]) startsBefore(t bookahead.Time, i int) int {
	switch {
	case i > 0:
		return nd.entryFrom(i-1, t-1) + 1
	case nd.start(0) < t:
		return nd.entryFrom(0, t-1) + 1
	}
	return 0
}

// end returns where entry i ends, in a node that ends at end.
func (nd *node[U]) end(i int, end bookahead.Time) bookahead.Time {
	if i+1 < nd.n {
		return nd.start(i + 1)
	}
	return end
}

// most returns the most free units of each entry. An entry of a leaf is one step, so its low is
// its most too.
func (nd *node[U]) most() *[fanout]U {
	if nd.inner == nil {
		return &nd.low
	}
	return &nd.high
}

// extremes returns the least and the most free units in the node.
func (nd *node[U]) extremes(acc U) (low, high U) {
	low, high = extremesOf(nd.low[:nd.n], acc)
	if nd.inner != nil {
		_, high = extremesOf(nd.high[:nd.n], acc)
	}
	return low, high
}

// refresh takes the start, the least and the most of entry i from its kid (I2, I3). The kid's
// numbers lack the add of the entry, and both lack acc:
//
//	add -1, kid 5 3 6     low 3-1 = 2, high 6-1 = 5
func (nd *node[U]) refresh(i int, acc U) {
	low, high := nd.kid[i].extremes(acc + nd.add[i])
	nd.setStart(i, nd.kid[i].start(0))
	nd.low[i], nd.high[i] = low-acc, high-acc
}

// fold adds to all numbers of the node. Two nodes side by side have frames of their own, so
// before they exchange entries, the entries above hand their adds down:
//
//	add    0   -1                0    0
//	       /     \              /      \
//	    4 1 3   3 5 4        4 1 3    2 4 3     now 2 can move to the left
func (nd *node[U]) fold(add U) {
	if add == 0 {
		return
	}
	for i := range nd.n {
		nd.low[i] += add
		if nd.inner != nil {
			nd.high[i] += add
			nd.add[i] += add
		}
	}
	if nd.inner != nil {
		nd.learnt().fold(add)
	}
}

// insert makes room for n entries at i. The caller fills them in.
func (nd *node[U]) insert(i, n int) {
	nd.shiftStarts(i, i+n, nd.n)
	copy(nd.low[i+n:], nd.low[i:nd.n])
	if nd.inner != nil {
		copy(nd.high[i+n:], nd.high[i:nd.n])
		copy(nd.add[i+n:], nd.add[i:nd.n])
		copy(nd.kid[i+n:], nd.kid[i:nd.n])
		nd.learnt().insert(i, n, nd.n)
	}
	nd.n += n
}

// remove removes the entries [i, j).
func (nd *node[U]) remove(i, j int) {
	nd.shiftStarts(j, i, nd.n)
	copy(nd.low[i:], nd.low[j:nd.n])
	if nd.inner != nil {
		copy(nd.high[i:], nd.high[j:nd.n])
		copy(nd.add[i:], nd.add[j:nd.n])
		copy(nd.kid[i:], nd.kid[j:nd.n])
		clear(nd.kid[nd.n-(j-i) : nd.n])
		nd.learnt().remove(i, j, nd.n)
	}
	nd.n -= j - i
}

// move moves the entries [i, j) to another node of the same frame, in front of entry k. The
// starts of a node are counted from a time no later than its first, so countFrom comes before new
// first entries, and after old ones have gone.
func (nd *node[U]) move(i, j int, to *node[U], k int) {
	if k == 0 {
		to.countFrom(nd.start(i), to.n)
	}
	to.insert(k, j-i)
	for m := range j - i {
		to.setStart(k+m, nd.start(i+m))
	}
	copy(to.low[k:], nd.low[i:j])
	if nd.inner != nil {
		copy(to.high[k:], nd.high[i:j])
		copy(to.add[k:], nd.add[i:j])
		copy(to.kid[k:], nd.kid[i:j])
		to.copyBounds(k, nd, i, j)
	}
	nd.remove(i, j)
	if nd.n > 0 {
		nd.countFrom(nd.start(0), nd.n)
	}
}
