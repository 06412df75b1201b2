package nodes

import (
	"math/bits"
	"slices"
)

// cover remembers which nodes are in the least rows of all chunks of a stretch. As a search goes on,
// the stretch gives up chunks at its begin and gains others at its end. Each chunk is read about
// twice, as with a queue that is made of two stacks: once for the front, and once for the ends.
//
//	chunks     i        mid          f
//	           ├─────────┼───────────┤
//	ends       ████████████                  of i to mid, of i+1 to mid, ... of mid: one set each
//	             ██████████
//	                    ███
//	front                 ████████████       of the chunks behind mid: one set
//
// When i passes mid, the ends are read anew, from f back to i. As soon as too few nodes are left, no window
// that covers the chunks read has a place: the search goes on with a start in the chunk that it
// has just read.
//
// Of very long windows only every second chunk is read, or every third, and so on (every). As a rule, a
// node that is free in these is free in the others too, and the search looks at its steps before
// it believes that. In the methods below, i and f count the chunks that are read.
type cover struct {
	every          int
	low, mid, high int      // there are ends from low to mid, and the front goes up to high
	ends           []uint64 // of mid, of mid-1 to mid, ...
	front          []uint64
}

func (x *cover) reset(stride int) {
	x.low, x.mid, x.high = 0, -1, -1
	x.ends = x.ends[:0]
	x.front = slices.Grow(x.front[:0], stride)[:stride]
}

// through takes off able the nodes that cannot serve all of chunks i to f. If too few of the others
// can, it returns the next chunk in which a start may do, or 0 if it knows of none, and false. From
// call to call, i and f do not go back.
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

// anew reads chunks i to f, from the back.
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

// stretch returns the last chunk, from i to the first behind mid, from which too few nodes serve all chunks
// to high, as far as ends and front tell; 0 if there is none. The fewer chunks, the more nodes serve
// them all, so that it can search by halves.
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
