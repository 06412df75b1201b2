package carts

import "github.com/bookahead/bookahead"

// add changes what is free throughout w by delta. O(log v) amortised.
//
// Nothing changes at an edge of w if the change there is what differed before:
// an entry goes. Elsewhere an edge is a new entry.
func (p *profile[U]) add(w bookahead.Interval, delta U) {
	leaf := p.enter(w.Start)
	nd := leaf.nd
	if w.Start > nd.start[0] && w.End < leaf.end {
		p.edge(w.End, -delta)
		p.edge(w.Start, delta)
		low, high := nd.shift(w, delta, leaf.acc)
		for _, s := range p.path[:len(p.path)-1] {
			s.nd.runs.mark(s.i, s.acc, min(low, low-delta), max(high, high-delta), delta > 0)
		}
		p.refresh()
		return
	}
	for _, e := range [2]struct {
		at    bookahead.Time
		delta U
	}{{w.End, -delta}, {w.Start, delta}} {
		p.enter(e.at)
		p.edge(e.at, e.delta)
		p.refresh()
	}
	p.root = p.own(p.root)
	p.shift(step[U]{nd: p.root, end: bookahead.MaxTime}, w, delta)
}

// edge makes an entry start at t, where what is free changes by delta more than
// before it; or takes away the one that does, if both sides become equal. The
// path leads to t.
func (p *profile[U]) edge(t bookahead.Time, delta U) {
	leaf := &p.path[len(p.path)-1]
	nd := leaf.nd
	i := nd.at(t)
	switch {
	case nd.start[i] != t:
		nd.insert(i + 1)
		nd.start[i+1], nd.low[i+1] = t, nd.low[i]
	case i > 0 && nd.low[i-1] == nd.low[i]+delta,
		i == 0 && p.begins() < t && p.at(t-1) == nd.low[i]+leaf.acc+delta:
		nd.remove(i)
	}
}

// begins returns where the profile begins.
func (p *profile[U]) begins() bookahead.Time { return p.root.start[0] }

// at returns what is free at t.
func (p *profile[U]) at(t bookahead.Time) U {
	acc := U(0)
	for nd := p.root; ; {
		i := nd.at(t)
		if nd.inner == nil {
			return nd.low[i] + acc
		}
		acc += nd.add[i]
		nd = nd.kid[i]
	}
}

// shift adds delta to the entries of a leaf that start in w, and returns the
// least and the most that is free in w then. The entry that contains the start
// of w has been changed already if it begins before.
func (nd *node[U]) shift(w bookahead.Interval, delta, acc U) (low, high U) {
	i := nd.at(w.Start)
	low, high = nd.low[i]+acc, nd.low[i]+acc
	if nd.start[i] >= w.Start {
		low, high = low+delta, high+delta
	} else {
		i++
	}
	for ; i < nd.n && nd.start[i] < w.End; i++ {
		nd.low[i] += delta
		low, high = min(low, nd.low[i]+acc), max(high, nd.low[i]+acc)
	}
	return low, high
}

// shift does the same from any node on, which is owned.
func (p *profile[U]) shift(s step[U], w bookahead.Interval, delta U) (low, high U) {
	nd := s.nd
	if nd.inner == nil {
		return nd.shift(w, delta, s.acc)
	}
	for i, first := nd.at(w.Start), true; i < nd.n && nd.start[i] < w.End; i++ {
		var least, most U
		end := nd.end(i, s.end)
		if nd.start[i] >= w.Start && end <= w.End {
			nd.low[i] += delta
			nd.high[i] += delta
			nd.add[i] += delta
			least, most = nd.low[i]+s.acc, nd.high[i]+s.acc
		} else {
			below := step[U]{nd: p.own(nd.kid[i]), acc: s.acc + nd.add[i], end: end}
			nd.kid[i] = below.nd
			least, most = p.shift(below, w, delta)
			nd.describe(i, s.acc)
		}
		nd.runs.mark(i, s.acc, min(least, least-delta), max(most, most-delta), delta > 0)
		if first {
			low, high, first = least, most, false
		}
		low, high = min(low, least), max(high, most)
	}
	return low, high
}

// describe brings what entry i says of its kid up to date.
func (nd *node[U]) describe(i int, acc U) {
	low, high := nd.kid[i].extremes(acc + nd.add[i])
	nd.start[i], nd.low[i], nd.high[i] = nd.kid[i].start[0], low-acc, high-acc
}

// refresh brings what the path's nodes say of the leaf up to date.
func (p *profile[U]) refresh() {
	last := len(p.path) - 1
	if last == 0 {
		return
	}
	low, high := p.path[last].nd.extremes(p.path[last].acc)
	for level := last - 1; ; level-- {
		s := &p.path[level]
		nd, i, acc := s.nd, s.i, s.acc
		wasLow, wasHigh := nd.low[i]+acc, nd.high[i]+acc
		nd.start[i], nd.low[i], nd.high[i] = p.path[level+1].nd.start[0], low-acc, high-acc
		if level == 0 {
			return
		}
		// The node's own extremes are those that it had, unless this was one.
		up := &p.path[level-1]
		least, most := up.nd.low[up.i]+up.acc, up.nd.high[up.i]+up.acc
		if wasLow == least && low > least || wasHigh == most && high < most {
			least, most = nd.extremes(acc)
		}
		low, high = min(low, least), max(high, most)
	}
}

// insert makes room for an entry of a leaf.
func (nd *node[U]) insert(i int) {
	copy(nd.start[i+1:nd.n+1], nd.start[i:nd.n])
	copy(nd.low[i+1:nd.n+1], nd.low[i:nd.n])
	nd.n++
}

// remove takes an entry of a leaf away.
func (nd *node[U]) remove(i int) {
	copy(nd.start[i:], nd.start[i+1:nd.n])
	copy(nd.low[i:], nd.low[i+1:nd.n])
	nd.n--
}

// forget drops the leaves that end by now.
func (p *profile[U]) forget(now bookahead.Time) {
	for nd := p.root; nd.inner != nil; nd = nd.kid[0] {
		if nd.n > 1 && nd.start[1] <= now {
			p.root = p.own(p.root)
			p.drop(p.root, 0, now)
			break
		}
	}
	p.lower()
}

// drop drops the leaves below a node that end by now; one does not.
func (p *profile[U]) drop(nd *node[U], acc U, now bookahead.Time) {
	if nd.inner == nil {
		return
	}
	past := nd.at(now)
	for _, kid := range nd.kid[:past] {
		p.discard(kid)
	}
	nd.cut(0, past)
	nd.kid[0] = p.own(nd.kid[0])
	p.drop(nd.kid[0], acc+nd.add[0], now)
	nd.describe(0, acc)
}
