package idletree

import "github.com/bookahead/bookahead"

// covering adds the idle periods that contain the window of c to c, latest start first. It returns
// false as soon as c needs no more.
func (nd *node) covering(c *picks) bool {
	if c.order == nil {
		return nd.first(c)
	}
	var skip func(nd *node, i int) bool
	if c.bound != unbounded {
		skip = func(nd *node, i int) bool { return nd.hopeless(c, i) }
	}
	return nd.descend(c.w, skip, c.add)
}

// first is covering without an order: it does the same as descend, but appends the periods to c
// itself. While a kid is read, the next kid to read is loaded already (ahead.go):
//
//	w = [7, 20)    start  0    5    9
//	               end    ∞   31   24      kids in front of place 2 that end at 20 or later:
//	               load kid 0, read kid 1, read kid 0
func (nd *node) first(c *picks) bool {
	i := nd.after(c.w.Start)
	if nd.kids == nil {
		return nd.firstInLeaf(i, c)
	}
	i = nd.endsBy(i, c.w.End)
	for i >= 0 {
		next := nd.endsBy(i, c.w.End)
		if next >= 0 {
			c.ahead += nd.kids.node[next].ahead()
		}
		if !nd.kids.node[i].first(c) {
			return false
		}
		i = next
	}
	return true
}

// endsBy returns the last entry in front of entry i that ends at t or later, or -1.
func (nd *node) endsBy(i int, t bookahead.Time) int {
	for i--; i >= 0 && nd.end[i] < t; i-- {
	}
	return i
}

// firstInLeaf is first for the entries of a leaf in front of entry i.
func (nd *node) firstInLeaf(i int, c *picks) bool {
	list := c.heap.list
	for i--; i >= 0 && len(list) < c.n; i-- {
		if nd.end[i] >= c.w.End {
			p := bookahead.Interval{Start: nd.start[i], End: nd.end[i]}
			list = append(list, Period{p, int(nd.server[i])})
		}
	}
	c.heap.list = list
	return len(list) < c.n
}

// descend yields the idle periods that contain w, latest start first, but none below a kid that
// skip refuses; skip may be nil. It returns false if yield did. For k periods it reads at most
// k + 1 leaves: by T4 each kid that it enters has a period that ends late enough, and every period
// of the kid starts by w.Start, except in the last kid that starts by w.Start.
//
//	w = [7, 13)    start  0    5    9      kid 2 starts too late
//	               end    ∞   31   24      kids 0 and 1 end late enough
//	kid 1          start  5    6    8      8 is too late: kid 1 is the last with a start by 7
//	               end   31   12   13      31 is late enough, and 12 is not
//
// By T1 all periods of kid 0 start by 5, and so by 7.
func (nd *node) descend(w bookahead.Interval, skip func(nd *node, i int) bool, yield func(Period) bool) bool {
	if nd.kids == nil {
		return nd.descendLeaf(w, yield)
	}
	for i := nd.after(w.Start) - 1; i >= 0; i-- {
		if nd.end[i] < w.End || skip != nil && skip(nd, i) {
			continue
		}
		if !nd.kids.node[i].descend(w, skip, yield) {
			return false
		}
	}
	return true
}

// descendLeaf is descend for a leaf.
func (nd *node) descendLeaf(w bookahead.Interval, yield func(Period) bool) bool {
	for i := nd.after(w.Start) - 1; i >= 0; i-- {
		if nd.end[i] < w.End {
			continue
		}
		p := bookahead.Interval{Start: nd.start[i], End: nd.end[i]}
		if !yield(Period{p, int(nd.server[i])}) {
			return false
		}
	}
	return true
}

// span selects idle periods that start later than after and no later than by, end at end or later,
// and have at least the length.
type span struct {
	after, by   bookahead.Time
	end, length bookahead.Time
}

// ascend yields the periods that s selects, in order. It returns false if yield did.
//
// In an inner node it begins one kid early, because the kid in front of the first kid that starts
// after s.after may have such a period too:
//
//	after 7    start  0    5    9      kid 2 is the first that starts after 7,
//	kid 1      start  5    6    8      but kid 1 has the 8
//
// In most nodes on the way everything starts after s.after. Their first entry shows this, and then
// no search is needed.
func (nd *node) ascend(s span, yield func(Period) bool) bool {
	i := 0
	if nd.n > 0 && nd.start[0] <= s.after {
		i = nd.after(s.after)
	}
	if nd.kids == nil {
		return nd.ascendLeaf(i, s, yield)
	}
	k := nd.kids
	for i = max(0, i-1); i < int(nd.n) && nd.start[i] <= s.by; i++ {
		if nd.end[i] < s.end || k.longest[i] < s.length {
			continue
		}
		if !k.node[i].ascend(s, yield) {
			return false
		}
	}
	return true
}

// ascendLeaf is ascend for a leaf, from entry i on.
func (nd *node) ascendLeaf(i int, s span, yield func(Period) bool) bool {
	for ; i < int(nd.n) && nd.start[i] <= s.by; i++ {
		p := Period{bookahead.Interval{Start: nd.start[i], End: nd.end[i]}, int(nd.server[i])}
		if p.End < s.end || p.End-p.Start < s.length {
			continue
		}
		if !yield(p) {
			return false
		}
	}
	return true
}

// bound returns an idle period such that an order with the bound prefers no period over it that
// contains w and lies below entry i of an inner node. The period is made of sums (T4), and need not
// exist:
//
//	entry i    start 5, the next entry starts at 9, end 31, soonest 12, longest 26, lowest 2
//	shortest   w = [7, 10): no start is later than 7, no end earlier than 12: [7, 12), server 2
//	longest    [0, 26), server 2: no period is longer
//	lasting    [0, 31), server 2: no period ends later
func (nd *node) bound(by bound, w bookahead.Interval, i int) Period {
	p := Period{Server: int(nd.kids.lowest[i])}
	switch by {
	case shortest:
		p.Start, p.End = w.Start, max(w.End, nd.kids.soonest[i])
		if i+1 < int(nd.n) {
			p.Start = min(p.Start, nd.start[i+1])
		}
	case longest:
		p.End = nd.kids.longest[i]
	case lasting:
		p.End = nd.end[i]
	}
	return p
}

// hopeless reports whether no period below entry i of an inner node is better than the worst of n
// periods collected, so that a search may pass over the entry.
func (nd *node) hopeless(c *picks, i int) bool {
	return len(c.heap.list) == c.n && !c.order.before(c.w, nd.bound(c.bound, c.w, i), c.heap.list[0])
}
