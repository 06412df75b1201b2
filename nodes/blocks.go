package nodes

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// A block is a stretch of some chunks that follow each other. Its facts are about all starts in it, so that a search
// passes a block as it passes a chunk:
//
//	chunks    │  3 GPUs on 2  │  4 GPUs on 1  │  3 GPUs on 1  │     each without a start for so much
//	block     │  4 GPUs on 2                                  │     the greatest of each
//
// A search that passes all chunks of a block adds up why: the greatest need, the longest time and the most nodes of
// all the facts. A request for as much finds no start in any of the chunks. Since facts about chunks ask for no more
// than they must, the sum serves many requests that are not alike.
//
// Blocks begin with chunks, but for the first. A block that has more than twice size chunks is divided, and both
// halves keep its facts; a block with few chunks is joined to a neighbour, and the facts of both are dropped.

// usualBlock is the number of chunks in a block when all are built.
const usualBlock = 16

// sum is what no start of a block serves, as far as a search has come in it.
type sum struct {
	on    bool // all starts in the block before the place of the search are known to fail
	block int
	need  [MaxResources]uint64
	d     bookahead.Time
	few   int
}

// hop returns the first start from a on which no zone denies and no fact about a block, and its chunk, given that
// a lies in chunk c.
func (s *search) hop(a bookahead.Time, c int) (bookahead.Time, int) {
	for {
		to := a
		for _, w := range s.skip {
			if w.Contains(a) {
				s.failedAll(s.need[:], s.d, s.few)
				to = w.End
				break
			}
		}
		if to == a && a >= s.until {
			to = s.enter(a)
		}
		if to == a {
			return a, c
		}
		a, c = to, s.chunkAt(to)
	}
}

// enter leaves the block that a search has passed, and returns the end of the block of a if the facts about it deny
// the request; else a.
func (s *search) enter(a bookahead.Time) bookahead.Time {
	s.leave()
	b := stretchAt(s.blocks, a)
	s.until = endOf(s.blocks, b)
	if s.denies(s.far.facts[b], s.need[:], s.d, s.few) {
		return s.until
	}
	s.failures = sum{on: s.notes && s.groupless() && (a == s.blocks[b] || a == s.now), block: b}
	return a
}

// leave notes the sum of a block as a fact, if the search has passed all of the block.
func (s *search) leave() {
	f := &s.failures
	if f.on {
		s.note(&s.far, s.blocks, f.block, f.need[:], f.d, f.few)
	}
	f.on = false
}

// failedAll adds to the sum of a block that the chunk of the search has no start for a need, so many ticks and
// nodes.
func (s *search) failedAll(need []uint64, d bookahead.Time, few int) {
	f := &s.failures
	if f.on {
		s.widen(f.need[:], need)
		f.d, f.few = max(f.d, d), max(f.few, few)
	}
}

// buildBlocks makes all blocks anew, without facts.
func (x *index) buildBlocks() {
	x.blocks, x.far = nil, proofs{}
	for c := 0; c < len(x.starts); c += x.block {
		x.blocks = append(x.blocks, x.starts[c])
	}
	x.far.facts = make([]*facts, len(x.blocks))
}

// balanceBlock divides the block of t if it has too many chunks, or joins it to a neighbour if it has too few.
func (x *index) balanceBlock(t bookahead.Time) {
	b := stretchAt(x.blocks, t)
	from, to := x.chunkAt(x.blocks[b]), len(x.starts)
	if b+1 < len(x.blocks) {
		to = x.chunkAt(x.blocks[b+1])
	}
	switch {
	case to-from > 2*x.block:
		x.blocks = slices.Insert(x.blocks, b+1, x.starts[(from+to)/2])
		x.far.facts = slices.Insert(x.far.facts, b+1, x.far.facts[b].clone())
	case to-from > x.block/4:
	case b+1 < len(x.blocks):
		x.joinBlocks(b)
	case b > 0:
		x.joinBlocks(b - 1)
	}
}

// joinBlocks joins block b and the next, without facts.
func (x *index) joinBlocks(b int) {
	x.blocks = slices.Delete(x.blocks, b+1, b+2)
	x.far.facts = slices.Delete(x.far.facts, b+1, b+2)
	x.far.facts[b] = nil
}
