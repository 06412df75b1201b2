package nodes

import (
	"math/bits"
	"slices"

	"github.com/bookahead/bookahead"
)

// Best fit need not look at each node that has room. The rows of the chunks that a window touches give a lower
// bound of the amounts left on a node. The bound is counted in eighths of the most that a node can have of a
// resource, for all nodes of a word at once:
//
//	nodes that have left at least      2/8 cores  . 1 1 1
//	                                   5/8 cores  . . 1 1
//	                                   4/8 GPUs   . 1 . 1
//	eighths                                       0 6 5 9     2 + 3 for cores, 4 for GPUs
//
// The nodes are scored exactly in the order of their eighths, the fullest first. This ends when enough nodes
// are known to be fuller than all nodes left: a node with a score of 5.7 eighths comes before all nodes of 6
// eighths or more.
const (
	eighth = 57 // bits: an eighth of 2^60, as slack counts
	planes = 7  // bits of the number of eighths, at most 8 for each of 8 resources
	touch  = 16 // of windows that touch more chunks no rows are read: few nodes have room for them
)

// tight is the memory of the search for the fullest nodes. The zero value is ready for use.
type tight struct {
	scores []scored
	rough  uint64   // of all slacks: 0 if they are exact
	frees  Vector   // the free amounts of all scored nodes, side by side, if slacks are rough
	row    []uint64 // scratch: the nodes that have at least a level left
	// The number of eighths that each node has left at least: plane i has the i-th binary digits.
	plane [planes][]uint64
}

// scored is a node, its slack as BestFit ranks it, and the number of tasks for which it has room.
type scored struct {
	least uint64 // its slack, or less, by less than tight.rough
	fit   int64
	node  int32
	free  int32 // where its free amounts begin in tight.frees, if slacks are rough
}

// tightest returns the booking on the nodes that BestFit prefers, of the first part that has room.
func (s *search) tightest(w bookahead.Interval) *booking {
	s.free = slices.Grow(s.free[:0], s.wide)[:s.wide]
	s.countLeft(w)
	for _, p := range s.parts {
		s.score(p, w)
		b := s.deal(w)
		if b != nil {
			return b
		}
	}
	return nil
}

// countLeft counts the eighths that the nodes have left at least throughout w. If w touches too many chunks,
// all counts stay 0, so that all nodes are scored.
func (s *search) countLeft(w bookahead.Interval) {
	for i := range s.plane {
		s.plane[i] = slices.Grow(s.plane[i][:0], s.stride)[:s.stride]
		clear(s.plane[i])
	}
	first, last := s.chunkAt(w.Start), s.chunkAt(w.End-1)
	if last-first >= touch {
		return
	}
	for r := range s.wide {
		of := s.of[r]
		most, below := of[len(of)-1], int64(0)
		for l, amount := range of {
			more := 8*amount/most - below
			if more == 0 {
				continue
			}
			below += more
			s.row = append(s.row[:0], s.able...)
			at := (s.levels.begin[r] + l) * s.stride
			for c := first; amount > s.each[r] && c <= last; c++ {
				for i, word := range s.chunks[c].rows[at:][:s.stride] {
					s.row[i] &= word
				}
			}
			s.add(more)
		}
	}
}

// add adds some eighths to the counts of the nodes in row, digit by digit with carry: 64 nodes at once.
func (s *search) add(eighths int64) {
	for bit := 0; eighths != 0; bit, eighths = bit+1, eighths>>1 {
		if eighths&1 == 0 {
			continue
		}
		for i, carry := range s.row {
			for b := bit; carry != 0; b++ {
				s.plane[b][i], carry = s.plane[b][i]^carry, s.plane[b][i]&carry
			}
		}
	}
}

// score scores the nodes of a part, the fullest first, until enough of them are known to be fuller than all
// others, and leaves these in scores.
func (s *search) score(p part, w bookahead.Interval) {
	s.scores, s.frees, s.rough = s.scores[:0], s.frees[:0], s.layout.rough
	left := p.count(s.able)
	for eighths := 0; left > 0; eighths++ {
		for _, x := range p {
			word := s.able[x.word] & x.mask
			for b := range planes {
				if eighths>>b&1 > 0 {
					word &= s.plane[b][x.word]
				} else {
					word &^= s.plane[b][x.word]
				}
			}
			for ; word != 0; word &= word - 1 {
				k := 64*x.word + bits.TrailingZeros64(word)
				left--
				h := &s.hints[k]
				if h.epoch == s.epoch && h.End > w.Start || !s.on(s.nodes, k).leastOf(w, s.need[:], s.free) {
					continue
				}
				x := scored{fit: s.fit(s.free), node: int32(k), free: int32(len(s.frees))}
				for r, w := range s.layout.weights[s.layout.class[k]] {
					x.least += w.of(s.free[r])
				}
				if s.rough > 0 {
					s.frees = append(s.frees, s.free...)
				}
				s.scores = append(s.scores, x)
			}
		}
		if s.enough(uint64(eighths+1) << eighth) {
			return
		}
	}
}

// enough reports whether the nodes with a slack below a limit have room for all tasks. If so, it drops the
// other scores.
func (s *search) enough(limit uint64) bool {
	sum := int64(0)
	for _, x := range s.scores {
		if s.below(x, limit) {
			sum += x.fit
		}
	}
	if sum < s.tasks {
		return false
	}
	s.scores = slices.DeleteFunc(s.scores, func(x scored) bool { return !s.below(x, limit) })
	return true
}

// deal returns the booking on the fullest of the scored nodes; nil if all of them have too little room.
func (s *search) deal(w bookahead.Interval) *booking {
	slices.SortFunc(s.scores, func(a, b scored) int {
		switch {
		case a.least+s.rough < b.least:
			return -1
		case b.least+s.rough < a.least:
			return 1
		case s.rough > 0:
			c := fuller(s.candidate(a), s.candidate(b))
			if c != 0 {
				return c
			}
		}
		return int(a.node) - int(b.node)
	})
	b := &booking{Interval: w, head: -1, each: slices.Clone(s.each), shares: make([]Share, 0, min(int64(len(s.scores)), s.tasks))}
	left := s.tasks
	for _, x := range s.scores {
		n := min(left, x.fit)
		if n == 0 {
			break
		}
		b.shares = append(b.shares, Share{int(x.node), n})
		left -= n
	}
	if left > 0 {
		return nil
	}
	slices.SortFunc(b.shares, func(a, b Share) int { return a.Node - b.Node })
	return b
}

// below reports whether the slack of a scored node is surely less than a limit.
func (s *search) below(x scored, limit uint64) bool {
	return x.least < limit && x.least+s.rough <= limit
}

// candidate returns the amounts of a scored node.
func (s *search) candidate(x scored) Candidate {
	return Candidate{Free: s.frees[x.free:][:s.wide], Given: s.layout.given[x.node]}
}
