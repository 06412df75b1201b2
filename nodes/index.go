package nodes

import (
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/cow"
)

// index keeps the free amounts of all nodes: the steps of each node, and chunks of time whose rows name the
// nodes that may serve a window, so that a search need not read the steps of the others.
//
//	time      0            26     41        55                           ...
//	chunks    │            │      │         │
//	node 0    ███████  ████  ████    ████████  █████████████████████████
//	node 1    █████      ██  ██  ████████      █████████████████████████
//	node 2    ██████████████████    ████  █████████████████████████████
//
// Chunks are short where much changes. A chunk is divided when more than limit steps begin inside, so nobody
// has to choose a width, and the memory grows with the number of steps. Each chunk but the first begins at a
// time at which some step began when the chunk was made.
//
//	C1  The rows of levels of a chunk are exact. The first chunk may still count its past: its least
//	    rows may lack nodes, and its most rows may have too many.
//	C2  The changed row of a chunk has all nodes with a step that begins inside, and perhaps more. The
//	    edged row has exactly the nodes with a step that begins with the chunk; the edged row of the
//	    first chunk means nothing.
//	C3  inner is the number of steps that begin inside. In the first chunk it may be too large.
//	C4  There is no start where facts and dead zones deny one.
//	C5  Each block but the first begins with a chunk.
//
// A step that begins with a chunk is inside of no chunk.
type index struct {
	*table
	*packing
	owner    cow.Owner
	now      bookahead.Time
	nodes    []steps
	proofs          // about the starts in each chunk
	far      proofs // about the starts in each block, which is some chunks
	chunks   []*chunk
	reads    int // about so many chunks of a long window are read
	limit    int // the most steps that may begin inside a chunk
	perBlock int // the number of chunks of a new block
	crowd    int // from so many nodes on, a search looks for steps abreast
	dead     zones
	// Scratch of a change: a cursor for each node, and the amounts that each node is given.
	cursor  []cursor
	amounts Vector
}

// cursor is the step that a change has reached on a node.
type cursor struct {
	node, step int
	whole      bool // the step covers all of the last chunk, and so does the change
	was, is    codes
}

// newIndex returns the index of the nodes of a layout on which all is free.
func newIndex(now bookahead.Time, l *layout) *index {
	x := &index{table: newTable(l, 0), packing: newPacking(l.most), now: now, limit: limitOf(len(l.given)), perBlock: usualBlock, reads: 32, crowd: 512}
	x.owner.Renew()
	for _, v := range l.given {
		s := newSteps(x.packing, now, v)
		s.owner = x.owner
		x.nodes = append(x.nodes, s)
	}
	x.build()
	return x
}

// limitOf returns how many steps may begin inside a chunk: a quarter of the nodes, but at least 64. With a
// lower limit a window has more chunks, and a search reads more rows. With a higher limit the rows say less
// about a window, and a search reads the steps of more nodes in vain.
func limitOf(nodes int) int { return max(64, nodes/4) }

// end returns where chunk c ends.
func (x *index) end(c int) bookahead.Time { return x.proofs.end(c) }

// chunkAt returns the chunk that contains t, which is not in the past. O(log c) for c chunks.
func (x *index) chunkAt(t bookahead.Time) int { return x.proofs.at(t) }

// own returns chunk c for writing, or a copy in its place if a clone shares it.
func (x *index) own(c int) *chunk {
	if x.chunks[c].owner != x.owner {
		x.chunks[c] = x.chunks[c].clone(x.owner)
	}
	return x.chunks[c]
}

// ownNode returns the steps of a node for writing, or a copy in their place if a clone shares them. The past
// is forgotten.
func (x *index) ownNode(k int) *steps {
	s := &x.nodes[k]
	if s.owner != x.owner {
		*s = s.clone()
		s.owner = x.owner
	}
	s.forget(x.now)
	return s
}

// change adds amounts to the free amounts of nodes throughout w, so many times. It changes the steps of all
// nodes first, and then the rows of the chunks: so each chunk is visited once for all nodes, and nodes in
// one word are written at once. O(v + m) for each node of v steps, where w touches m chunks, and O(c) if one
// of c chunks is divided or joined.
func (x *index) change(w bookahead.Interval, times int64, takes iter.Seq2[int, Vector]) {
	if w.Empty() {
		return
	}
	x.owner.Renew()
	x.cursor, x.amounts = x.cursor[:0], x.amounts[:0]
	from := x.chunkAt(w.Start)
	begin := max(x.starts[from], x.now)
	to := from
	if w.End < bookahead.MaxTime {
		to = x.chunkAt(w.End)
	}
	for k, v := range takes {
		s := x.ownNode(k)
		atStart, atEnd := s.change(w, v, times)
		x.count(k, from, w.Start, atStart)
		x.count(k, to, w.End, atEnd)
		x.cursor = append(x.cursor, cursor{node: k, step: s.at(begin)})
		x.amounts = append(x.amounts, v...)
	}
	// A step that covers the whole chunk, and so does the change, has the same levels in the next chunk: most
	// chunks in the middle of a long reservation need no look at the steps.
	for c := from; c < len(x.chunks) && x.starts[c] < w.End; c++ {
		b := brush{table: x.table, chunk: x.own(c)}
		span := bookahead.Interval{Start: max(x.starts[c], x.now), End: x.end(c)}
		for i := range x.cursor {
			cur := &x.cursor[i]
			s := &x.nodes[cur.node]
			if s.end(cur.step) <= x.starts[c] { // the next step begins with this chunk
				cur.step++
				cur.whole = false
			}
			whole := s.end(cur.step) >= span.End && w.Start <= span.Start && w.End >= span.End
			if !whole || !cur.whole {
				cur.was, cur.is, cur.step = x.reachAnew(s, cur.step, span, w, times, x.amounts[i*x.wide:])
				cur.whole = whole
			}
			b.paint(cur.node, cur.was, cur.is)
		}
		b.flush()
	}
	if w.End < bookahead.MaxTime {
		x.balance(x.chunkAt(w.End))
	}
	x.balance(x.chunkAt(w.Start))
	if times > 0 {
		x.dead.cut(w, x.now)
		x.doubt(w)
	}
}

// count adds the number of steps of a node that have come to begin at t, in chunk i, or have ceased to.
func (x *index) count(k, i int, t bookahead.Time, by int) {
	if by == 0 || t <= x.now {
		return
	}
	c := x.own(i)
	switch {
	case t > x.starts[i]:
		c.inner += by
		x.mark(c, x.changedRow(), k) // the mark may stay when the node's last step inside goes: see C2
	case by > 0:
		x.mark(c, x.edgedRow(), k)
	default:
		x.unmark(c, x.edgedRow(), k)
	}
}

// forget drops the chunks that are over. A node forgets its steps only when it is next booked.
func (x *index) forget(now bookahead.Time) {
	x.now = now
	past := x.chunkAt(now)
	if past > 0 {
		x.proofs.remove(0, past)
		x.chunks = slices.Delete(x.chunks, 0, past)
		x.far.remove(0, x.far.at(now))
	}
}

// Clone returns a copy that shares the steps and the chunks until either side writes to them.
func (x *index) Clone() *index {
	x.owner.Share()
	c := *x
	c.nodes, c.chunks, c.proofs, c.far = slices.Clone(x.nodes), slices.Clone(x.chunks), x.proofs.clone(), x.far.clone()
	c.cursor, c.amounts, c.dead.list = nil, nil, slices.Clone(x.dead.list)
	return &c
}

// extend adds the nodes of a larger layout, with nothing free on them. O(n) for n nodes; if they do not fit,
// the chunks are built anew with room for an eighth more.
func (x *index) extend(l *layout) {
	x.owner.Renew()
	x.dead.list = nil // zones are about the old packing and the old groups
	if !x.fits(l) {
		x.table, x.packing = newTable(l, len(l.given)/8), newPacking(l.most)
		for k := range x.nodes {
			x.nodes[k] = x.nodes[k].repack(x.packing)
			x.nodes[k].owner = x.owner
		}
		defer x.build()
	}
	t := *x.table
	t.setAll(len(l.given))
	x.table = &t
	for range l.given[len(x.nodes):] {
		s := newSteps(x.packing, x.now, make(Vector, l.wide))
		s.owner = x.owner
		x.nodes = append(x.nodes, s)
	}
	x.limit = limitOf(len(l.given))
}

// fits reports whether the rows have room for the nodes of a layout, and the levels reach their amounts.
func (x *index) fits(l *layout) bool {
	for r, most := range l.most {
		if most > x.of[r][len(x.of[r])-1] {
			return false
		}
	}
	return len(l.given) <= 64*x.stride
}
