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
// A window that covers the whole chunk can be served by nodes of the first row alone, and one that
// touches it, by those of the second. Two more rows say where steps begin.
type chunk struct {
	owner cow.Owner
	inner int      // steps that begin inside
	rows  []uint64 // each of them stride words long
}

// codes are the levels that a node reaches in a chunk: a byte for each resource.
type codes struct{ least, most uint64 }

// table says how the rows of a chunk lie: least, most, and then the two for steps. It is never changed.
type table struct {
	*levels
	wide   int
	stride int      // words a row
	all    []uint64 // a row in which all nodes are
	whole  []part   // one, of all nodes
}

func (t *table) mostRow() int    { return t.rows }     // the first of them
func (t *table) changedRow() int { return 2 * t.rows } // a step may begin inside
func (t *table) edgedRow() int   { return 2*t.rows + 1 }
func (t *table) size() int       { return (2*t.rows + 2) * t.stride }

// newTable returns the table for the nodes of a layout, with room for some more.
func newTable(l *layout, more int) *table {
	n := len(l.given)
	t := &table{levels: newLevels(l.wide, l.classes), wide: l.wide, stride: (n + more + 63) / 64}
	t.setAll(n)
	return t
}

// setAll says how many nodes there are.
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

// set notes what nodes reach, all of them in one word.
func (t *table) set(c *chunk, word int, mask uint64, x codes) {
	at := word
	for _, code := range [2]uint64{x.least, x.most} {
		for r := range t.wide {
			reached := int(uint8(code >> (8 * r)))
			for i := range len(t.of[r]) {
				if i < reached {
					c.rows[at] |= mask
				} else {
					c.rows[at] &^= mask
				}
				at += t.stride
			}
		}
	}
}

// mark sets the bit of a node in a row.
func (t *table) mark(c *chunk, row, k int) { c.rows[row*t.stride+k/64] |= 1 << (k % 64) }

// unmark clears it.
func (t *table) unmark(c *chunk, row, k int) { c.rows[row*t.stride+k/64] &^= 1 << (k % 64) }

// brush sets bits of many nodes. Neighbours that reach the same levels are set together.
type brush struct {
	*table
	*chunk
	word int
	mask uint64
	codes
}

// paint notes what a node reaches.
func (b *brush) paint(k int, x codes) {
	if k/64 != b.word || x != b.codes {
		b.flush()
		b.word, b.codes = k/64, x
	}
	b.mask |= 1 << (k % 64)
}

func (b *brush) flush() {
	if b.mask != 0 {
		b.set(b.chunk, b.word, b.mask, b.codes)
	}
	b.mask = 0
}

// reach returns what a node reaches in the steps from i on that begin before a time, and the step
// that is the last of them.
func (t *table) reach(s *steps, i int, before bookahead.Time) (codes, int) {
	var low, high [MaxResources]int64
	for r := range t.wide {
		low[r] = s.amountAt(i, r)
		high[r] = low[r]
	}
	for i+1 < len(s.start) && s.start[i+1] < before {
		i++
		for r := range t.wide {
			amount := s.amountAt(i, r)
			low[r], high[r] = min(low[r], amount), max(high[r], amount)
		}
	}
	var x codes
	for r := range t.wide {
		x.least |= uint64(t.reached(r, low[r])) << (8 * r)
		x.most |= uint64(t.reached(r, high[r])) << (8 * r)
	}
	return x, i
}
