package carts

import (
	"iter"
	"sync/atomic"

	"github.com/bookahead/bookahead"
)

// profile is the availability profile of an Indexed: what is free from each
// start on, in a B+ tree that copies a node before it writes to one that it
// shares with a clone.
//
//	                 ┌ start  0      30  ┐
//	root             │ low    1       2  │   the least below,
//	                 │ high   4       4  │   the most,
//	                 └ add    0      -1  ┘   and what is to be added to all of it
//	                     ╱             ╲
//	leaf    start  0   10   20       30   40   50
//	        free   4    1    3        3    5    4      from 30 on 2, 4, 3 are free
//
// A number holds in the frame of its node: what is really free is the sum with
// the adds of all entries on the way to it. So a reservation changes the two
// leaves at its edges, and one entry for each subtree between them. Sums wrap
// around, and are compared only when they are complete: they are right then,
// however the parts may have drifted.
//
// The profile begins at now or before. What it says of the past means nothing.
type profile[U units] struct {
	root   *node[U]
	owner  *owner
	leaves []*node[U] // spare nodes
	inners []*node[U]
	shape
}

// units are what free units are counted in: 32 bits are enough for most pools,
// and make for shorter leaves.
type units interface{ int32 | int64 }

// fanout is such that a leaf of 32-bit units, with the 8 bytes that the allocator puts
// before it, fills 896 bytes.
const fanout = 106

// node is a leaf, or an inner node if it has that part.
type node[U units] struct {
	owner     *owner
	n         int
	*inner[U] // here, and not at the end, so that it shares a cache line with n
	starts
	low [fanout]U // what is free in each entry, or the least that is
}

type inner[U units] struct {
	high  [fanout]U // the most that is free in each entry
	add   [fanout]U // to be added to all that is below
	kid   [fanout]*node[U]
	known atomic.Pointer[index[U]]
}

// owner marks the nodes that a profile may write to.
type owner struct{ _ byte }

// step is a node on the way to a leaf, and the entry that the way takes.
type step[U units] struct {
	nd  *node[U]
	i   int
	acc U              // what its entries lack to be complete
	end bookahead.Time // where the node ends
}

func newProfile[U units](slots []Slot, s shape) *profile[U] {
	p := &profile[U]{owner: new(owner), shape: s}
	level := p.bulk(slots)
	for len(level) > 1 {
		level = p.above(level)
	}
	p.root = level[0]
	return p
}

// bulk makes the leaves for a list of slots, three quarters full.
func (p *profile[U]) bulk(slots []Slot) []*node[U] {
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

// most returns the most that is free in each entry.
func (nd *node[U]) most() *[fanout]U {
	if nd.inner == nil {
		return &nd.low
	}
	return &nd.high
}

// extremes returns the least and the most that is free in the node.
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

// clone returns a copy that shares all nodes until either side writes to them.
func (p *profile[U]) clone() profileOf {
	c := &profile[U]{root: p.root, owner: new(owner), shape: p.shape}
	p.owner = new(owner)
	return c
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

func (p *profile[U]) searchLatest(first, last, d bookahead.Time, n int64) (bookahead.Time, bool) {
	return p.latest(first, last, d, U(n))
}

func (p *profile[U]) Change(w bookahead.Interval, delta int64) { p.add(w, U(delta)) }

// least returns the least that is free in w.
func (p *profile[U]) Least(w bookahead.Interval) int64 {
	return int64(minimum(step[U]{nd: p.root, end: bookahead.MaxTime}, w, p.at(w.Start)))
}

// minimum returns the least of what is free in w below a node, and of low, which
// is free at the start of w.
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

// until returns where less than n units are free next, from t on, or limit if that
// is earlier.
func (p *profile[U]) until(t bookahead.Time, n int64, limit bookahead.Time) bookahead.Time {
	var c cursor[U]
	if c.seek(p.root, t); c.below(U(n), limit) {
		return c.start()
	}
	return limit
}

// from yields the end of each slot from the one that contains t on, and what is
// free in it.
func (p *profile[U]) from(t bookahead.Time) iter.Seq2[bookahead.Time, int64] {
	return func(yield func(bookahead.Time, int64) bool) {
		var c cursor[U]
		for c.seek(p.root, t); yield(c.end(), int64(c.free())) && c.next(); {
		}
	}
}
