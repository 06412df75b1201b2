package idletree

import (
	"cmp"

	"github.com/bookahead/bookahead"
)

// Prefer is an order in which idle periods that are long enough are used. The zero value uses
// the first periods found. BestFit, WorstFit and LowestIndex are the orders of this package, and
// PreferFunc makes an order of the caller's own.
type Prefer struct {
	policy uint64 // as a snapshot names it
	order  order  // nil for the first found
	bound  bound  // of order; nil if none is known
}

// order compares two idle periods for a reservation in w, as the function of PreferFunc does.
type order func(w bookahead.Interval, a, b Period) int

// The orders of this package. With these, a Tree passes over most idle periods that are not better
// than the periods found so far.
var (
	// BestFit prefers the shortest idle period, so that long periods stay whole. The length
	// counts from the Start of the period, even if the Start is long past.
	BestFit = Prefer{bestFit, tightest, shortest}

	// WorstFit prefers the longest idle period, so that its rest stays useful.
	WorstFit = Prefer{worstFit, widest, longest}

	// LowestIndex prefers the server of lowest index.
	LowestIndex = Prefer{lowestIndex, lowestServer, lowest}
)

// PreferFunc returns an order of the caller's own. The function compares two idle periods that are
// long enough for a reservation in w: a is used first if the result is negative, and b if the
// result is positive. The function must order all periods consistently; if it returns 0, the lower
// server is used first. If the function is nil, the result is the zero value.
//
// For a choice that needs to see all servers at once, ask RangeQuery or Idle, and name the chosen
// servers in the request.
func PreferFunc(compare func(w bookahead.Interval, a, b Period) int) Prefer {
	if compare == nil {
		return Prefer{}
	}
	return Prefer{policy: callersOwn, order: compare}
}

// Compare returns a negative number if a is used before b for a reservation in w, a positive number
// if b is used before a, and 0 if the order does not prefer either. The zero value prefers no
// period. With Compare, an order of the caller's own can be built on another order.
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

// picks collects n idle periods for a reservation in w: the first that are added, or the most
// preferred.
type picks struct {
	w     bookahead.Interval
	n     int
	order order          // nil for the first
	bound bound          // of order; may be nil
	ahead bookahead.Time // a sum of the numbers that were read ahead; its value means nothing
	heap  heap[Period]   // the least preferred on top; without an order a plain list
}

func newPicks(w bookahead.Interval, n int, order order, room []Period) picks {
	c := picks{w: w, n: n, order: order, heap: heap[Period]{list: room[:0]}}
	if order != nil {
		c.heap.before = func(a, b Period) bool { return order.before(w, b, a) }
	}
	return c
}

// bound returns an idle period such that the order prefers no period over it that contains w and
// lies below entry i of an inner node. The period is made of sums (T4), and need not exist:
//
//	entry i    start 5, the next entry starts at 9, soonest 12, longest 26, lowest 2
//	shortest   w = [7, 10): no start is later than 7, no end earlier than 12: [7, 12), server 2
//	longest    [0, 26), server 2: no period is longer
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

// hopeless reports whether no period below entry i of an inner node is better than the worst of n
// periods collected, so that a search may pass over the entry.
func (c *picks) hopeless(nd *node, i int) bool {
	return c.bound != nil && len(c.heap.list) == c.n && !c.order.before(c.w, c.bound(c.w, nd, i), c.heap.list[0])
}

// before reports whether a is used before b: by the order, and then by the lower server.
func (o order) before(w bookahead.Interval, a, b Period) bool {
	c := o(w, a, b)
	if c != 0 {
		return c < 0
	}
	return a.Server < b.Server
}

// add adds an idle period that contains w, and reports whether more periods are needed. O(log n).
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
