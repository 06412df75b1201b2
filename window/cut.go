package window

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// cut takes a window's tasks out of the items. What is left of a slot before and
// after a task stays, if a task fits into it. O(s + n log s).
func (s *search) cut(b best) {
	var rests []item
	taken := make(map[int]bookahead.Time, len(b.chosen)) // by node: the end of its task
	for _, k := range b.chosen {
		taken[k.node] = b.start + bookahead.Time(k.length)
	}
	kept := s.items[:0]
	for _, i := range s.items {
		end, ok := taken[i.node]
		if !ok || i.start > b.start || i.end < end {
			kept = append(kept, i)
			continue
		}
		after := i
		i.end, after.start = b.start, end
		if i.fits() {
			kept = append(kept, i)
		}
		if after.fits() {
			rests = append(rests, after)
		}
	}
	s.items = kept
	for _, r := range rests {
		at, _ := slices.BinarySearchFunc(s.items, r, func(a, b item) int {
			if a.start <= b.start { // behind those that start together with it
				return -1
			}
			return 1
		})
		s.items = slices.Insert(s.items, at, r)
	}
}

// fits reports whether the node's own task fits in.
func (i *item) fits() bool { return i.start <= i.latest() }
