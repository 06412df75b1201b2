package carts

import "github.com/bookahead/bookahead"

// update is a change of what is free throughout an interval.
type update[U units] struct {
	bookahead.Interval
	delta U
	// moves are the times at which the first slot of a leaf has become part of
	// the last one of the leaf before.
	moves [2]bookahead.Time
	moved int
}

// add changes what is free throughout w by delta, in one pass down the tree.
// O(log v).
func (p *profile[U]) add(w bookahead.Interval, delta U) {
	u := update[U]{Interval: w, delta: delta}
	p.prepareRoot()
	p.apply(step[U]{nd: p.root, end: bookahead.MaxTime}, &u, true, true)
	for _, t := range u.moves[:u.moved] {
		p.unknow(t) // it is longer than the index knows
	}
}

// apply makes an update in all that is below a node, which is owned and has room
// for two entries. first and last tell which edges of the update lie there.
// It returns what has changed.
func (p *profile[U]) apply(s step[U], u *update[U], first, last bool) extent[U] {
	nd := s.nd
	if nd.inner == nil {
		if last {
			p.edge(s, u, u.End, -u.delta)
		}
		if first {
			p.edge(s, u, u.Start, u.delta)
		}
		return nd.shift(u, s.acc)
	}
	if last {
		p.prepare(s, u.End)
	}
	i := -1
	if first {
		i = p.prepare(s, u.Start)
	}
	j := nd.n
	if last {
		j = nd.at(u.End)
	}
	if i == j {
		return p.applyTo(s, i, u, true, true)
	}
	changed := extent[U]{1, 0}
	if last {
		changed = p.applyTo(s, j, u, false, true)
	}
	if first {
		changed = changed.with(p.applyTo(s, i, u, true, false))
	}
	for k := i + 1; k < j; k++ {
		nd.low[k] += u.delta
		nd.high[k] += u.delta
		nd.add[k] += u.delta
		e := extent[U]{nd.low[k] + s.acc, nd.high[k] + s.acc}
		nd.runs.mark(k, s.acc, e, u.delta)
		changed = changed.with(e)
	}
	return changed
}

// applyTo is apply for kid i, which is prepared, and brings what is known of it
// up to date.
func (p *profile[U]) applyTo(s step[U], i int, u *update[U], first, last bool) extent[U] {
	nd := s.nd
	moved := u.moved
	e := p.apply(step[U]{nd.kid[i], 0, s.acc + nd.add[i], nd.end(i, s.end)}, u, first, last)
	low, high := nd.low[i]+s.acc, nd.high[i]+s.acc
	if e.low <= e.high {
		nd.low[i], nd.high[i] = min(low, e.low)-s.acc, max(high, e.high)-s.acc
		nd.runs.mark(i, s.acc, e, u.delta)
	}
	if u.moved > moved {
		nd.runs.unknow(i)
	}
	if u.moved > moved || u.delta < 0 && e.high-u.delta == high || u.delta > 0 && e.low-u.delta == low {
		nd.describe(i, s.acc) // what was the least or the most may be so no more
	}
	return e
}

// edge makes an entry of a leaf start at t, where what is free changes by delta
// more than before it; or takes away the one that does, if that makes both sides
// equal. The last edge of an update comes before the first.
func (p *profile[U]) edge(s step[U], u *update[U], t bookahead.Time, delta U) {
	nd := s.nd
	i := nd.at(t)
	switch {
	case nd.start[i] != t:
		nd.open(i+1, 1)
		nd.start[i+1], nd.low[i+1] = t, nd.low[i]
	case i > 0 && nd.low[i-1] == nd.low[i]+delta:
		nd.cut(i, i+1)
	case i == 0 && p.root.start[0] < t && p.at(t-1) == nd.low[i]+s.acc+delta:
		nd.cut(i, i+1)
		u.moves[u.moved] = t
		u.moved++
	}
}

// shift makes an update of a leaf that has entries at its edges, but for those
// that are to become part of the entry before. It returns what has changed.
func (nd *node[U]) shift(u *update[U], acc U) extent[U] {
	changed := extent[U]{1, 0}
	i := nd.at(u.Start)
	if nd.start[i] < u.Start { // what was taken away is part of it
		changed = extent[U]{nd.low[i] + acc, nd.low[i] + acc}
		i++
	}
	for ; i < nd.n && nd.start[i] < u.End; i++ {
		nd.low[i] += u.delta
		changed = changed.with(extent[U]{nd.low[i] + acc, nd.low[i] + acc})
	}
	return changed
}

// extent is the least and the most that is free in something. In nothing, the
// least is above the most.
type extent[U units] struct{ low, high U }

func (e extent[U]) with(o extent[U]) extent[U] {
	switch {
	case e.low > e.high:
		return o
	case o.low > o.high:
		return e
	}
	return extent[U]{min(e.low, o.low), max(e.high, o.high)}
}

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

// describe brings what entry i says of its kid up to date.
func (nd *node[U]) describe(i int, acc U) {
	low, high := nd.kid[i].extremes(acc + nd.add[i])
	nd.start[i], nd.low[i], nd.high[i] = nd.kid[i].start[0], low-acc, high-acc
}

// unknow says that of the leaf that contains t no run is known any more.
func (p *profile[U]) unknow(t bookahead.Time) {
	p.root = p.own(p.root)
	for nd := p.root; nd.inner != nil; {
		i := nd.at(t)
		nd.runs.unknow(i)
		nd.kid[i] = p.own(nd.kid[i])
		nd = nd.kid[i]
	}
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
