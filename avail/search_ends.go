package avail

import "math/bits"

// ends is search for runs of any length. It reads the columns in order, and each
// server tells in which slots of a column m slots end that are free.
func (s *search) ends(from int64) (int64, bool) {
	var f *ends
	for c := int64(-2); ; {
		start, ok := s.able.next(from, s.last)
		if !ok {
			return 0, false
		}
		visible := ^uint64(0)
		if start>>6 <= c+1 {
			c++ // and what is known of the column before still holds
		} else {
			c = start >> 6
			visible <<= start & 63
			if f == nil {
				f = newEnds(s.grid, s.named, s.m)
			}
			clear(f.run)
		}
		s.read += int64(len(f.run))
		if found := atLeast(s.n, f.in(s.grid.column(c), visible)); found != 0 {
			start = c<<6 + int64(bits.TrailingZeros64(found)) - s.m + 1
			return start, start <= s.last
		}
		from = (c+1)<<6 - s.m + 1 // whose run would end in the next column
	}
}

// ends tells where runs of m free slots end. It reads one column after the other.
type ends struct {
	m     int
	steps [6]uint  // to find runs inside a word, if m < 64
	named []int    // nil for all
	run   []int32  // how long a server has been free at the end of the column before
	words []uint64 // room for what is returned, and for the words of the named
}

func newEnds(g *grid, named []int, m int64) *ends {
	e := &ends{m: int(m), named: named}
	if m < 64 {
		e.steps = fold(int(m))
	}
	n := g.servers
	if named != nil {
		n = len(named)
	}
	e.run, e.words = make([]int32, n), make([]uint64, n)
	return e
}

// in returns, for each server that has any, the visible slots of a column in
// which m slots end that are free.
func (e *ends) in(column []uint64, visible uint64) []uint64 {
	if e.named != nil {
		for i, k := range e.named {
			e.words[i] = column[k]
		}
		column = e.words
	}
	found := e.words[:0] // never ahead of what is read
	s0, s1, s2, s3, s4, s5 := e.steps[0], e.steps[1], e.steps[2], e.steps[3], e.steps[4], e.steps[5]
	for i, word := range column {
		if word &= visible; word == 0 {
			e.run[i] = 0
			continue
		}
		// A run that goes on from the column before, or may.
		before := int(e.run[i])
		length := bits.TrailingZeros64(^word)
		x := uint64(1)<<length - 1
		if missing := e.m - 1 - before; missing > 0 {
			x = x >> missing << missing
		}
		if length == 64 {
			e.run[i] = int32(before + 64)
		} else {
			e.run[i] = int32(bits.LeadingZeros64(^word))
			if e.m < 64 {
				y := word
				y &= y << (s0 & 63)
				y &= y << (s1 & 63)
				y &= y << (s2 & 63)
				y &= y << (s3 & 63)
				y &= y << (s4 & 63)
				y &= y << (s5 & 63)
				x |= y
			}
		}
		if x != 0 {
			found = append(found, x)
		}
	}
	return found
}
