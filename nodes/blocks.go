package nodes

import "github.com/bookahead/bookahead"

// A block is a stretch of some chunks that follow each other. Its facts are about all starts in it, so that a search
// passes a block as it passes a chunk:
//
//	chunks    │  3 GPUs on 2  │  4 GPUs on 1  │  3 GPUs on 1  │     each without a start for so much
//	block     │  4 GPUs on 2                                  │     the greatest of each
//
// A search that passes all chunks of a block adds up why: the greatest need, the longest time and the most nodes of
// all the facts. A request for as much finds no start in any of the chunks. Facts about chunks ask for little more than
// they must, so that the sum serves many requests that are not alike.
//
// Blocks begin with chunks, but for the first. A block is divided when a chunk of it is and it has more than twice
// perBlock then; both halves keep its facts. A block with few chunks is joined to a neighbour, and the facts of both are
// dropped.

// usualBlock is the number of chunks of a new block.
const usualBlock = 16

// sum is what no start of a block serves, as far as a search has come in it.
type sum struct {
	on    bool // all starts in the block before the place of the search are known to fail
	block int
	need  [MaxResources]uint64
	d     bookahead.Time
	few   int
}

// hop returns the first start from a on that neither a zone nor a fact about a block denies, and its chunk, or a start
// after last. a lies in chunk c. passed is the number of blocks and zones that it has passed.
func (s *search) hop(a bookahead.Time, c int, last bookahead.Time) (start bookahead.Time, chunk, passed int) {
	for ; a <= last; passed++ {
		to := a
		if a >= s.until {
			to = s.enter(a)
		}
		for _, w := range s.skip {
			if to == a && w.Contains(a) {
				s.failedAll(s.need[:], s.d, s.few)
				to = w.End
			}
		}
		if to == a {
			break
		}
		a, c = to, s.chunkAt(to)
	}
	if a >= s.until {
		s.leave()
	}
	return a, c, passed
}

// enter leaves the block that a search has passed, and returns the end of the block of a if the facts about it deny
// the request; else a.
func (s *search) enter(a bookahead.Time) bookahead.Time {
	s.leave()
	b := s.far.at(a)
	s.until = s.far.end(b)
	if s.denies(s.far.facts[b], s.need[:], s.d, s.few) {
		return s.until
	}
	s.failures = sum{on: s.notes && s.groupless() && (a == s.far.starts[b] || a == s.now), block: b}
	return a
}

// leave notes the sum of a block as a fact, if the search has passed all of the block.
func (s *search) leave() {
	f := &s.failures
	if f.on {
		s.note(&s.far, f.block, f.need[:], f.d, f.few)
	}
	f.on = false
}

// failedAll adds to the sum of a block that no start which the search passes now serves a need for so many ticks and
// nodes: the rest of a chunk, of a zone, or of several chunks.
func (s *search) failedAll(need []uint64, d bookahead.Time, few int) {
	f := &s.failures
	if f.on {
		s.widen(f.need[:], need)
		f.d, f.few = max(f.d, d), max(f.few, few)
	}
}

// buildBlocks makes all blocks anew, without facts.
func (x *index) buildBlocks() {
	x.far = proofs{}
	for c := 0; c < len(x.starts); c += x.perBlock {
		x.far.starts = append(x.far.starts, x.starts[c])
	}
	x.far.facts = make([]*facts, len(x.far.starts))
}

// balanceBlock divides the block of t if it has too many chunks, or joins it to a neighbour if it has too few.
func (x *index) balanceBlock(t bookahead.Time) {
	b := x.far.at(t)
	from, to := x.chunkAt(x.far.starts[b]), len(x.starts)
	if b+1 < len(x.far.starts) {
		to = x.chunkAt(x.far.starts[b+1])
	}
	switch {
	case to-from > 2*x.perBlock:
		x.far.insert(b+1, x.starts[(from+to)/2], x.far.facts[b].clone())
	case to-from > x.perBlock/4:
	case b+1 < len(x.far.starts):
		x.joinBlocks(b)
	case b > 0:
		x.joinBlocks(b - 1)
	}
}

// joinBlocks joins block b and the next, without facts.
func (x *index) joinBlocks(b int) {
	x.far.remove(b+1, b+2)
	x.far.facts[b] = nil
}
