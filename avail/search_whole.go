package avail

import "math/bits"

// whole searches for runs of two columns or more. Such a run fills at least k columns after the
// column in which it starts:
//
//	column   c        c+1      c+k      c+k+1    c+k+2
//	      |······██|████████|████████|████████|█·······|
//	                 always    always   as far as needed
//
// It intersects these columns from the last to the first. Where fewer than n servers are left, no
// start before that column will do.
//
// If rare gaps block every window in turn, whole reads the same columns again and again. Once it
// has read twice the words of the columns it has come through, it goes on as ends, which reads
// each column but once.
func (s *search) whole(from int64) (int64, bool) {
	k := s.m>>6 - 1
	servers := int64(s.grid.servers)
	if s.named != nil {
		servers = int64(len(s.named))
	}
	first := from >> 6
	var list []int
	var starts []uint64
	for {
		start, ok := s.able.next(from, s.last)
		if !ok {
			return 0, false
		}
		c := start >> 6
		if s.read > 2*servers*(c+k-first) {
			return s.ends(start)
		}
		j := c + k
		list = s.intersect(list[:0], j, s.named)
		for j > c+1 && len(list) >= s.n {
			j--
			list = s.intersect(list[:0], j, list)
		}
		if len(list) < s.n {
			from = j << 6
			continue
		}
		starts = s.starts(starts[:0], start, list)
		found := atLeast(s.n, starts)
		if found != 0 {
			start = c<<6 + int64(bits.TrailingZeros64(found))
			return start, start <= s.last
		}
		from = (c + 1) << 6
	}
}

// intersect appends to list the servers named, or of all, that are free throughout column c. list
// may share memory with named.
func (s *search) intersect(list []int, c int64, named []int) []int {
	column := s.grid.column(c)
	if named != nil {
		s.read += int64(len(named))
		for _, k := range named {
			if column[k] == ^uint64(0) {
				list = append(list, k)
			}
		}
		return list
	}
	s.read += int64(len(column))
	for k, word := range column {
		if word == ^uint64(0) {
			list = append(list, k)
		}
	}
	return list
}

// starts appends to words, for each server of a list that has any, the slots from which m slots
// are free, in the column of start and not before it. The columns that these m slots always fill
// are free: whole has checked that.
func (s *search) starts(words []uint64, start int64, list []int) []uint64 {
	s.read += 3 * int64(len(list))
	c, behind := start>>6, s.m>>6
	visible := ^uint64(0) << (start & 63)
	first, next, after := s.grid.column(c), s.grid.column(c+behind), s.grid.column(c+behind+1)
	for _, server := range list {
		free := bits.TrailingZeros64(^next[server])
		if free == 64 {
			free += bits.TrailingZeros64(^after[server])
		}
		latest := 64*int(behind) + free - int(s.m) // the last slot of c from which m slots are free, if c is free up to its end
		if latest < 0 {
			continue
		}
		x := ^(^uint64(0) >> bits.LeadingZeros64(^first[server])) // the slots of c from which c is free up to its end
		x = x & visible &^ (^uint64(1) << latest)
		if x != 0 {
			words = append(words, x)
		}
	}
	return words
}
