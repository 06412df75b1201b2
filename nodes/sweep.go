package nodes

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// maxTries is the number of starts that leap tries in a chunk before it sweeps. Nearly all searches that
// find a place find it in fewer tries.
const maxTries = 8

// A try looks at all nodes that hold anything, and a single node that holds less than its bound may make
// the try fail. Where nodes lose and gain room in turn, each turn costs a try:
//
//	node 1997    1 1 1 1 1 1 1 1      1 998 nodes like this one
//	node 1998    2 1 2 1 2 1 2 1      the bounds add up to 2 002 at each turn, and the tasks
//	node 1999    1 2 1 2 1 2 1 2      that fit to 2 001: a request for 2 002 has no start
//
// With 5 000 turns, such a search takes two seconds. So after a few tries, sweep looks at each node once,
// and later only at the nodes whose room changes: it keeps the exact number of tasks of each node, and
// one event for each node, the next start at which the number may change.

// sweep returns the first start from t on, up to the last, at which the nodes have room. O(n log n)
// for n nodes, and a look at a node for each change of its room.
func (s *search) sweep(t bookahead.Time) (bookahead.Time, bool) {
	s.events, s.sum = s.events[:0], 0
	for i := range s.seats {
		s.seats[i].tasks = 0
		s.lookAhead(i, t)
	}
	for !s.enoughNow() {
		if len(s.events) == 0 {
			return 0, false
		}
		t = s.events[0].at
		for len(s.events) > 0 && s.events[0].at == t {
			s.lookAhead(s.pop().seat, t)
		}
	}
	return t, true
}

// lookAhead makes the bound of a seat exact at t, and adds an event for the next look at the seat.
func (s *search) lookAhead(i int, t bookahead.Time) {
	b := &s.seats[i]
	s.sum -= b.tasks
	s.look(b, t)
	s.sum += b.tasks
	if b.tasks > 0 {
		s.ceases(b, t, nil, b.tasks)
	}
	if b.besides >= 0 {
		s.ceases(b, t, s.head, b.besides)
	}
	if b.more != never && b.more <= s.to {
		s.push(event{b.more, i})
	}
}

// ceases ends a bound at the first start at which the node no longer holds n tasks, and the head if head
// is not nil.
func (s *search) ceases(b *bound, t bookahead.Time, head Vector, n int64) {
	s.packing.need(n, s.each, head, s.more[:])
	b.until(s.on(s.nodes, b.node).lasts(t+s.d, s.to+s.d, s.more[:])-s.d+1, true)
}

// enoughNow reports whether the seats, whose bounds are exact, have room for all tasks and the head.
func (s *search) enoughNow() bool {
	if s.head == nil || s.sum < s.tasks {
		return s.sum >= s.tasks
	}
	return slices.ContainsFunc(s.seats, func(b bound) bool {
		return b.besides >= 0 && s.sum-b.tasks+b.besides >= s.tasks
	})
}
