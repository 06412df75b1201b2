package carts

import (
	"iter"
	"sync/atomic"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/cow"
)

// profile is the availability profile of an Indexed: the free units from each
// start on, in a B+ tree. Before the profile writes to a node that it shares with a
// clone, it copies the node.
//
//	                 ┌ start  0      30  ┐
//	root             │ low    1       2  │   the least below,
//	                 │ high   4       4  │   the most,
//	                 └ add    0      -1  ┘   and the units to add to all of it
//	                     ╱             ╲
//	leaf    start  0   10   20       30   40   50
//	        free   4    1    3        3    5    4      from 30 on 2, 4, 3 are free
//
// A number holds in the frame of its node: the units that are really free are the sum with
// the adds of all entries on the way to it. So a reservation changes the two
// leaves at its edges, and one entry for each subtree between them. Sums wrap
// around, and are compared only when they are complete: they are right then,
// however the parts may have drifted.
//
// The profile begins at now or before. Its slots in the past mean nothing.
type profile[U units] struct {
	root   *node[U]
	owner  cow.Owner  // of the nodes that the profile may write to
	leaves []*node[U] // spare nodes
	inners []*node[U]
	shape
}

// units is the type of a number of free units: 32 bits are enough for most pools,
// and make for shorter leaves.
type units interface{ int32 | int64 }

// fanout is such that a leaf of 32-bit units, with the 8 bytes that the allocator puts
// before it, fills 896 bytes.
const fanout = 106

// node is a leaf, or an inner node if it has that part.
type node[U units] struct {
	owner     cow.Owner
	n         int
	*inner[U] // here, and not at the end, so that it shares a cache line with n
	starts
	low [fanout]U // the free units of each entry of a leaf, or else the least below it
}

type inner[U units] struct {
	high  [fanout]U // the most free units below each entry
	add   [fanout]U // units to add to all numbers below
	kid   [fanout]*node[U]
	index atomic.Pointer[index[U]]
}

// step is a node on the way to a leaf, and the entry that the way takes.
type step[U units] struct {
	nd  *node[U]
	i   int
	acc U              // units to add to the numbers of nd
	end bookahead.Time // where the node ends
}

func newProfile[U units](slots []slot, s shape) *profile[U] {
	p := &profile[U]{shape: s}
	p.owner.Renew()
	level := p.bulk(slots)
	for len(level) > 1 {
		level = p.above(level)
	}
	p.root = level[0]
	return p
}

// bulk makes the leaves for a list of slots, three quarters full.
func (p *profile[U]) bulk(slots []slot) []*node[U] {
	var level []*node[U]
	for _, n := range p.portions(len(slots)) {
		nd := p.newLeaf()
		nd.countFrom(slots[0].Start, 0)
		for i, s := range slots[:n] {
			nd.setStart(i, s.Start)
			nd.low[i] = U(s.Free)
		}
		nd.n, slots = n, slots[n:]
		level = append(level, nd)
	}
	return level
}

// above makes the nodes above a level.
func (p *profile[U]) above(level []*node[U]) []*node[U] {
	var upper []*node[U]
	for _, n := range p.portions(len(level)) {
		nd := p.newInner()
		nd.countFrom(level[0].start(0), 0)
		for i, kid := range level[:n] {
			nd.setStart(i, kid.start(0))
			nd.kid[i] = kid
			nd.low[i], nd.high[i] = kid.extremes(0)
		}
		nd.n, level = n, level[n:]
		upper = append(upper, nd)
	}
	return upper
}

// portions divides n entries evenly.
func (p *profile[U]) portions(n int) []int {
	full := p.width * 3 / 4
	parts := make([]int, (n+full-1)/full)
	each, more := n/len(parts), n%len(parts)
	for i := range parts {
		parts[i] = each
		if i < more {
			parts[i]++
		}
	}
	return parts
}

// at returns the entry that contains t; the first if t lies before.
func (nd *node[U]) at(t bookahead.Time) int { return nd.starts.at(t, nd.n) }

// end returns where entry i ends, in a node that ends at end.
func (nd *node[U]) end(i int, end bookahead.Time) bookahead.Time {
	if i+1 < nd.n {
		return nd.start(i + 1)
	}
	return end
}

// most returns the most free units of each entry.
func (nd *node[U]) most() *[fanout]U {
	if nd.inner == nil {
		return &nd.low
	}
	return &nd.high
}

// extremes returns the least and the most free units in the node.
func (nd *node[U]) extremes(acc U) (low, high U) {
	low, high = nd.low[0]+acc, nd.low[0]+acc
	if nd.inner == nil {
		for _, u := range nd.low[1:nd.n] {
			low, high = min(low, u+acc), max(high, u+acc)
		}
		return low, high
	}
	high = nd.high[0] + acc
	for i := 1; i < nd.n; i++ {
		low, high = min(low, nd.low[i]+acc), max(high, nd.high[i]+acc)
	}
	return low, high
}

// clone returns a copy that shares all nodes until either side writes to them. The spare
// nodes stay with p.
func (p *profile[U]) clone() profileOf {
	p.owner.Share()
	return &profile[U]{root: p.root, owner: p.owner, shape: p.shape}
}

func (p *profile[U]) Search(first, last, d bookahead.Time, n int64) (bookahead.Time, bool) {
	return p.earliest(first, last, d, U(n))
}

func (p *profile[U]) Book(first, last, d bookahead.Time, n int64) (bookahead.Time, bool) {
	var c cursor[U]
	t, ok := p.find(&c, first, last, d, U(n))
	if ok {
		p.update(update[U]{Interval: bookahead.Interval{Start: t, End: t + d}, delta: -U(n), found: &c})
	}
	return t, ok
}

func (p *profile[U]) Latest(first, last, d bookahead.Time, n int64) (bookahead.Time, bool) {
	return p.latest(first, last, d, U(n))
}

func (p *profile[U]) Change(w bookahead.Interval, delta int64) { p.add(w, U(delta)) }

func (p *profile[U]) Least(w bookahead.Interval) int64 {
	return int64(minimum(step[U]{nd: p.root, end: bookahead.MaxTime}, w, p.at(w.Start)))
}

// minimum returns the fewest free units in w below a node, or low, the free units at the
// start of w, if these are fewer.
func minimum[U units](s step[U], w bookahead.Interval, low U) U {
	nd := s.nd
	for i := nd.at(w.Start); i < nd.n && nd.start(i) < w.End; i++ {
		switch end := nd.end(i, s.end); {
		case nd.low[i]+s.acc >= low: // cannot be less
		case nd.inner == nil && end > w.Start, nd.start(i) >= w.Start && end <= w.End:
			low = nd.low[i] + s.acc
		case nd.inner != nil:
			low = minimum(step[U]{nd: nd.kid[i], acc: s.acc + nd.add[i], end: end}, w, low)
		}
	}
	return low
}

func (p *profile[U]) Until(t bookahead.Time, n int64, limit bookahead.Time) bookahead.Time {
	var c cursor[U]
	c.seek(p.root, t)
	if c.below(U(n), limit) {
		return c.start()
	}
	return limit
}

func (p *profile[U]) Steps(t bookahead.Time) iter.Seq2[bookahead.Time, int64] {
	return func(yield func(bookahead.Time, int64) bool) {
		var c cursor[U]
		for c.seek(p.root, t); yield(c.end(), int64(c.free())) && c.next(); {
		}
	}
}
