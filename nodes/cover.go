package nodes

import (
	"math/bits"
	"slices"
)

// cover remembers which nodes are in the least rows of all chunks of a stretch. As a search goes on, the
// stretch loses chunks at its begin and gains others at its end. A cover works like a queue made of two
// stacks, so that each chunk is read about twice: once for the front, and once for the ends.
//
//	chunks     i        mid          f
//	           ├─────────┼───────────┤
//	ends       ████████████                  a set of nodes for i to mid, for i+1 to mid, ... for mid
//	             ██████████
//	                    ███
//	front                 ████████████       a set of nodes for all chunks behind mid
//
// When i passes mid, the ends are read anew, from f back to i. If too few nodes are left after chunk c is
// read, no window that covers c to f has a place, and the search goes on with starts in chunk c.
//
// Of very long windows only every second chunk is read, or every third, and so on (every). As a rule, a
// node that is free in the chunks read is free in the others too; if it is not, the search finds out when
// it reads the steps of the node. In the methods below, i and f count only the chunks that are read.
type cover struct {
	every          int
	low, mid, high int      // ends are known from low to mid, and the front goes up to high
	ends           []uint64 // the sets for mid, for mid-1 to mid, ...
	front          []uint64
}

func (x *cover) reset(stride int) {
	x.low, x.mid, x.high = 0, -1, -1
	x.ends = x.ends[:0]
	x.front = slices.Grow(x.front[:0], stride)[:stride]
}

// through takes the nodes that cannot serve all of chunks i to f off able. If too few nodes are left, it
// returns false, and the next chunk in which there may be a start, or 0 if it does not know. From call to
// call, i and f do not go back.
func (s *search) through(i, f int) (next int, ok bool) {
	i, f = (i+s.every-1)/s.every, f/s.every
	if i > f {
		return 0, true
	}
	next, ok = s.readThrough(i, f)
	return next * s.every, ok
}

func (s *search) readThrough(i, f int) (next int, ok bool) {
	if i < s.low || i > s.mid {
		return s.anew(i, f)
	}
	if s.high == s.mid {
		copy(s.front, s.allowed)
	}
	for s.high < f {
		s.high++
		s.meet(s.front, s.high*s.every, s.leastRows)
	}
	ends := s.endsOf(i)
	n := 0
	for w := range s.able {
		s.able[w] &= ends[w] & s.front[w]
		n += bits.OnesCount64(s.able[w])
	}
	if n >= s.few {
		return 0, true
	}
	return s.stretch(i), false
}

// anew reads chunks i to f, from the back, so that each set of ends is made of the set before.
func (s *search) anew(i, f int) (next int, ok bool) {
	s.low, s.mid, s.high, s.ends = f+1, f, f, s.ends[:0]
	set := s.allowed
	for c := f; c >= i; c-- {
		s.ends = append(s.ends, set...)
		set = s.ends[len(s.ends)-s.stride:]
		if s.meet(set, c*s.every, s.leastRows) < s.few {
			return c, false
		}
		s.low = c
	}
	n := 0
	for w := range s.able {
		s.able[w] &= set[w]
		n += bits.OnesCount64(s.able[w])
	}
	return 0, n >= s.few
}

// stretch returns the last chunk c, from i to mid+1, such that too few nodes serve all chunks from c to
// high; 0 if there is none. Fewer chunks are served by more nodes, so that a binary search finds c.
func (s *search) stretch(i int) int {
	few := func(c int) bool {
		n := 0
		for w := range s.front {
			word := s.front[w]
			if c <= s.mid {
				word &= s.endsOf(c)[w]
			}
			n += bits.OnesCount64(word)
		}
		return n < s.few
	}
	if !few(i) {
		return 0
	}
	low, high := i, s.mid+2
	for low+1 < high {
		c := (low + high) / 2
		if few(c) {
			low = c
		} else {
			high = c
		}
	}
	return low
}

// endsOf returns the nodes that serve chunks i to mid.
func (s *search) endsOf(i int) []uint64 { return s.ends[(s.mid-i)*s.stride:][:s.stride] }
