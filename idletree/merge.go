package idletree

import (
	"iter"

	"github.com/bookahead/bookahead"
)

// merger yields the idle periods of several servers by start. It holds the next idle
// period of each server, and reads the calendars no further than it is asked to.
type merger struct {
	idle []calendar     // by server
	by   bookahead.Time // periods that start later are left out
	next heap[Period]
}

// newMerger returns a merger of the idle periods that start after t and no later than by.
// O(s log s + s log m) for s servers, each with m idle periods.
func newMerger(idle []calendar, list iter.Seq[int], after, by bookahead.Time) merger {
	m := merger{idle, by, heap[Period]{before: func(a, b Period) bool { return a.Start < b.Start }}}
	for k := range list {
		if p, ok := idle[k].next(after); ok && p.Start <= by {
			m.next.push(Period{p, k})
		}
	}
	return m
}

// pull returns the next idle period, and takes it off. O(log s + log m).
func (m *merger) pull() (p Period, ok bool) {
	if len(m.next.list) == 0 {
		return p, false
	}
	p = m.next.list[0]
	if q, ok := m.idle[p.Server].next(p.Start); ok && q.Start <= m.by {
		m.next.replace(Period{q, p.Server})
	} else {
		m.next.drop()
	}
	return p, true
}
