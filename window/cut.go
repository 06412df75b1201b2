package window

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// cut takes a window's tasks out of the items, for the alternatives to the window. The rests
// of a slot before and after its task stay if the node's own task fits into them:
//
//	slot [2, 20), task [5, 11), own task of 4 ticks
//	[2, 5)      too short, and left out
//	[11, 20)    stays, at its place by start: the scan needs the items in that order
//
// The rest before a task keeps the start of the slot, and so its place in the order. Only
// rests behind a task must be inserted anew. O(s + n log s).
func (s *search) cut(b best) {
	s.spend(len(s.items)) // if the search must stop, the next FirstFit does
	var rests []item
	taken := make(map[int]bookahead.Time, len(b.chosen)) // by node: the end of its task
	for _, k := range b.chosen {
		taken[k.node] = b.start + bookahead.Time(k.length)
	}
	kept := s.items[:0]
	for _, i := range s.items { // kept overwrites s.items, and is never ahead of i
		end, ok := taken[i.node]
		if !ok || i.start > b.start || i.end < end { // another node, or another slot of the node
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

// fits reports whether the node's own task fits into the item.
func (i *item) fits() bool { return i.start <= i.latest() }
