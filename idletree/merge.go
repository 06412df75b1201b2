package idletree

import "github.com/bookahead/bookahead"

// merger reads the calendars of several servers as one, by start, and no further
// than it is asked to. It holds the next idle period of each server.
type merger struct {
	fleet *fleet
	by    bookahead.Time // the last start that is of interest
	next  heap[Period]
}

// merged begins with what starts after t. O(s log s + s log m) for s servers, each
// with m idle periods.
func (f *fleet) merged(named []int, after, by bookahead.Time) merger {
	m := merger{f, by, heap[Period]{before: func(a, b Period) bool { return a.Start < b.Start }}}
	for k := range f.all(named) {
		if p, ok := f.idle[k].next(after); ok && p.Start <= by {
			m.next.push(Period{p, k})
		}
	}
	return m
}

// pull returns the next idle period. O(log s + log m).
func (m *merger) pull() (p Period, ok bool) {
	if len(m.next.list) == 0 {
		return p, false
	}
	p = m.next.list[0]
	if q, ok := m.fleet.idle[p.Server].next(p.Start); ok && q.Start <= m.by {
		m.next.replace(Period{q, p.Server})
	} else {
		m.next.drop()
	}
	return p, true
}
