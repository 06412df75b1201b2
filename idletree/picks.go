package idletree

import "github.com/bookahead/bookahead"

// picks collects n idle periods for a reservation in w: the first that are added, or the most
// preferred.
type picks struct {
	w     bookahead.Interval
	n     int
	order order          // nil for the first
	bound bound          // of order
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
