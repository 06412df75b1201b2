package nodes

import (
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/cow"
)

// chunk is a stretch of time. For each level of each resource it has two rows, with a bit for each
// node:
//
//	             GPUs free on the nodes       least >= 4      most >= 4
//	node 0       ████████████████  8              1               1
//	node 1       ████    ████████  4 0 4          0               1
//	node 2       ██              ░ 2 0            0               0
//
// Only the nodes of the row least can serve a window that covers the whole chunk. Only the nodes of the row
// most can serve a window that touches the chunk. Two more rows say on which nodes steps begin.
type chunk struct {
	owner cow.Owner
	inner int      // steps that begin inside
	rows  []uint64 // each of them stride words long
}

// codes are the levels that a node reaches in a chunk, as levels.reached counts them: a byte for each
// resource.
type codes struct{ least, most uint64 }

// table says where the rows of a chunk lie: the least rows come first, then the most rows, and then two rows
// for steps. A table is never changed, so that clones share it.
type table struct {
	*levels
	wide   int
	stride int      // words a row
	all    []uint64 // a row in which all nodes are
	whole  []part   // one, of all nodes
}

func (t *table) mostRow() int    { return t.rows }     // the first of the most rows
func (t *table) changedRow() int { return 2 * t.rows } // a step may begin inside
func (t *table) edgedRow() int   { return 2*t.rows + 1 }
func (t *table) size() int       { return (2*t.rows + 2) * t.stride }

// newTable returns the table for the nodes of a layout, with room for so many more nodes.
func newTable(l *layout, more int) *table {
	n := len(l.given)
	t := &table{levels: newLevels(l.wide, l.classes), wide: l.wide, stride: (n + more + 63) / 64}
	t.setAll(n)
	return t
}

// setAll sets the number of nodes to n. Bits beyond n are never set in a row.
func (t *table) setAll(n int) {
	t.all = make([]uint64, t.stride)
	p := make(part, t.stride)
	for i := range p {
		p[i] = span{i, math.MaxUint64}
	}
	for k := range n {
		t.all[k/64] |= 1 << (k % 64)
	}
	t.whole = []part{p}
}

// row returns a row of a chunk.
func (t *table) row(c *chunk, i int) []uint64 { return c.rows[i*t.stride : (i+1)*t.stride] }

func (t *table) newChunk(owner cow.Owner) *chunk {
	return &chunk{owner: owner, rows: make([]uint64, t.size())}
}

// clone returns a copy that an owner may write to.
func (c *chunk) clone(owner cow.Owner) *chunk {
	return &chunk{owner: owner, inner: c.inner, rows: slices.Clone(c.rows)}
}

// turn changes the rows for nodes of one word, which reached the levels was and now reach is. Only the rows
// between the two codes change.
func (t *table) turn(c *chunk, word int, mask uint64, was, is codes) {
	t.turnRows(c, word, mask, was.least, is.least)
	t.turnRows(c, word+t.mostRow()*t.stride, mask, was.most, is.most)
}

func (t *table) turnRows(c *chunk, first int, mask, was, is uint64) {
	for r := 0; was != is; r++ {
		from, to := int(uint8(was)), int(uint8(is))
		row := first + t.begin[r]*t.stride
		for i := from; i < to; i++ {
			c.rows[row+i*t.stride] |= mask
		}
		for i := to; i < from; i++ {
			c.rows[row+i*t.stride] &^= mask
		}
		was, is = was>>8, is>>8
	}
}

// mark sets the bit of a node in a row.
func (t *table) mark(c *chunk, row, k int) { c.rows[row*t.stride+k/64] |= 1 << (k % 64) }

// unmark clears the bit of a node in a row.
func (t *table) unmark(c *chunk, row, k int) { c.rows[row*t.stride+k/64] &^= 1 << (k % 64) }

// brush turns the rows of a chunk for many nodes. Nodes of one word that change in the same way are turned
// at once.
type brush struct {
	*table
	*chunk
	word    int
	mask    uint64
	was, is codes
}

// paint turns the rows for node k, now or at the next flush.
func (b *brush) paint(k int, was, is codes) {
	if was == is {
		return
	}
	if k/64 != b.word || was != b.was || is != b.is {
		b.flush()
		b.word, b.was, b.is = k/64, was, is
	}
	b.mask |= 1 << (k % 64)
}

func (b *brush) flush() {
	if b.mask != 0 {
		b.turn(b.chunk, b.word, b.mask, b.was, b.is)
	}
	b.mask = 0
}

// erase clears the bits of some nodes in all rows of levels.
func (t *table) erase(c *chunk, nodes []uint64) {
	for row := range t.changedRow() {
		for i, word := range nodes {
			c.rows[row*t.stride+i] &^= word
		}
	}
}

// extremes are the least and the most of each resource.
type extremes struct{ low, high [MaxResources]int64 }

// nothing is the extremes of no amounts, to start from.
var nothing = func() (x extremes) {
	for r := range x.low {
		x.low[r], x.high[r] = math.MaxInt64, math.MinInt64
	}
	return x
}()

// see widens the extremes by the amounts of step i, less so many times a vector.
func (x *extremes) see(s *steps, i int, times int64, v Vector) {
	row := s.row(i)
	for r := range s.fields {
		amount := s.amount(row, r)
		if times != 0 {
			amount -= times * v[r]
		}
		x.low[r], x.high[r] = min(x.low[r], amount), max(x.high[r], amount)
	}
}

// code returns the levels that a node with these extremes reaches.
func (t *table) code(x *extremes) (c codes) {
	for r := range t.wide {
		low := uint64(t.reached(r, x.low[r]))
		high := low
		if x.high[r] != x.low[r] {
			high = uint64(t.reached(r, x.high[r]))
		}
		c.least |= low << (8 * r)
		c.most |= high << (8 * r)
	}
	return c
}

// reach returns the levels that a node reaches in the steps from i on that begin before a time, and the last
// of these steps.
func (t *table) reach(s *steps, i int, before bookahead.Time) (codes, int) {
	x := nothing
	x.see(s, i, 0, nil)
	for s.end(i) < before {
		i++
		x.see(s, i, 0, nil)
	}
	return t.code(&x), i
}

// reachAnew returns the levels that a node reaches in w, from step i on, before and after so many times a
// vector were added throughout changed, and the last step in w. The steps s are the steps after the change.
// So a step that the change covers in part counts twice for the levels before: once with the change undone,
// and once as it is:
//
//	w          ├──────────────┤
//	changed         ├───────────────     3 units were taken
//	now        5────5─────────           one step, as the amount before was 8 where 3 were taken
//	was        5────8─────────           the step counts as 5 + 3, and as 5
func (t *table) reachAnew(s *steps, i int, w, changed bookahead.Interval, times int64, v Vector) (was, is codes, last int) {
	if s.end(i) >= w.End && changed.Start <= w.Start && changed.End >= w.End {
		was, is = t.code1(s, i, times, v)
		return was, is, i
	}
	old, now := nothing, nothing
	for ; ; i++ {
		now.see(s, i, 0, nil)
		piece := bookahead.Interval{Start: max(s.start(i), w.Start), End: min(s.end(i), w.End)}
		both := piece.Intersect(changed)
		if !both.Empty() {
			old.see(s, i, times, v)
		}
		if both != piece {
			old.see(s, i, 0, nil)
		}
		if s.end(i) >= w.End {
			return t.code(&old), t.code(&now), i
		}
	}
}

// code1 returns the levels that a node reaches in step i alone, with so many times a vector less, and as it
// is. In a single step, the least and the most are the same.
func (t *table) code1(s *steps, i int, times int64, v Vector) (was, is codes) {
	row := s.row(i)
	for r := range t.wide {
		amount := s.amount(row, r)
		is.least |= uint64(t.reached(r, amount)) << (8 * r)
		was.least |= uint64(t.reached(r, amount-times*v[r])) << (8 * r)
	}
	is.most, was.most = is.least, was.least
	return was, is
}
