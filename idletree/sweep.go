package idletree

import (
	"container/heap"

	"github.com/bookahead/bookahead"
)

// sweep finds the earliest start for a request in idle periods that are added
// in the order of their starts. A start can only become possible where an idle
// period begins; there it is enough to know when the periods end that are open
// and long enough, of which there are fewer than the request wants.
type sweep struct {
	units    int
	duration bookahead.Time
	first    bookahead.Time // starts before it do not count
	ends     ends
}

func newSweep(r bookahead.Request, first bookahead.Time) sweep {
	return sweep{units: int(r.Units), duration: bookahead.Time(r.Duration), first: first}
}

// add adds an idle period. It returns the earliest start, and true, as soon as
// it is known. O(log n) for n units.
func (s *sweep) add(p bookahead.Interval) (bookahead.Time, bool) {
	t := max(p.Start, s.first)
	if p.End-t < s.duration {
		return 0, false
	}
	for len(s.ends) > 0 && s.ends[0]-t < s.duration {
		s.ends.drop()
	}
	s.ends.add(p.End)
	return t, len(s.ends) == s.units
}

// ends is a heap with the earliest end on top.
type ends []bookahead.Time

func (e *ends) add(t bookahead.Time) {
	*e = append(*e, t)
	heap.Fix(e, len(*e)-1)
}

func (e *ends) drop() {
	last := len(*e) - 1
	e.Swap(0, last)
	*e = (*e)[:last]
	if last > 0 {
		heap.Fix(e, 0)
	}
}

// What heap.Interface wants. Push and Pop would put every time into an
// interface, on the heap of the other kind, and are not used.

func (e ends) Len() int           { return len(e) }
func (e ends) Less(i, j int) bool { return e[i] < e[j] }
func (e ends) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *ends) Push(any)          { panic("use add") }
func (e *ends) Pop() any          { panic("use drop") }
