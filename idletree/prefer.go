package idletree

import (
	"cmp"
	"reflect"

	"github.com/bookahead/bookahead"
)

// Prefer says which of two idle periods, both long enough for a reservation in
// w, is to be used first: a if the result is negative, b if it is positive. It
// must order all periods consistently; those it calls equal are taken by lowest
// server. A choice that needs to see all servers at once is made outside: ask
// RangeQuery or Idle, and name the servers in the request.
type Prefer func(w bookahead.Interval, a, b Period) int

// BestFit prefers the tightest idle period, so that long ones stay whole: that
// with the least time from its Start, be it long past, to its End.
func BestFit(_ bookahead.Interval, a, b Period) int { return cmp.Compare(a.Len(), b.Len()) }

// WorstFit prefers the longest idle period, so that what is left is of use.
func WorstFit(_ bookahead.Interval, a, b Period) int { return cmp.Compare(b.Len(), a.Len()) }

// LowestIndex prefers the server that comes first.
func LowestIndex(_ bookahead.Interval, a, b Period) int { return byServer(a, b) }

// latestStart prefers what has been idle for the shortest time.
func latestStart(_ bookahead.Interval, a, b Period) int { return cmp.Compare(b.Start, a.Start) }

// picks collects the idle periods for a reservation in w, of those that it is
// shown: the first, or the most preferred.
type picks struct {
	w      bookahead.Interval
	n      int
	prefer Prefer       // nil for the first
	bound  bound        // of prefer; may be nil
	heap   heap[Period] // with the least preferred on top; else a plain list
}

func newPicks(w bookahead.Interval, n int, prefer Prefer, room []Period) picks {
	c := picks{w: w, n: n, prefer: prefer, heap: heap[Period]{list: room[:0]}}
	if prefer != nil {
		c.heap.before = func(a, b Period) bool { return prefer.before(w, b, a) }
	}
	return c
}

// bound returns an idle period that a policy likes as much as any that contains w
// below entry i of an inner node, or more.
type bound func(w bookahead.Interval, nd *node, i int) Period

// bound returns the bound of a policy of this package, or nil for any other.
// Functions cannot be compared, but those of a package have code of their own.
func (prefer Prefer) bound() bound {
	if prefer == nil {
		return nil
	}
	code := func(p Prefer) uintptr { return reflect.ValueOf(p).Pointer() }
	switch code(prefer) {
	case code(BestFit):
		return shortest
	case code(WorstFit):
		return longest
	case code(LowestIndex):
		return lowest
	}
	return nil
}

func shortest(w bookahead.Interval, nd *node, i int) Period {
	p := Period{bookahead.Interval{Start: w.Start, End: max(w.End, nd.kids.soonest[i])}, int(nd.kids.lowest[i])}
	if i+1 < int(nd.n) {
		p.Start = min(p.Start, nd.start[i+1])
	}
	return p
}

func longest(_ bookahead.Interval, nd *node, i int) Period {
	return Period{bookahead.Interval{End: nd.kids.longest[i]}, int(nd.kids.lowest[i])}
}

func lowest(_ bookahead.Interval, nd *node, i int) Period {
	return Period{Server: int(nd.kids.lowest[i])}
}

// hopeless reports whether nothing below entry i of an inner node is better than
// what has been collected.
func (c *picks) hopeless(nd *node, i int) bool {
	return c.bound != nil && len(c.heap.list) == c.n && !c.prefer.before(c.w, c.bound(c.w, nd, i), c.heap.list[0])
}

// before reports whether a is to be used before b.
func (prefer Prefer) before(w bookahead.Interval, a, b Period) bool {
	if c := prefer(w, a, b); c != 0 {
		return c < 0
	}
	return a.Server < b.Server
}

// add shows an idle period that contains w. It returns whether there can be
// better ones. O(log n).
func (c *picks) add(p Period) bool {
	if c.prefer == nil {
		c.heap.list = append(c.heap.list, p)
		return len(c.heap.list) < c.n
	}
	c.compare(p)
	return true
}

func (c *picks) compare(p Period) {
	if len(c.heap.list) < c.n {
		c.heap.push(p)
	} else if c.prefer.before(c.w, p, c.heap.list[0]) {
		c.heap.replace(p)
	}
}
