package profile

import (
	"math"

	"github.com/bookahead/bookahead"
)

// starts says when each entry of a node starts, counted from begin, which is no later than the
// first start. Most often the entries lie so close together that 32 bits are enough. If not,
// upper has the other 32:
//
//	begin  1 700 000 000
//	after  0   30   75   600   4 294 967 295    ...
//	upper  0    0    0     0               1    ...     nil if all are 0
//
// With half the bytes for a start, a leaf has twice the steps, and the tree a level less.
type starts struct {
	upper *[fanout]uint32 // nil if all are 0, and in an empty node
	begin bookahead.Time
	after [fanout]uint32
}

// start returns when entry i starts.
func (s *starts) start(i int) bookahead.Time {
	t := s.begin + bookahead.Time(s.after[i])
	if s.upper != nil {
		t += bookahead.Time(s.upper[i]) << 32
	}
	return t
}

// setStart makes entry i start at t, which is not before begin.
func (s *starts) setStart(i int, t bookahead.Time) {
	d := uint64(t - s.begin)
	s.after[i] = uint32(d)
	high := uint32(d >> 32)
	if s.upper != nil {
		s.upper[i] = high
	} else if high != 0 {
		s.upper = new([fanout]uint32)
		s.upper[i] = high
	}
}

// countFrom makes begin the time from which the n entries are counted. begin is no later than the
// first start. The upper half is dropped only once the entries lie within 31 bits:
//
//	last start - begin     no upper      has upper
//	under 2^31             stays without drops it
//	2^31 to 2^32 - 1       stays without keeps it
//	2^32 and more          gets it       keeps it
//
// Entries that lie about 2^32 apart would otherwise get it and lose it in turn.
func (s *starts) countFrom(begin bookahead.Time, n int) {
	if n == 0 {
		s.begin = begin
		return
	}
	near := bookahead.Time(math.MaxUint32)
	if s.upper != nil {
		near /= 2
	}
	upper := s.upper
	far := s.start(n-1)-begin > near
	switch {
	case !far && upper == nil && begin == s.begin:
		return
	case !far:
		upper = nil
	case upper == nil:
		upper = new([fanout]uint32)
	}
	for i := range n {
		d := uint64(s.start(i) - begin)
		s.after[i] = uint32(d)
		if upper != nil {
			upper[i] = uint32(d >> 32)
		}
	}
	s.upper, s.begin = upper, begin
}

// shiftStarts moves the entries [i, n) to j and after.
func (s *starts) shiftStarts(i, j, n int) {
	copy(s.after[j:], s.after[i:n])
	if s.upper != nil {
		copy(s.upper[j:], s.upper[i:n])
	}
}

// copyStarts makes s, which is empty, a copy of o, which has n entries.
func (s *starts) copyStarts(o *starts, n int) {
	s.begin = o.begin
	copy(s.after[:n], o.after[:])
	if o.upper != nil {
		s.upper = new([fanout]uint32)
		copy(s.upper[:n], o.upper[:])
	}
}

// head and line are how many starts are in the cache line of begin, and in each line after it.
const head, line = 4, 16

// find returns which of n entries contains t, or the first if t lies before it. It looks at the
// first start of each cache line, and then into one line. These loads do not wait for each other,
// as the loads of a binary search do.
//
// Four starts are in the cache line of begin, and 16 in each line after it:
//
//	t = 20    0  5  9  12 | 15  18  21 ... | 80 ...     15 <= 20 < 80, so it is in the second line: 18
func (s *starts) find(t bookahead.Time, n int) int {
	if s.upper != nil {
		return s.findFar(t, n)
	}
	d := s.offset(t)
	after := s.after[:n]
	i, end := 0, head
	for k := head; k < n; k += line {
		if after[k] <= d {
			i, end = k, k+line
		}
	}
	at := i
	for _, a := range after[i+1 : min(end, n)] {
		if a <= d {
			at++
		}
	}
	return at
}

// findFar is find with an upper half, by binary search.
func (s *starts) findFar(t bookahead.Time, n int) int {
	low, high := 0, n-1
	for low < high {
		mid := (low + high + 1) / 2
		if s.start(mid) <= t {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return low
}

// findFrom is find for a t that entry i or a later one contains. It goes along from i, first by
// lines and then by entries, as t is near as a rule.
func (s *starts) findFrom(i int, t bookahead.Time, n int) int {
	if s.upper != nil {
		return max(i, s.findFar(t, n))
	}
	d := s.offset(t)
	after := s.after[:n]
	for i+line < n && after[i+line] <= d {
		i += line
	}
	for _, a := range after[min(i+1, n):] {
		if a > d {
			break
		}
		i++
	}
	return i
}

// offset returns t as after would hold it, or the nearest number that after can hold.
func (s *starts) offset(t bookahead.Time) uint32 {
	return uint32(min(max(t-s.begin, 0), math.MaxUint32))
}
