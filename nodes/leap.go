package nodes

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// leap finds the first start in a part if a node may get several tasks, if there is a head, if tasks come in bundles, or if
// the nodes must be free as a whole: then a node holds either nothing or as much as an empty node.
//
// Each node has a bound: the node holds at most so many tasks until some time, the next start at which it
// holds more. From then on it may hold as many as an empty node. Here are three nodes, and a request for 5
// tasks, at most 2 on a node:
//
//	t = 0    node 0   1 until 40, then 2    the bounds add up to 1 at 0, 3 at 25,
//	         node 1   0 until 25, then 2    4 at 40, and 6 at 70: no start before 70
//	         node 2   0 until 70, then 2    has room for 5, and 70 is tried
//
// A try looks at the nodes in turn and makes their bounds exact, until the nodes have enough room, or until
// the bounds no longer add up. So no start is missed, and most tries look at few nodes. With bundles, the bounds add up
// by groups, and only whole bundles count (total).
type leap struct {
	seats  []bound        // of the nodes that are able
	sum    total          // of the bounds
	have   total          // of the seats that a try has looked at
	events []event        // a heap: when a node may hold more than its bound
	to     bookahead.Time // the last start that is asked for
	free   Vector         // scratch
	more   [MaxResources]uint64
}

// bound is the number of tasks that a node holds at most, until the time more. At the time seen, the bound is
// exact.
type bound struct {
	node           int
	most, mostHead int64 // of the empty node: tasks, and tasks besides the head; -1: no room for the head
	tasks, besides int64 // until more
	more           bookahead.Time
	seen           bookahead.Time
}

// never is the time more of a bound that has no end, and the time seen of a node that no try has looked at.
const never = -1

// event is the time from which a node may hold more.
type event struct {
	at   bookahead.Time
	seat int
}

// leapIn returns the first start from a to b in a part. It looks only at nodes that are able.
func (s *search) leapIn(p part, a, b bookahead.Time) (bookahead.Time, bool) {
	s.seats, s.events, s.to = s.seats[:0], s.events[:0], b
	s.free = slices.Grow(s.free[:0], s.wide)[:s.wide]
	for k := range p.in(s.able) {
		class := s.layout.class[k]
		most, head := s.most[class], int64(-1)
		if s.head != nil {
			head = s.mostHead[class]
		}
		s.seats = append(s.seats, bound{node: k, most: most, mostHead: head, tasks: most, besides: head, more: never, seen: never})
	}
	s.empty(&s.sum)
	for i := range s.seats {
		s.addRoom(&s.sum, s.seats[i].node, s.seats[i].tasks)
	}
	if s.sum.tasks < s.tasks {
		return 0, false
	}
	clear(s.sure) // sure is only about the start from, and start would believe it at any other
	t, ok := a, true
	for range maxTries {
		if s.holds(t) {
			return t, true
		}
		t, ok = s.next()
		if !ok {
			return 0, false
		}
	}
	return s.sweep(t)
}

// empty makes a total one of no room at the seats.
func (s *search) empty(t *total) {
	t.tasks = 0
	if s.bundled == nil {
		return
	}
	t.cells = slices.Grow(t.cells[:0], s.bundled.count)[:s.bundled.count]
	for i := range s.seats {
		t.cells[s.bundled.of[s.seats[i].node]] = 0
	}
}

// holds tries the start t: it reports whether the nodes have room. It stops as soon as the exact bounds of the
// seats so far are enough, or all bounds together are too few:
//
//	5 tasks      seat 0   seat 1   seat 2   seat 3      sum of all bounds
//	bounds       2        2        2        2           8
//	look at 0    1        2        2        2           7: go on
//	look at 1    1        0        2        2           5: go on
//	look at 2    1        0        1        2           4: no start at t, and seat 3 is not looked at
func (s *search) holds(t bookahead.Time) bool {
	s.empty(&s.have)
	for i := range s.seats {
		b := &s.seats[i]
		if b.seen != t && (b.tasks > 0 || b.besides >= 0) {
			s.count(b, t)
			if b.more != never {
				s.push(event{b.more, i})
			}
			if s.sum.tasks < s.tasks {
				return false
			}
		}
		s.addRoom(&s.have, b.node, b.tasks)
		if s.head == nil && s.have.tasks >= s.tasks {
			return true
		}
	}
	return s.head != nil && s.holdsHead()
}

// holdsHead reports whether the seats, whose bounds are exact, have room for all tasks and the head.
func (s *search) holdsHead() bool {
	return slices.ContainsFunc(s.seats, func(b bound) bool {
		return b.besides >= 0 && s.after(&s.sum, b.node, b.besides-b.tasks) >= s.tasks
	})
}

// count makes a bound exact at t, and the sum of the bounds with it.
func (s *search) count(b *bound, t bookahead.Time) {
	was := b.tasks
	s.look(b, t)
	s.addRoom(&s.sum, b.node, b.tasks-was)
}

// look makes a bound exact at t. Two walks over the steps of the window are needed, or one if the node has
// no room for a task.
func (s *search) look(b *bound, t bookahead.Time) {
	b.seen, b.more, b.tasks, b.besides = t, never, 0, -1
	if s.head == nil { // most nodes have no room, and for them this walk is enough
		at, ok := s.start(b.node, t, s.to)
		if !ok || at > t {
			b.until(at, ok)
			return
		}
	}
	s.leastOn(s.nodes, b.node, bookahead.Interval{Start: t, End: t + s.d}, s.free)
	b.tasks = s.fit(s.free)
	if b.tasks < b.most {
		at, ok := s.first(b, t, nil, b.tasks+1)
		b.until(at, ok)
	}
	if s.head == nil {
		return
	}
	b.besides = s.beside(s.free)
	if b.besides < b.mostHead {
		at, ok := s.first(b, t, s.head, b.besides+1)
		b.until(at, ok)
	}
}

// until makes a bound end at a time, unless it ends earlier.
func (b *bound) until(at bookahead.Time, ok bool) {
	if ok && (b.more == never || at < b.more) {
		b.more = at
	}
}

// first returns the first start from t on at which a node holds n tasks, and the head if head is not nil.
// The empty node has room for this need, so that the need fits into its fields.
func (s *search) first(b *bound, t bookahead.Time, head Vector, n int64) (bookahead.Time, bool) {
	s.needs(b.node, head, n)
	g, ok := s.on(s.nodes, b.node).first(0, t, t, s.to, s.d, s.more[:])
	return g.End, ok
}

// needs leaves in more the need of n tasks on a node, and of the head if head is not nil: the whole node if the query is
// exclusive.
func (s *search) needs(k int, head Vector, n int64) {
	if s.exclusive {
		s.packing.need(1, s.layout.given[k], nil, s.more[:])
		return
	}
	s.packing.need(n, s.each, head, s.more[:])
}

// next returns the first start after all tries at which the bounds add up to all tasks.
func (s *search) next() (t bookahead.Time, enough bool) {
	for len(s.events) > 0 && (!enough || s.events[0].at == t) {
		e := s.pop()
		b := &s.seats[e.seat]
		if b.more != e.at {
			continue // the event is stale: the node has been looked at since
		}
		t = e.at
		s.addRoom(&s.sum, b.node, b.most-b.tasks)
		b.tasks, b.besides, b.more, b.seen = b.most, b.mostHead, never, never
		enough = enough || s.sum.tasks >= s.tasks
	}
	return t, enough
}

func (s *search) push(e event) {
	s.events = append(s.events, e)
	i := len(s.events) - 1
	for i > 0 && s.events[(i-1)/2].at > e.at {
		s.events[i] = s.events[(i-1)/2]
		i = (i - 1) / 2
	}
	s.events[i] = e
}

func (s *search) pop() event {
	top := s.events[0]
	e := s.events[len(s.events)-1]
	s.events = s.events[:len(s.events)-1]
	i := 0
	for child := 1; child < len(s.events); child = 2*i + 1 {
		if child+1 < len(s.events) && s.events[child+1].at < s.events[child].at {
			child++
		}
		if s.events[child].at >= e.at {
			break
		}
		s.events[i] = s.events[child]
		i = child
	}
	if len(s.events) > 0 {
		s.events[i] = e
	}
	return top
}

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
	s.events = s.events[:0]
	s.empty(&s.sum)
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
	s.count(b, t)
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
	s.needs(b.node, head, n)
	b.until(s.on(s.nodes, b.node).lasts(t+s.d, s.to+s.d, s.more[:])-s.d+1, true)
}

// enoughNow reports whether the seats, whose bounds are exact, have room for all tasks and the head.
func (s *search) enoughNow() bool {
	if s.head == nil || s.sum.tasks < s.tasks {
		return s.sum.tasks >= s.tasks
	}
	return s.holdsHead()
}
