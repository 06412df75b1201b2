package carts

import (
	"math"

	"github.com/bookahead/bookahead"
)

// starts says when each entry of a node starts. The entries of a node lie close
// together, most often: then they are counted from a time no later than the first,
// which takes half the room.
//
//	begin  1 700 000 000
//	after  0   30   75   600 ...
//
// Where they lie too far apart for that, or too early, they are times, in wide.
type starts struct {
	wide  *[fanout]bookahead.Time // nil if they are in after
	begin bookahead.Time
	after [fanout]uint32
}

// start returns when entry i starts.
func (s *starts) start(i int) bookahead.Time {
	if s.wide != nil {
		return s.wide[i]
	}
	return s.begin + bookahead.Time(s.after[i])
}

// put makes entry i start at t.
func (s *starts) put(i int, t bookahead.Time) {
	if s.wide == nil {
		if d := t - s.begin; 0 <= d && d <= math.MaxUint32 {
			s.after[i] = uint32(d)
			return
		}
		s.widen()
	}
	s.wide[i] = t
}

func (s *starts) widen() {
	wide := new([fanout]bookahead.Time)
	for i := range wide {
		wide[i] = s.start(i)
	}
	s.wide = wide
}

// rebase counts the n entries from begin, which is no later than the first of them,
// if this leaves half of what there is to count for others; else they become times.
func (s *starts) rebase(begin bookahead.Time, n int) {
	switch {
	case n == 0:
		s.wide, s.begin = nil, begin
	case s.wide == nil && s.begin == begin:
	case s.start(n-1)-begin <= math.MaxUint32/2:
		was := *s
		s.wide, s.begin = nil, begin
		for i := range n {
			s.after[i] = uint32(was.start(i) - begin)
		}
	case s.wide == nil:
		s.widen()
	}
}

// shift moves the entries [i, n) to j and after.
func (s *starts) shift(i, j, n int) {
	if s.wide != nil {
		copy(s.wide[j:], s.wide[i:n])
	} else {
		copy(s.after[j:], s.after[i:n])
	}
}

// copyFrom makes s a copy of o, which has n entries.
func (s *starts) copyFrom(o *starts, n int) {
	s.wide, s.begin = nil, o.begin
	if o.wide == nil {
		copy(s.after[:n], o.after[:])
		return
	}
	s.wide = new([fanout]bookahead.Time)
	copy(s.wide[:n], o.wide[:])
}

// at returns which of n entries contains t; the first if t lies before. It looks at
// the first start of each cache line, and then into one line: these loads do not
// wait for each other, as those of a binary search do.
func (s *starts) at(t bookahead.Time, n int) int {
	if s.wide != nil {
		return s.from(0, t, n)
	}
	const head, line = 6, 16 // so many are in a line, and in that of begin
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

// from returns which of n entries contains t, if it is entry i or a later one.
func (s *starts) from(i int, t bookahead.Time, n int) int {
	if s.wide != nil {
		for i+1 < n && s.wide[i+1] <= t {
			i++
		}
		return i
	}
	d := s.offset(t)
	for _, a := range s.after[min(i+1, n):n] {
		if a > d {
			break
		}
		i++
	}
	return i
}

// offset returns t as it would be in after, or the nearest number that there is.
func (s *starts) offset(t bookahead.Time) uint32 {
	return uint32(min(max(t-s.begin, 0), math.MaxUint32))
}
