package carts

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// take books servers that are free throughout w.
func take[S int | int32](s *SR, w bookahead.Interval, list []S) {
	i, j := s.split(w.Start), s.split(w.End)
	for _, set := range s.free[i:j] {
		for _, k := range list {
			set.Clear(uint(k))
		}
	}
	s.changed(i, j, -len(list))
}

// give makes servers free that are booked throughout w.
func (s *SR) give(w bookahead.Interval, list []int32) {
	i, j := s.split(w.Start), s.split(w.End)
	for _, set := range s.free[i:j] {
		for _, k := range list {
			set.Set(uint(k))
		}
	}
	s.changed(i, j, len(list))
}

// split makes a slot start at t, and returns it.
func (s *SR) split(t bookahead.Time) int {
	i, found := slices.BinarySearch(s.start, t)
	if !found {
		s.start = slices.Insert(s.start, i, t)
		s.free = slices.Insert(s.free, i, s.free[i-1].Clone())
		s.count = slices.Insert(s.count, i, s.count[i-1])
	}
	return i
}

// changed completes a change of the sets from slot i to before slot j by so many
// servers.
func (s *SR) changed(i, j, by int) {
	for k := i; k < j; k++ {
		s.count[k] += by
	}
	s.merge(j)
	s.merge(i)
}

// merge joins slot i to the one before if nothing changes between them.
func (s *SR) merge(i int) {
	if i > 0 && s.count[i] == s.count[i-1] && s.free[i].Equal(s.free[i-1]) {
		s.start = slices.Delete(s.start, i, i+1)
		s.free = slices.Delete(s.free, i, i+1)
		s.count = slices.Delete(s.count, i, i+1)
	}
}
