package avail

import "math/bits"

// ends searches for runs of any length. It reads the columns in order, and finds for each server
// the slots of a column in which a run of m free slots ends.
func (s *search) ends(from int64) (int64, bool) {
	var f *ends
	for c := int64(-2); ; {
		start, ok := s.able.next(from, s.last)
		if !ok {
			return 0, false
		}
		visible := ^uint64(0)
		if start>>6 <= c+1 {
			c++ // f.run is still that of the column before
		} else {
			c = start >> 6
			visible <<= start & 63
			if f == nil {
				f = newEnds(s.grid, s.named, s.m)
			}
			clear(f.run)
		}
		s.read += int64(len(f.run))
		found := atLeast(s.n, f.in(s.grid.column(c), visible))
		if found != 0 {
			start = c<<6 + int64(bits.TrailingZeros64(found)) - s.m + 1
			return start, start <= s.last
		}
		from = (c+1)<<6 - s.m + 1 // a run from here would end in the next column
	}
}

// ends finds where runs of m free slots end. It reads one column after the other.
type ends struct {
	m     int
	steps [6]uint  // to find runs inside a word, if m < 64
	named []int    // nil for all
	run   []int32  // how long a server has been free at the end of the column before
	words []uint64 // reused for the result, and for the words of the servers named
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

// in returns the visible slots of a column in which a run of m free slots ends, as a word for
// each server that has any.
func (e *ends) in(column []uint64, visible uint64) []uint64 {
	if e.named != nil {
		for i, k := range e.named {
			e.words[i] = column[k]
		}
		column = e.words
	}
	found := e.words[:0] // it shares memory with column, but never overtakes the loop
	s0, s1, s2, s3, s4, s5 := e.steps[0], e.steps[1], e.steps[2], e.steps[3], e.steps[4], e.steps[5]
	for i, word := range column {
		word &= visible
		if word == 0 {
			e.run[i] = 0
			continue
		}
		// Ends of a run that began in a column before, or that begins with this column.
		before := int(e.run[i])
		length := bits.TrailingZeros64(^word)
		x := uint64(1)<<length - 1
		missing := e.m - 1 - before
		if missing > 0 {
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
