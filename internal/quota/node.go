package quota

import (
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/cow"
)

// node is a node of a B+ tree: a leaf has edges, and an inner node has nodes, its kids.
//
//	ticks      0       9          the first of each kid
//	before     0      +3          the sums of all kids before
//	          ╱        ╲
//	ticks   0   6       9  11     the edges
//	rises  +2  +1      -1  -2
//
// So a value or an area adds up few sums on one way down, and the edges of half a leaf, which lie
// side by side. A full node is split at once, so that an insert below it always finds room.
type node struct {
	owner cow.Owner
	ticks []bookahead.Time // ascending: of the edges, or the first of each kid
	rises []int64          // of a leaf: the low words of the edges
	high  []int64          // of a leaf: the words above; nil as long as all edges fit in one
	kids  []kid            // of an inner node; nil in a leaf
}

type kid struct {
	*node
	before sums
}

// On a 64-bit machine a leaf with its slices takes 616 bytes and an inner node 2024, which the
// allocator rounds up to 640 and 2048.
const (
	maxEdges = 32
	maxKids  = 30
)

// newNode returns a node with room for all its entries. Its slices lie after it in one piece of
// memory, which the processor reads ahead.
func newNode(owner cow.Owner, leaf bool) *node {
	if leaf {
		x := &struct {
			node
			ticks [maxEdges]bookahead.Time
			rises [maxEdges]int64
		}{}
		x.node = node{owner: owner, ticks: x.ticks[:0], rises: x.rises[:0]}
		return &x.node
	}
	x := &struct {
		node
		ticks [maxKids]bookahead.Time
		kids  [maxKids]kid
	}{}
	x.node = node{owner: owner, ticks: x.ticks[:0], kids: x.kids[:0]}
	return &x.node
}

func (n *node) leaf() bool { return n.kids == nil }

func (n *node) max() int {
	if n.leaf() {
		return maxEdges
	}
	return maxKids
}

// own returns the node if it is the owner's, and a copy otherwise. A leaf with few edges takes
// only the memory that these need.
func (n *node) own(owner cow.Owner) *node {
	if n.owner == owner {
		return n
	}
	c := &node{owner: owner}
	if !n.leaf() || len(n.ticks) >= maxEdges/4 {
		c = newNode(owner, n.leaf())
	}
	c.ticks = append(c.ticks, n.ticks...)
	c.rises = append(c.rises, n.rises...)
	c.high = append(c.high, n.high...)
	c.kids = append(c.kids, n.kids...)
	return c
}

// by returns by how much the value rises at an edge of a leaf.
func (n *node) by(i int) wide {
	if n.high == nil {
		return wideOf(n.rises[i])
	}
	return wide{uint64(n.rises[i]), uint64(n.high[i]), uint64(n.high[i] >> 63)}
}

// set changes an edge. Two words hold the use of 2^63 units by each of 2^63 bookings.
func (n *node) set(i int, by wide) {
	if n.high == nil && wideOf(int64(by.low)) != by {
		for _, low := range n.rises {
			n.high = append(n.high, low>>63)
		}
	}
	n.rises[i] = int64(by.low)
	if n.high != nil {
		n.high[i] = int64(by.mid)
	}
}

// insert puts an edge into a leaf.
func (n *node) insert(i int, at bookahead.Time, by wide) {
	n.ticks = slices.Insert(n.ticks, i, at)
	n.rises = slices.Insert(n.rises, i, 0)
	if n.high != nil {
		n.high = slices.Insert(n.high, i, 0)
	}
	n.set(i, by)
}

// remove removes some edges, or kids, from a node. The caller corrects the sums before the kids
// that stay.
func (n *node) remove(from, to int) {
	n.ticks = slices.Delete(n.ticks, from, to)
	if !n.leaf() {
		n.kids = slices.Delete(n.kids, from, to)
		return
	}
	n.rises = slices.Delete(n.rises, from, to)
	if n.high != nil {
		n.high = slices.Delete(n.high, from, to)
	}
}

// upTo returns how many of some ascending ticks are not after t. It goes through them, as there
// are only a few.
func upTo(ticks []bookahead.Time, t bookahead.Time) int {
	for i, at := range ticks {
		if at > t {
			return i
		}
	}
	return len(ticks)
}

// rise adds an edge, given with its sums, below a node that may be written to.
func (n *node) rise(owner cow.Owner, at bookahead.Time, add sums) {
	i := upTo(n.ticks, at) - 1
	switch {
	case !n.leaf():
	case i < 0 || n.ticks[i] < at:
		n.insert(i+1, at, add.value)
		return
	default:
		by := n.by(i).plus(add.value)
		if by == (wide{}) {
			n.remove(i, i+1)
			return
		}
		n.set(i, by)
		return
	}
	i = max(0, i)
	k := n.kids[i].own(owner)
	n.kids[i].node = k
	had := len(k.ticks)
	k.rise(owner, at, add)
	for j := i + 1; j < len(n.kids); j++ {
		n.kids[j].before = n.kids[j].before.plus(add)
	}
	n.tend(owner, i, len(k.ticks) < had)
}

// tend keeps a node in shape after a change below a kid. A kid that is empty is removed, and a
// kid that is full is split. A kid that lost an entry, and is at most half full, is joined with a
// neighbour if both together leave a quarter free. So thin nodes do not pile up.
func (n *node) tend(owner cow.Owner, i int, lost bool) {
	k := n.kids[i].node
	few := func(i int) bool {
		return i >= 0 && i+1 < len(n.kids) && len(n.kids[i].ticks)+len(n.kids[i+1].ticks) <= k.max()*3/4
	}
	switch {
	case len(k.ticks) == 0:
		n.remove(i, i+1)
		return
	case len(k.ticks) == k.max():
		right, before := k.split(owner)
		n.ticks = slices.Insert(n.ticks, i+1, right.ticks[0])
		n.kids = slices.Insert(n.kids, i+1, kid{right, n.kids[i].before.plus(before)})
	case lost && len(k.ticks) <= k.max()/2 && few(i):
		n.join(owner, i)
	case lost && len(k.ticks) <= k.max()/2 && few(i-1):
		n.join(owner, i-1)
		return
	}
	n.ticks[i] = k.ticks[0]
}

// split moves the upper half of a node to a new node, and returns it with the sums of the half
// that stays.
func (n *node) split(owner cow.Owner) (right *node, before sums) {
	right = newNode(owner, n.leaf())
	half := len(n.ticks) / 2
	if n.leaf() {
		for i, at := range n.ticks[:half] {
			before = before.plus(edge(at, n.by(i)))
		}
	} else {
		before = n.kids[half].before
	}
	right.take(n, half, sums{}.minus(before))
	n.remove(half, len(n.ticks))
	return right, before
}

// join moves all entries of kid i+1 to kid i.
func (n *node) join(owner cow.Owner, i int) {
	left := n.kids[i].own(owner)
	left.take(n.kids[i+1].node, 0, n.kids[i+1].before.minus(n.kids[i].before))
	n.kids[i].node = left
	n.remove(i+1, i+2)
}

// take appends the entries of another node from an index on; before is added to the sums before
// its kids.
func (n *node) take(from *node, first int, before sums) {
	if !from.leaf() {
		for _, k := range from.kids[first:] {
			n.kids = append(n.kids, kid{k.node, k.before.plus(before)})
		}
		n.ticks = append(n.ticks, from.ticks[first:]...)
		return
	}
	for i := first; i < len(from.ticks); i++ {
		n.insert(len(n.ticks), from.ticks[i], from.by(i))
	}
}

// from returns a node without the edges before a tick, and adds their sums to gone; nil if no
// edges stay.
func (n *node) from(owner cow.Owner, at bookahead.Time, gone *sums) *node {
	i := upTo(n.ticks, at-1)
	if i == 0 {
		return n
	}
	n = n.own(owner)
	if n.leaf() {
		for j, tick := range n.ticks[:i] {
			*gone = gone.plus(edge(tick, n.by(j)))
		}
		n.remove(0, i)
	} else {
		i-- // the kids before i go, and i may lose some
		here := n.kids[i].before
		k := n.kids[i].from(owner, at, &here)
		if k == nil {
			i++
		} else {
			n.kids[i].node, n.kids[i].before = k, here
		}
		n.remove(0, i)
		for j := range n.kids {
			n.kids[j].before = n.kids[j].before.minus(here)
		}
		*gone = gone.plus(here)
		if k != nil {
			n.tend(owner, 0, true)
		}
	}
	if len(n.ticks) == 0 {
		return nil
	}
	return n
}

// edge returns the sums of one edge.
func edge(at bookahead.Time, by wide) sums { return sums{by, by.times(uint64(at))} }
