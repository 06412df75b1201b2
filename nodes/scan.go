package nodes

import (
	"math"
	"slices"
	"sync"

	"github.com/bookahead/bookahead"
)

// scan is the finder without an index: it leaps over the nodes. It is right for a hundred of them,
// and the one to beat.
//
// For each node it knows a bound: it holds at most so many tasks until some time, the next start at
// which it holds more than that; from then on it may hold as many as an empty node. Three nodes, and
// a request for 5 tasks, at most 2 a node:
//
//	t = 0    node 0   1 until 40, then 2    the bounds add up to 1 at 0, 3 at 25,
//	         node 1   0 until 25, then 2    4 at 40, and 6 at 70: no start before 70
//	         node 2   0 until 70, then 2    will do, and 70 is tried
//
// To try a start is to look at the nodes in turn, and to make their bounds exact, until they have
// room enough, or until the bounds do not add up any more. So no start is passed over that would do,
// and few nodes are looked at for each.
type scan struct {
	now  bookahead.Time
	free []steps
}

func newScan(now bookahead.Time, given []Vector) *scan {
	s := &scan{now: now}
	for _, v := range given {
		s.free = append(s.free, newSteps(now, v))
	}
	return s
}

func (s *scan) steps() []steps { return s.free }

func (s *scan) change(k int, w bookahead.Interval, by Vector, times int64) {
	s.free[k].forget(s.now)
	s.free[k].change(w, by, times)
}

func (s *scan) add() {
	wide := s.free[0].wide
	s.free = append(s.free, newSteps(s.now, make(Vector, wide)))
}

func (s *scan) forget(now bookahead.Time) { s.now = now }

func (s *scan) clone() finder {
	c := &scan{s.now, make([]steps, len(s.free))}
	for k := range s.free {
		c.free[k] = s.free[k].clone()
	}
	return c
}

func (s *scan) search(first, last bookahead.Time, q *query) (bookahead.Time, bool) {
	l := leaps.Get().(*leap)
	defer l.end()
	l.begin(s.free, last, q)
	for t := first; ; {
		for p := range q.parts {
			if l.bound[p] >= q.tasks && l.holds(p, t) {
				return t, true
			}
		}
		var ok bool
		t, ok = l.next()
		if !ok {
			return 0, false
		}
	}
}

// leap is a search under way.
type leap struct {
	*query
	last   bookahead.Time
	seats  []bound // part by part
	ends   []int   // where each part ends in seats
	bound  []int64 // of the tasks in each part
	events []event // a heap: when a node may hold more than its bound
	free   Vector  // scratch
	need   Vector  // scratch

	most, mostHead []int64 // that a node of each class can ever hold
}

// bound says how many tasks a node holds at most, until it may hold more. So it does from the
// start, and at seen it is exact.
type bound struct {
	steps          *steps
	part           int32
	most, mostHead int64 // ever: tasks, and tasks besides the head; -1 if the head has no room
	tasks, besides int64 // until more
	more           bookahead.Time
	seen           bookahead.Time
}

// never is when a bound has no end, and when a node has not been looked at.
const never = -1

// event is the time from which a node may hold more.
type event struct {
	at   bookahead.Time
	seat int32
}

// leaps keeps the memory of searches that are over.
var leaps = sync.Pool{New: func() any { return new(leap) }}

// begin makes l a search for q.
func (l *leap) begin(nodes []steps, last bookahead.Time, q *query) {
	wide, classes := len(q.each), q.layout.classes
	*l = leap{
		query: q, last: last, seats: l.seats[:0], ends: l.ends[:0], events: l.events[:0],
		bound: zeros(l.bound, len(q.parts)), free: zeros(l.free, wide), need: zeros(l.need, wide),
		most: zeros(l.most, len(classes)), mostHead: zeros(l.mostHead, len(classes)),
	}
	for i, v := range classes {
		l.most[i], l.mostHead[i] = q.fit(v), -1
		if q.head != nil {
			l.mostHead[i] = q.beside(v)
		}
	}
	for p, part := range q.parts {
		for _, k := range part {
			class := q.layout.class[k]
			most, head := l.most[class], l.mostHead[class]
			if most == 0 && head < 0 {
				continue
			}
			l.bound[p] += most
			l.seats = append(l.seats, bound{
				steps: q.on(nodes, k), part: int32(p), most: most, mostHead: head,
				tasks: most, besides: head, more: never, seen: never,
			})
		}
		l.ends = append(l.ends, len(l.seats))
	}
}

// end lends the memory of a search to the next.
func (l *leap) end() {
	l.query = nil
	leaps.Put(l)
}

// zeros returns n zeros, in the memory of a list if there is room.
func zeros(list []int64, n int) []int64 {
	list = slices.Grow(list[:0], n)[:n]
	clear(list)
	return list
}

// holds reports whether a part has room at t.
func (l *leap) holds(p int, t bookahead.Time) bool {
	low := 0
	if p > 0 {
		low = l.ends[p-1]
	}
	part := l.seats[low:l.ends[p]]
	sum := int64(0)
	for i := range part {
		b := &part[i]
		if b.seen != t && (b.tasks > 0 || b.besides >= 0) {
			l.bound[p] -= b.tasks
			l.look(b, t)
			l.bound[p] += b.tasks
			if b.more != never {
				l.push(event{b.more, int32(low + i)})
			}
			if l.bound[p] < l.tasks {
				return false
			}
		}
		sum += b.tasks
		if l.head == nil && sum >= l.tasks {
			return true
		}
	}
	return l.head != nil && slices.ContainsFunc(part, func(b bound) bool {
		return b.besides >= 0 && sum-b.tasks+b.besides >= l.tasks
	})
}

// look makes a bound exact at t.
func (l *leap) look(b *bound, t bookahead.Time) {
	b.seen, b.more, b.tasks, b.besides = t, never, 0, -1
	if l.head == nil { // most nodes are full: then one walk does
		at, ok := l.first(b, t, nil, 1)
		if !ok || at > t {
			b.until(at, ok)
			return
		}
		if b.most == 1 {
			b.tasks = 1
			return
		}
	}
	b.steps.least(bookahead.Interval{Start: t, End: t + l.d}, l.free)
	b.tasks = l.fit(l.free)
	if b.tasks < b.most {
		at, ok := l.first(b, t, nil, b.tasks+1)
		b.until(at, ok)
	}
	if l.head == nil {
		return
	}
	b.besides = l.beside(l.free)
	if b.besides < b.mostHead {
		at, ok := l.first(b, t, l.head, b.besides+1)
		b.until(at, ok)
	}
}

// until ends a bound at a time, if not earlier.
func (b *bound) until(at bookahead.Time, ok bool) {
	if ok && (b.more == never || at < b.more) {
		b.more = at
	}
}

// first returns the first start from t on at which a node holds n tasks, and a head if it is not nil.
func (l *leap) first(b *bound, t bookahead.Time, head Vector, n int64) (bookahead.Time, bool) {
	for r, want := range l.each {
		l.need[r] = n * want // n is no more than the node has room for when all is free
	}
	for r, want := range head {
		l.need[r] += want
	}
	return b.steps.first(t, l.last, l.d, l.need)
}

// next returns the first start, behind all that have been tried, at which the bounds of some part
// add up.
func (l *leap) next() (bookahead.Time, bool) {
	enough := false
	t := bookahead.Time(math.MinInt64)
	for len(l.events) > 0 && (!enough || l.events[0].at == t) {
		e := l.pop()
		b := &l.seats[e.seat]
		if b.more != e.at {
			continue // it has been looked at since
		}
		t = e.at
		l.bound[b.part] += b.most - b.tasks
		b.tasks, b.besides, b.more, b.seen = b.most, b.mostHead, never, never
		enough = enough || l.bound[b.part] >= l.tasks
	}
	return t, enough
}

func (l *leap) push(e event) {
	l.events = append(l.events, e)
	i := len(l.events) - 1
	for i > 0 && l.events[(i-1)/2].at > e.at {
		l.events[i] = l.events[(i-1)/2]
		i = (i - 1) / 2
	}
	l.events[i] = e
}

func (l *leap) pop() event {
	top := l.events[0]
	e := l.events[len(l.events)-1]
	l.events = l.events[:len(l.events)-1]
	i := 0
	for child := 1; child < len(l.events); child = 2*i + 1 {
		if child+1 < len(l.events) && l.events[child+1].at < l.events[child].at {
			child++
		}
		if l.events[child].at >= e.at {
			break
		}
		l.events[i] = l.events[child]
		i = child
	}
	if len(l.events) > 0 {
		l.events[i] = e
	}
	return top
}
