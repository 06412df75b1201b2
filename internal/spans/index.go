package spans

import (
	"cmp"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/cow"
)

// Span is the interval of a reservation, and its ID. The interval is not empty.
type Span struct {
	bookahead.Interval
	ID bookahead.ID
}

// compare orders spans by Start, then by ID.
func compare(a, b Span) int {
	c := cmp.Compare(a.Start, b.Start)
	if c != 0 {
		return c
	}
	return cmp.Compare(a.ID, b.ID)
}

// Index is a set of spans. The zero value is empty. Queries and Clones may run beside each other,
// but not beside a write: Add, Remove or Forget. Indices that are clones of each other may be
// written to at the same time.
type Index struct {
	root    *node // nil if there are no spans
	owner   cow.Owner
	n       int
	soonest bookahead.Time // the earliest end of all spans
	// width is the most entries of a node: fanout, or less in tests, to reach the corners of
	// small trees. It is 0 until there is a root.
	width int
}

// Len returns the number of spans. O(1).
func (x *Index) Len() int { return x.n }

// Clone returns a copy that shares all nodes until either side writes to them. It may run beside
// queries and other Clones. O(1).
func (x *Index) Clone() Index {
	x.owner.Share()
	return *x
}

// Add adds a span. The index has no other span with the same Start and ID. O(log n).
func (x *Index) Add(s Span) {
	x.owner.Renew()
	if x.root == nil {
		x.setWidth()
		x.root, x.soonest = x.newLeaf(), s.End
	}
	x.root = x.ownNode(x.root)
	if x.root.n == x.width {
		x.grow(s)
	}
	x.add(x.root, s)
	x.lower()
	x.n++
	x.soonest = min(x.soonest, s.End)
}

// add is Add below a node that is owned and has room for one more entry.
func (x *Index) add(nd *node, s Span) {
	if nd.inner == nil {
		i := nd.upTo(s)
		nd.shift(i, i+1)
		nd.start[i], nd.end[i], nd.id[i] = s.Start, s.End, s.ID
		return
	}
	i := nd.entryOf(s)
	kid := x.own(nd, i)
	divided := kid.n == x.width
	if divided {
		x.divide(nd, i, s)
		i = nd.entryOf(s)
		kid = nd.kid[i]
	}
	x.add(kid, s)
	if i == 0 {
		nd.start[0], nd.id[0] = kid.start[0], kid.id[0]
	}
	nd.end[i], nd.soonest[i] = max(nd.end[i], s.End), min(nd.soonest[i], s.End)
	shrunk := kid.n < int(nd.size[i]) // neighbours below the kid have been joined
	nd.size[i] = uint8(kid.n)
	if divided || shrunk {
		x.settle(nd, i-2, i+1)
	}
}

// Remove removes the span with the Start and the ID of s, and reports whether it was there. O(log
// n).
func (x *Index) Remove(s Span) bool {
	if x.root == nil {
		return false
	}
	x.owner.Renew()
	x.root = x.ownNode(x.root)
	end, ok := x.remove(x.root, s)
	if !ok {
		return false
	}
	x.n--
	x.lower()
	if end == x.soonest && x.root != nil {
		_, x.soonest = x.root.extremes()
	}
	return true
}

// remove is Remove below a node that is owned. It returns the end of the span.
func (x *Index) remove(nd *node, s Span) (end bookahead.Time, ok bool) {
	if nd.inner == nil {
		i := nd.upTo(s) - 1
		if i < 0 || nd.start[i] != s.Start || nd.id[i] != s.ID {
			return 0, false
		}
		end = nd.end[i]
		nd.shift(i+1, i)
		return end, true
	}
	i := nd.entryOf(s)
	kid := x.own(nd, i)
	end, ok = x.remove(kid, s)
	switch {
	case !ok:
		return 0, false
	case kid.n == 0:
		nd.shift(i+1, i)
	case end == nd.end[i] || end == nd.soonest[i]:
		nd.refresh(i)
	default:
		nd.start[i], nd.id[i], nd.size[i] = kid.start[0], kid.id[0], uint8(kid.n)
	}
	x.settle(nd, i-1, i)
	return end, true
}
