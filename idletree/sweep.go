package idletree

import "github.com/bookahead/bookahead"

// sweep finds the earliest start for a request in idle periods that are added by
// start. A start can only become possible where an idle period begins. To decide
// there, a sweep keeps the ends of the periods that are still long enough, of which
// there are fewer than the request wants:
//
//	2 servers for 10 ticks, periods [0, 12), [5, 14), [6, 20)
//	[0, 12)    ends 12            one is too few
//	[5, 14)    too short
//	[6, 20)    ends 20            12 is dropped, as 12 - 6 is less than 10
type sweep struct {
	units    int
	duration bookahead.Time
	first    bookahead.Time // starts before it do not count
	ends     heap[bookahead.Time]
}

// newSweep returns a sweep for the starts from first on. begun are the idle periods
// that contain the window at first.
func newSweep(r bookahead.Request, first bookahead.Time, begun []Period) sweep {
	s := sweep{units: int(r.Units), duration: bookahead.Time(r.Duration), first: first}
	s.ends.before = func(a, b bookahead.Time) bool { return a < b }
	for _, p := range begun {
		s.add(p.Interval)
	}
	return s
}

// add adds an idle period. It returns the earliest start and true as soon as the
// start is known. O(log n) for n units.
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
