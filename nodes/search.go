package nodes

import (
	"slices"
	"sync"

	"github.com/bookahead/bookahead"
)

// search is a search under way. It goes from chunk to chunk, and asks for each which nodes may serve
// a window that starts there:
//
//	chunk       c            c+1 ... f              e
//	      │        a├─────────┼───────────────────┼─────┤      the first window
//	      │         ├┄┄┄┄┄┄┄b├┼───────────────────┼─────┼──┤   the last
//	rows        most           least               most
//
// All windows touch c and e, and cover the chunks between. A node that is not in all these rows
// serves none of them. If too few are left, no start in c will do. Otherwise the search looks at the
// steps of those that are left, in the order of their index.
type search struct {
	*index
	*query
	able  []uint64             // the nodes that may serve
	dead  []bookahead.Interval // zones
	notes bool                 // what it finds
	e     int                  // the last chunk that all windows touch
	cover
	hints []hint
	epoch uint32
	turns []turn
	leap
}

// hint says that a node has no start before a time, in the search of an epoch.
type hint struct {
	before bookahead.Time
	epoch  uint32
}

// searches keeps the memory of searches that are over.
var searches = sync.Pool{New: func() any { return new(search) }}

// begin returns a search for q. Its caller says when it is done.
func (x *index) begin(q *query) *search {
	s := searches.Get().(*search)
	s.index, s.query = x, q
	s.able = slices.Grow(s.able[:0], x.stride)[:x.stride]
	s.e = 0
	s.cover.reset(x.stride)
	s.hints = slices.Grow(s.hints[:0], len(x.nodes))[:len(x.nodes)]
	s.epoch++
	if s.epoch == 0 { // all are from long ago
		clear(s.hints[:cap(s.hints)])
		s.epoch = 1
	}
	return s
}

// done lends the memory to another search.
func (s *search) done() {
	s.index, s.query = nil, nil
	searches.Put(s)
}

// search returns the first start, from first to last, at which q finds place.
func (x *index) search(first, last bookahead.Time, q *query) (bookahead.Time, bool) {
	t, ok, _ := x.seek(first, last, q, false)
	return t, ok
}

// learn is search, and remembers what it has found. Only one who may write to the index may call it.
func (x *index) learn(first, last bookahead.Time, q *query) (bookahead.Time, bool) {
	x.owner.Renew()
	t, ok, passed := x.seek(first, last, q, true)
	if passed >= worth {
		if !ok {
			t = last + 1
		}
		x.dead.learn(q, first, t)
	}
	return t, ok
}

// worth is how many chunks a search must pass to leave a zone. It finds fewer again soon.
const worth = 4

// seek returns what search does, and in how many chunks it has looked.
func (x *index) seek(first, last bookahead.Time, q *query, learns bool) (t bookahead.Time, ok bool, passed int) {
	if q.hopeless() {
		return 0, false, 0
	}
	s := x.begin(q)
	defer s.done()
	s.dead = s.dead[:0]
	if q.old == nil {
		s.dead = x.dead.of(q, x.packing, first, s.dead)
	}
	s.notes = learns && !q.narrow && q.old == nil
	c := x.chunkAt(first)
	for a := first; ; a = x.starts[c] {
		for _, w := range s.dead {
			if w.Contains(a) {
				a = w.End
				c = x.chunkAt(a)
				break
			}
		}
		if a > last {
			return 0, false, passed
		}
		passed++
		next := c + 1
		if !x.facts[c].deny(q, x.packing) {
			b := min(x.end(c)-1, last)
			next, ok = s.sift(c, a, b, s.d)
			if ok {
				t, ok = s.exact(a, b)
				if ok {
					return t, true, passed
				}
				if s.notes && s.plain() && q.within == nil && b == x.end(c)-1 && (a == x.starts[c] || a == x.now) {
					x.note(c, s.need[:], s.d, s.few)
				}
			}
		}
		c = next
		if c == len(x.starts) {
			return 0, false, passed
		}
	}
}

// sift leaves in able the nodes that may serve a window of d ticks with a start from a to b, which lie
// in chunk c, and reports whether they may be enough. If not, it returns the next chunk in which a
// start may do.
func (s *search) sift(c int, a, b, d bookahead.Time) (next int, ok bool) {
	copy(s.able, s.allowed)
	n := s.meet(s.able, c, s.mostRows)
	if n < s.few {
		s.fact(c, 1, n)
		return c + 1, false
	}
	end := a + d
	if s.index.end(s.e) < end {
		s.e++
		if s.index.end(s.e) < end {
			s.e = s.chunkAt(end - 1)
		}
	}
	f := s.e
	if s.index.end(f) > end {
		if f > c {
			n = s.meet(s.able, f, s.mostRows)
			if n < s.few {
				if a == s.starts[c] {
					s.fact(c, d, n)
				}
				return c + 1, false
			}
		}
		f--
	}
	if f > c {
		next, ok = s.through(c+1, f)
		if !ok {
			return next, false
		}
	}
	if s.lentTo != nil { // more is free there than the rows know
		for i, word := range s.lentTo {
			s.able[i] |= word
		}
	}
	return c + 1, true
}

// at leaves in able the nodes that may serve a window; none if they are too few.
func (s *search) at(w bookahead.Interval) {
	_, ok := s.sift(s.chunkAt(w.Start), w.Start, w.Start, w.End-w.Start)
	if !ok {
		clear(s.able)
	}
}

// meet takes off the nodes that are not in the rows of a chunk, and returns how many are left.
func (s *search) meet(set []uint64, c int, rows []int) int {
	return meet(set, s.chunks[c].rows, rows)
}

// exact returns the first start from a to b. Only nodes that are able can serve.
func (s *search) exact(a, b bookahead.Time) (t bookahead.Time, ok bool) {
	for _, part := range s.parts {
		if part.count(s.able) < s.few {
			continue
		}
		at, found := s.inPart(part, a, b)
		if !found {
			continue
		}
		if at == a {
			return a, true
		}
		t, ok, b = at, true, at-1
	}
	return t, ok
}

// inPart is exact for one part.
func (s *search) inPart(p part, a, b bookahead.Time) (bookahead.Time, bool) {
	switch {
	case !s.plain():
		return s.leapIn(p, a, b)
	case s.tasks == 1:
		return s.one(p, a, b)
	}
	return s.several(p, a, b)
}

// plain reports whether each node that is able takes one task, and nothing else is asked.
func (q *query) plain() bool { return q.head == nil && (q.tasks == 1 || q.perNode == 1) }

// fact notes that no more than n nodes of those that are in the rows of chunk c can serve.
func (s *search) fact(c int, d bookahead.Time, n int) {
	if s.notes && s.head == nil {
		s.note(c, s.floor[:], d, n+1)
	}
}
