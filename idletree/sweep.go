package idletree

import "github.com/bookahead/bookahead"

// sweep finds the earliest start for a request in idle periods that are added
// in the order of their starts. A start can only become possible where an idle
// period begins; there it is enough to know when the periods end that are open
// and long enough, of which there are fewer than the request wants.
type sweep struct {
	units    int
	duration bookahead.Time
	first    bookahead.Time // starts before it do not count
	ends     heap[bookahead.Time]
}

// newSweep begins at first, with the idle periods that contain the window there.
func newSweep(r bookahead.Request, first bookahead.Time, begun []Period) sweep {
	s := sweep{units: int(r.Units), duration: bookahead.Time(r.Duration), first: first}
	s.ends.before = func(a, b bookahead.Time) bool { return a < b }
	for _, p := range begun {
		s.add(p.Interval)
	}
	return s
}

// add adds an idle period. It returns the earliest start, and true, as soon as
// it is known. O(log n) for n units.
func (s *sweep) add(p bookahead.Interval) (bookahead.Time, bool) {
	t := max(p.Start, s.first)
	if p.End-t < s.duration {
		return 0, false
	}
	for len(s.ends.list) > 0 && s.ends.list[0]-t < s.duration {
		s.ends.drop()
	}
	s.ends.push(p.End)
	return t, len(s.ends.list) == s.units
}
