package nodes

import (
	"slices"
	"sync"

	"github.com/bookahead/bookahead"
)

// search is a search under way. It goes from chunk to chunk, and finds for each chunk the nodes that may
// serve a window that starts in the chunk:
//
//	chunk       c            c+1 ... f              e
//	      │        a├─────────┼───────────────────┼─────┤      the first window
//	      │         ├┄┄┄┄┄┄┄b├┼───────────────────┼─────┼──┤   the last
//	rows        most           least               most
//
// All windows that start from a to b touch c and e, and cover the chunks between, up to f. A node that is not
// in all of these rows serves no such window. If too few nodes are left, there is no start in c. Otherwise the
// search reads the steps of the nodes that are left, by index.
type search struct {
	*index
	query
	able     []uint64 // the nodes that may serve
	sure     []uint64 // nodes that are known to serve the window that starts at from
	from     bookahead.Time
	skip     []bookahead.Interval // the zones that hold for the query
	notes    bool                 // a chunk without a start is noted as a fact
	failures sum                  // in the block of the search
	until    bookahead.Time       // the end of this block
	whole    bool                 // the search asks for all starts in the chunk, and not for some
	found    int                  // at most so many nodes have a start in the chunk
	short    bookahead.Time       // any other node is free for at most so long from any start in the chunk
	e        int                  // the last chunk that all windows touch
	cover
	hints []hint
	epoch uint32
	turns []turn // scratch of several (starts.go)
	tight        // memory of the best fit (tightest.go)
	leap         // memory of leapIn (leap.go)
}

// hint is a gap of a node that a search has found: no start lies in the gap, and the node is free after it.
// Searches share the memory of hints, and a new epoch makes all older hints void at once.
type hint struct {
	bookahead.Interval
	free  bookahead.Time // the node is free from the end of the gap until this time
	step  int32          // it begins no later than free
	epoch uint32
}

// searches keeps the memory of searches that are over, for later ones.
var searches = sync.Pool{New: func() any { return new(search) }}

// begin returns a search. The caller makes its query with ask, and calls done when it needs neither the
// search nor the query any more.
func (x *index) begin() *search {
	s := searches.Get().(*search)
	s.index = x
	s.able = slices.Grow(s.able[:0], x.stride)[:x.stride]
	s.sure = slices.Grow(s.sure[:0], x.stride)[:x.stride]
	clear(s.sure)
	s.e, s.whole, s.notes, s.failures.on, s.every = 0, false, false, false, 1
	s.cover.reset(x.stride)
	s.hints = slices.Grow(s.hints[:0], len(x.nodes))[:len(x.nodes)]
	s.epoch++
	if s.epoch == 0 { // the counter has wrapped around: old hints might look new
		clear(s.hints[:cap(s.hints)])
		s.epoch = 1
	}
	return s
}

// done lends the memory to another search.
func (s *search) done() {
	s.index = nil
	s.each, s.head, s.allowed, s.parts, s.lent, s.old = nil, nil, nil, nil, nil, nil
	s.layout, s.within, s.together, s.bundled = nil, nil, nil, nil
	searches.Put(s)
}

// seek returns the first start, from first to last, at which there is a place. With learn, which only
// writers may set, it leaves facts and a zone behind.
func (s *search) seek(first, last bookahead.Time, learn bool) (bookahead.Time, bool) {
	if s.hopeless() {
		return 0, false
	}
	x := s.index
	alike := !s.narrow && s.old == nil // no other request has more nodes: facts hold for all requests
	s.notes = learn && alike
	if learn {
		x.owner.Renew()
	}
	t, ok, passed := s.walk(first, last)
	if learn && alike && s.head == nil && !s.exclusive && s.bundled == nil && passed >= worth {
		if !ok {
			t = last + 1
		}
		x.dead.learn(s.demand(), first, t)
	}
	return t, ok
}

// worth is the number of chunks that a search must visit to leave a zone. Fewer are quickly visited again.
const worth = 4

// walk returns the start as seek does, but leaves no zone. passed is the number of chunks visited.
func (s *search) walk(first, last bookahead.Time) (t bookahead.Time, ok bool, passed int) {
	x := s.index
	s.skip = s.skip[:0]
	if s.old == nil {
		asked := s.demand()
		s.skip = x.dead.of(&asked, x.packing, first, s.skip)
	}
	c := x.chunkAt(first)
	s.every = 1 + (x.chunkAt(first+s.d-1)-c)/x.reads // of long windows, about x.reads chunks are read
	s.failures.on, s.until = false, x.now
	for a := first; ; a = x.starts[c] {
		var hops int
		a, c, hops = s.hop(a, c, last)
		passed += hops
		if a > last {
			return 0, false, passed
		}
		passed++
		next := c + 1
		denial := x.denial(x.facts[c], s.need[:], s.d, s.few)
		if denial != nil {
			s.failedAll(denial, bookahead.Time(denial[x.words]), int(denial[x.words+1]))
		} else {
			b := min(x.end(c)-1, last)
			// Only if all starts in c are asked for, a failure is a fact about c. Starts before now
			// do not count.
			s.whole = b == x.end(c)-1 && (a == x.starts[c] || a == x.now)
			next, ok = s.sift(c, a, b, s.d)
			if ok {
				t, ok = s.exact(a, b)
				if ok {
					return t, true, passed
				}
				s.failed(c)
			}
			s.failures.on = s.failures.on && b == x.end(c)-1
		}
		c = next
		if c == len(x.starts) {
			return 0, false, passed
		}
	}
}

// sift leaves in able the nodes that may serve a window of d ticks with a start from a to b, both in chunk
// c. If they are too few, ok is false and next is the next chunk in which there may be a start.
//
// The first window [a, end) is the one that reaches least far, so all windows touch the chunks up to e, which
// has its last tick. If the first window ends inside e, e is only touched. If it ends with e, all windows
// cover e:
//
//	chunks      c      │      │  e      │         c       │        │  e    │
//	first       a├─────┼──────┼────┤end            a├─────┼────────┼───────┤end
//	rows        most    least  most               most     least    least
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
			if n < more { // the nodes that are gone have too little throughout f
				s.short = s.starts[f] - a
			}
			if n < s.few {
				s.fact(c, s.short+1, n)
				return c + 1, false
			}
		}
		f--
	}
	if f > c {
		s.short = d - 1 // a node that is not in a least row fails somewhere before d ticks are over
		next, ok = s.through(c+1, f)
		if !ok {
			s.failedAll(s.floor[:], d, s.few)
			return max(next, c+1), false
		}
	}
	s.beSure(c)
	if s.lentTo != nil { // on the nodes of a Rebook more is free than the rows know
		for i, word := range s.lentTo {
			s.able[i] |= word
		}
	}
	return c + 1, true
}

// beSure leaves in sure the nodes that have enough throughout all chunks that the window from touches, if these
// are chunk c alone, or c and the next. The search need not read the steps of these nodes. Longer windows would
// have fewer sure nodes and more rows to read.
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

// at leaves in able the nodes that may serve the window w, and no nodes if they are too few.
func (s *search) at(w bookahead.Interval) {
	ok := !s.hopeless()
	if ok {
		_, ok = s.sift(s.chunkAt(w.Start), w.Start, w.Start, w.End-w.Start)
	}
	if !ok {
		clear(s.able)
	}
}

// meet takes off a set the nodes that are not in all of some rows of a chunk, and returns how many are left.
func (s *search) meet(set []uint64, c int, rows []int) int {
	return meet(set, s.chunks[c].rows, rows)
}

// exact returns the first start from a to b, by the steps of the nodes that are able.
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

// inPart returns the first start from a to b in one part.
func (s *search) inPart(p part, a, b bookahead.Time) (bookahead.Time, bool) {
	switch {
	case !s.plain():
		return s.leapIn(p, a, b)
	case s.tasks == 1:
		return s.one(p, a, b)
	}
	return s.several(p, a, b)
}

// plain reports whether each node takes one task at most, and there is no head and no bundle. Then the starts of each node
// by itself are enough to know. A node takes an exclusive task at other starts than its need says.
func (q *query) plain() bool {
	return q.head == nil && !q.exclusive && q.bundled == nil && (q.tasks == 1 || q.perNode == 1)
}

// fact notes that at most n nodes can serve a start in chunk c for d, as the rows say. Rows know levels only,
// so the fact is about the levels that the need reaches (floor), which may be less than the need. A fact about one
// tick comes from the chunk alone, so that it is about all starts in it.
func (s *search) fact(c int, d bookahead.Time, n int) {
	s.failedAll(s.floor[:], d, n+1)
	if s.notes && s.head == nil && (s.whole || d == 1) {
		s.note(&s.proofs, c, s.floor[:], d, n+1)
	}
}

// failed notes that no start was found in chunk c, as the steps of the nodes say: the fact is about the exact
// need.
func (s *search) failed(c int) {
	if !s.groupless() {
		return
	}
	d := min(s.short+1, s.d) // nodes without a start are free for less than s.d
	s.failedAll(s.need[:], d, s.found+1)
	if s.notes && s.whole {
		s.note(&s.proofs, c, s.need[:], d, s.found+1)
	}
}

// groupless reports whether a failure is a fact about so many nodes: each takes one task, and all nodes may. With
// groups there is no such fact, because tasks of another request may lie in several groups.
func (s *search) groupless() bool { return s.plain() && len(s.parts) == 1 && s.within == nil }
