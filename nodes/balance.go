package nodes

import (
	"math/bits"
	"slices"

	"github.com/bookahead/bookahead"
)

// A chunk is divided at a time before which about half of its steps begin. A job begins on many nodes at
// once, so that many steps may begin at exactly this time. They become edges, which are inside of neither
// half. Neighbours in which few steps begin are joined.
//
//	limit 4    ──┬──┬──┬──┬──┬──      5 begin inside
//	divide     ──┬──┬──│──┬──┬──      2 and 2
//	join       ──┬─────│──────          1 and 0, and 1 between them: no more than half of limit

// balance divides chunk c if too many steps begin inside, or joins it to a neighbour.
func (x *index) balance(c int) {
	switch {
	case x.chunks[c].inner > x.limit:
		x.divide(c)
	case c+1 < len(x.chunks) && x.sparse(c):
		x.join(c)
	case c > 0 && x.sparse(c-1):
		x.join(c - 1)
	}
}

// sparse reports whether few steps would begin inside of chunk c and the next together.
func (x *index) sparse(c int) bool {
	return x.chunks[c].inner+x.chunks[c+1].inner <= x.limit/2 && x.inner(c) <= x.limit/2
}

// inner returns how many steps would begin inside of chunk c and the next together: those inside of either,
// and those that begin with the next.
func (x *index) inner(c int) int {
	n := x.chunks[c].inner + x.chunks[c+1].inner
	for _, word := range x.row(x.chunks[c+1], x.edgedRow()) {
		n += bits.OnesCount64(word)
	}
	return n
}

// divide divides chunk c, unless all steps inside have begun by now. Rows are made anew only for the nodes
// of its changed row: on the other nodes no step begins inside, so that they reach the same levels in both
// halves.
func (x *index) divide(c int) {
	left := x.own(c)
	start, end := max(x.starts[c], x.now), x.end(c)
	at, ok := x.middle(x.row(left, x.changedRow()), start, end)
	if !ok {
		left.inner = 0 // all steps have begun
		return
	}
	right := left.clone(x.owner)
	was := slices.Clone(x.row(left, x.changedRow()))
	for _, row := range [][]uint64{x.row(left, x.changedRow()), x.row(right, x.changedRow()), x.row(right, x.edgedRow())} {
		clear(row)
	}
	x.erase(left, was)
	x.erase(right, was)
	x.proofs.insert(c+1, at, nil)
	x.chunks = slices.Insert(x.chunks, c+1, right)
	x.balanceBlock(at)
	lefts, rights := brush{table: x.table, chunk: left}, brush{table: x.table, chunk: right}
	left.inner, right.inner = 0, 0
	for k := range members(was) {
		s := &x.nodes[k]
		first := s.at(start)
		reached, i := x.reach(s, first, at)
		lefts.paint(k, codes{}, reached)
		x.inside(left, k, i-first)
		if s.end(i) == at { // the next step begins with the right half
			x.mark(right, x.edgedRow(), k)
			i++
		}
		reached, last := x.reach(s, i, end)
		rights.paint(k, codes{}, reached)
		x.inside(right, k, last-i)
	}
	lefts.flush()
	rights.flush()
}

// middle returns the median of the times between start and end at which steps of some nodes begin. It looks
// at a sample of the nodes. If these have no such steps, it looks at all, and ok is false if none has.
func (x *index) middle(nodes []uint64, start, end bookahead.Time) (at bookahead.Time, ok bool) {
	const some = 32
	n := popcount(nodes)
	for every := 1 + n/some; ; every = 1 {
		var times []bookahead.Time
		i := 0
		for k := range members(nodes) {
			i++
			if i%every > 0 {
				continue
			}
			s := &x.nodes[k]
			for i := s.at(start); s.end(i) < end; i++ {
				times = append(times, s.end(i))
			}
		}
		slices.Sort(times)
		if len(times) > 0 {
			return times[len(times)/2], true
		}
		if every == 1 {
			return 0, false
		}
	}
}

// inside adds n steps of a node that begin inside a chunk.
func (x *index) inside(c *chunk, k, n int) {
	c.inner += n
	if n > 0 {
		x.mark(c, x.changedRow(), k)
	}
}

// join joins chunk c and the next. A node reaches a level throughout both if it does in each (least), and at
// some tick if it does in either (most). Steps that began with the next chunk begin inside now. The facts
// of both chunks are dropped, because neither say anything about the starts in the other.
func (x *index) join(c int) {
	inner := x.inner(c)
	left, right := x.own(c), x.chunks[c+1]
	left.inner = inner
	changed, edged := x.changedRow()*x.stride, x.edgedRow()*x.stride
	for i := range x.mostRow() * x.stride {
		left.rows[i] &= right.rows[i]
	}
	for i := x.mostRow() * x.stride; i < changed+x.stride; i++ {
		left.rows[i] |= right.rows[i]
	}
	for i := range x.stride {
		left.rows[changed+i] |= right.rows[edged+i]
	}
	b := x.far.at(x.starts[c+1])
	if x.far.starts[b] == x.starts[c+1] {
		x.joinBlocks(b - 1)
	}
	x.proofs.remove(c+1, c+2)
	x.chunks = slices.Delete(x.chunks, c+1, c+2)
	x.facts[c] = nil
	x.balanceBlock(x.starts[c])
}

// build makes all chunks anew from the steps, with about half of the limit inside each. O(n c + s log s) for
// n nodes, c chunks and s steps.
func (x *index) build() {
	var times []bookahead.Time
	x.cursor = x.cursor[:0]
	for k := range x.nodes {
		s := &x.nodes[k]
		i := s.at(x.now)
		x.cursor = append(x.cursor, cursor{node: k, step: i})
		for ; s.end(i) < bookahead.MaxTime; i++ {
			times = append(times, s.end(i))
		}
	}
	slices.Sort(times)
	x.starts, x.chunks = []bookahead.Time{x.now}, nil
	for i := x.limit / 2; i < len(times); i += max(1, x.limit/2) {
		if times[i] > x.starts[len(x.starts)-1] {
			x.starts = append(x.starts, times[i])
		}
	}
	x.facts, x.longest = make([]*facts, len(x.starts)), 0
	x.buildBlocks()
	for range x.starts {
		x.chunks = append(x.chunks, x.newChunk(x.owner))
	}
	// The nodes of one word at a time, so that their steps stay in the cache from chunk to chunk.
	for word := range slices.Chunk(x.cursor, 64) {
		for c, made := range x.chunks {
			b := brush{table: x.table, chunk: made}
			for i := range word {
				cur := &word[i]
				s := &x.nodes[cur.node]
				if c > 0 && s.end(cur.step) == x.starts[c] {
					cur.step++
					cur.whole = false
					x.mark(made, x.edgedRow(), cur.node)
				}
				whole := s.end(cur.step) >= x.end(c)
				if !whole || !cur.whole { // else the levels are those of the chunk before
					first := cur.step
					cur.is, cur.step = x.reach(s, first, x.end(c))
					cur.whole = whole
					x.inside(made, cur.node, cur.step-first)
				}
				b.paint(cur.node, codes{}, cur.is)
			}
			b.flush()
		}
	}
}
