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
// All windows that start in c touch c and e, and cover the chunks between, up to f. A node that is not in
// all of these rows serves none of them. If too few nodes are left, there is no start in c. Otherwise the
// search looks at the steps of the nodes that are left, in the order of their index.
type search struct {
	*index
	query
	able  []uint64 // the nodes that may serve
	sure  []uint64 // nodes that do serve the window that starts at from: some of them, or none
	from  bookahead.Time
	skip  []bookahead.Interval // zones that speak of the query
	notes bool                 // it notes as a fact that there is no start in a chunk
	whole bool                 // it looks for all starts in the chunk
	found int                  // nodes that have a start in the chunk, at most
	short bookahead.Time       // the longest that any other node is free from a start in it, at most
	e     int                  // the last chunk that all windows touch
	cover
	hints []hint
	epoch uint32
	turns []turn
	tight
	leap
}

// hint is the gap that a node has, as far as the search of an epoch knows: there is no start in it.
// Searches share the memory of hints, and a new epoch makes all older hints void at once.
type hint struct {
	bookahead.Interval
	free  bookahead.Time // behind the gap, until then
	epoch uint32
}

// searches keeps the memory of searches that are over.
var searches = sync.Pool{New: func() any { return new(search) }}

// begin returns a search. The caller writes its request to the query, by ask, and calls done when it
// needs neither any more.
func (x *index) begin() *search {
	s := searches.Get().(*search)
	s.index = x
	s.able = slices.Grow(s.able[:0], x.stride)[:x.stride]
	s.sure = slices.Grow(s.sure[:0], x.stride)[:x.stride]
	clear(s.sure)
	s.e, s.whole, s.notes, s.every = 0, false, false, 1
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
	s.index = nil
	s.each, s.head, s.allowed, s.parts, s.lent, s.old = nil, nil, nil, nil, nil, nil
	s.layout, s.within, s.together = nil, nil, nil
	searches.Put(s)
}

// seek returns the first start, from first to last, at which there is a place. With learn, which only
// writers may say, it leaves facts and a zone behind.
func (s *search) seek(first, last bookahead.Time, learn bool) (bookahead.Time, bool) {
	if s.hopeless() {
		return 0, false
	}
	x := s.index
	alike := !s.narrow && s.old == nil // other requests have no more nodes, so that facts hold for them
	s.notes = learn && alike
	if learn {
		x.owner.Renew()
	}
	t, ok, passed := s.walk(first, last)
	if learn && alike && s.head == nil && passed >= worth {
		if !ok {
			t = last + 1
		}
		x.dead.learn(&s.query, first, t)
	}
	return t, ok
}

// worth is how many chunks a search must pass to leave a zone. To pass fewer again is quick.
const worth = 4

// walk does what seek does, without learning a zone, and returns how many chunks it has been in.
func (s *search) walk(first, last bookahead.Time) (t bookahead.Time, ok bool, passed int) {
	x := s.index
	s.skip = s.skip[:0]
	if s.old == nil {
		s.skip = x.dead.of(&s.query, x.packing, first, s.skip)
	}
	c := x.chunkAt(first)
	s.every = 1 + (x.chunkAt(first+s.d-1)-c)/x.reads
	for a := first; ; a = x.starts[c] {
		for _, w := range s.skip {
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
		if !x.denies(x.facts[c], &s.query) {
			b := min(x.end(c)-1, last)
			s.whole = b == x.end(c)-1 && (a == x.starts[c] || a == x.now)
			next, ok = s.sift(c, a, b, s.d)
			if ok {
				t, ok = s.exact(a, b)
				if ok {
					return t, true, passed
				}
				s.failed(c)
			}
		}
		c = next
		if c == len(x.starts) {
			return 0, false, passed
		}
	}
}

// sift leaves in able the nodes that may serve a window of d ticks with a start from a to b, which lie
// in chunk c, and reports whether they may be enough. If not, it returns the next chunk in which
// there may be a start.
func (s *search) sift(c int, a, b, d bookahead.Time) (next int, ok bool) {
	copy(s.able, s.allowed)
	s.found, s.short, s.from = 0, 0, a
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
			more := n
			n = s.meet(s.able, f, s.mostRows)
			if n < more {
				s.short = s.starts[f] - a
			}
			if n < s.few {
				if s.whole {
					s.fact(c, s.short+1, n)
				}
				return c + 1, false
			}
		}
		f--
	}
	if f > c {
		s.short = d - 1
		next, ok = s.through(c+1, f)
		if !ok {
			return max(next, c+1), false
		}
	}
	s.beSure(c)
	if s.lentTo != nil { // nodes of a Rebook: more is free there than the rows know
		for i, word := range s.lentTo {
			s.able[i] |= word
		}
	}
	return c + 1, true
}

// beSure finds out which of the nodes that are able serve the window that starts at from, in chunk c, if it
// ends in that chunk or in the next. A node that has enough throughout both chunks need not be looked
// at. Of longer windows, fewer nodes do, and their rows would take longer to read.
func (s *search) beSure(c int) {
	clear(s.sure)
	if s.e > c+1 || !s.query.sure {
		return
	}
	copy(s.sure, s.able)
	for ; c <= s.e; c++ {
		s.meet(s.sure, c, s.sureRows)
	}
}

// at leaves in able the nodes that may serve a window, and none if they are too few.
func (s *search) at(w bookahead.Interval) {
	ok := !s.hopeless()
	if ok {
		_, ok = s.sift(s.chunkAt(w.Start), w.Start, w.Start, w.End-w.Start)
	}
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

// inPart does what exact does, for one part.
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

// fact notes that no more than n nodes can serve a start in chunk c for d, by their rows: so the fact
// is about the levels that the request reaches, which may be less than it needs.
func (s *search) fact(c int, d bookahead.Time, n int) {
	if s.notes && s.head == nil {
		s.note(c, s.floor[:], d, n+1)
	}
}

// failed notes that no start was found in chunk c, by the steps of the nodes: the fact is about what the
// request needs. Where tasks lie in groups, others may find one.
func (s *search) failed(c int) {
	if s.notes && s.whole && s.plain() && len(s.parts) == 1 && s.within == nil {
		s.note(c, s.need[:], s.short+1, s.found+1)
	}
}
