package idletree

import (
	"cmp"

	"github.com/bookahead/bookahead"
)

// Prefer says which idle periods are used first, of those that are long enough. The zero
// value takes the first that are found. BestFit, WorstFit and LowestIndex are the
// orders of this package, and PreferFunc makes one of the caller's own.
type Prefer struct {
	policy uint64 // as a snapshot names it
	order  order  // nil for the first found
	bound  bound  // of order; nil if none is known
}

// order compares two idle periods for a reservation in w, as PreferFunc says.
type order func(w bookahead.Interval, a, b Period) int

// The orders that this package knows. A Tree passes over most idle periods that hold
// nothing better.
var (
	// BestFit prefers the tightest idle period, so that long ones stay whole: the
	// one with the least time from its Start, be it long past, to its End.
	BestFit = Prefer{bestFit, tightest, shortest}

	// WorstFit prefers the longest idle period, so that the rest of it is of use.
	WorstFit = Prefer{worstFit, widest, longest}

	// LowestIndex prefers the server that comes first.
	LowestIndex = Prefer{lowestIndex, lowestServer, lowest}
)

// PreferFunc returns an order of the caller's own. The function compares two idle
// periods, both long enough for a reservation in w: a is used first if the result is
// negative, b if the result is positive. The function must order all periods
// consistently; of those that it calls equal, the lowest server is used first. If the
// function is nil, the result is the zero value.
//
// A choice that needs to see all servers at once is made outside: ask RangeQuery or
// Idle, and name the servers in the request.
func PreferFunc(compare func(w bookahead.Interval, a, b Period) int) Prefer {
	if compare == nil {
		return Prefer{}
	}
	return Prefer{policy: callersOwn, order: compare}
}

// Compare returns a negative number if a is used before b for a reservation in w, a
// positive one if b is used before a, and 0 if they are liked alike, as all are by the
// zero value. With Compare, an order of the caller's own can be built on another.
func (prefer Prefer) Compare(w bookahead.Interval, a, b Period) int {
	if prefer.order == nil {
		return 0
	}
	return prefer.order(w, a, b)
}

func tightest(_ bookahead.Interval, a, b Period) int { return cmp.Compare(a.Len(), b.Len()) }

func widest(_ bookahead.Interval, a, b Period) int { return cmp.Compare(b.Len(), a.Len()) }

func lowestServer(_ bookahead.Interval, a, b Period) int { return byServer(a, b) }

// latestStart prefers the server that has been idle for the shortest time.
func latestStart(_ bookahead.Interval, a, b Period) int { return cmp.Compare(b.Start, a.Start) }

// picks collects the idle periods for a reservation in w, of those that it is
// shown: the first, or the most preferred.
type picks struct {
	w     bookahead.Interval
	n     int
	order order          // nil for the first
	bound bound          // of order; may be nil
	ahead bookahead.Time // a sum of the numbers that were read ahead; it means nothing
	heap  heap[Period]   // with the least preferred on top; else a plain list
}

func newPicks(w bookahead.Interval, n int, order order, room []Period) picks {
	c := picks{w: w, n: n, order: order, heap: heap[Period]{list: room[:0]}}
	if order != nil {
		c.heap.before = func(a, b Period) bool { return order.before(w, b, a) }
	}
	return c
}

// bound returns an idle period that an order likes as much as any that contains w below
// entry i of an inner node, or more.
type bound func(w bookahead.Interval, nd *node, i int) Period

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
	return c.bound != nil && len(c.heap.list) == c.n && !c.order.before(c.w, c.bound(c.w, nd, i), c.heap.list[0])
}

// before reports whether a is to be used before b.
func (o order) before(w bookahead.Interval, a, b Period) bool {
	if c := o(w, a, b); c != 0 {
		return c < 0
	}
	return a.Server < b.Server
}

// add shows an idle period that contains w. It returns whether there can be
// better ones. O(log n).
func (c *picks) add(p Period) bool {
	if c.order == nil {
		c.heap.list = append(c.heap.list, p)
		return len(c.heap.list) < c.n
	}
	c.compare(p)
	return true
}

func (c *picks) compare(p Period) {
	if len(c.heap.list) < c.n {
		c.heap.push(p)
	} else if c.order.before(c.w, p, c.heap.list[0]) {
		c.heap.replace(p)
	}
}
