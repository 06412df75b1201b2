package carts

import "github.com/bookahead/bookahead"

// update is a change of the free units throughout an interval.
type update[U units] struct {
	bookahead.Interval
	delta U
	found *cursor[U] // has been at the start, if known
	// moves are the times at which the first slot of a leaf has become part of
	// the last one of the leaf before.
	moves [2]bookahead.Time
	moved int
}

// add changes the free units throughout w by delta, in one pass down the tree.
// O(log v).
func (p *profile[U]) add(w bookahead.Interval, delta U) {
	p.update(update[U]{Interval: w, delta: delta})
}

func (p *profile[U]) update(u update[U]) {
	p.owner.Renew()
	p.prepareRoot()
	p.apply(step[U]{nd: p.root, end: bookahead.MaxTime}, 0, &u, true, true)
	for _, t := range u.moves[:u.moved] {
		p.unknow(t) // it is longer than the index knows
	}
}

// apply makes an update in all that is below a node of a level, which is owned
// and has room for two entries. first and last say which edges of the update lie
// there. It returns the extent of the change.
func (p *profile[U]) apply(s step[U], level int, u *update[U], first, last bool) extent[U] {
	nd := s.nd
	i, j := nd.edges(u, level, first, last)
	if nd.inner == nil {
		return p.applyHere(s, u, i, j, first, last)
	}
	for first && p.prepare(s, i) || last && p.prepare(s, j) {
		i, j = nd.edges(u, level, first, last) // entries have moved
	}
	if first && last && i == j {
		return p.applyTo(s, i, level, u, true, true)
	}
	changed := extent[U]{1, 0}
	if last {
		changed = p.applyTo(s, j, level, u, false, true)
	}
	if first {
		changed = changed.with(p.applyTo(s, i, level, u, true, false))
		i++
	}
	for ; i < j; i++ {
		nd.low[i] += u.delta
		nd.high[i] += u.delta
		nd.add[i] += u.delta
		e := extent[U]{nd.low[i] + s.acc, nd.high[i] + s.acc}
		nd.learnt().changed(i, s.acc, e, u.delta)
		changed = changed.with(e)
	}
	return changed
}

// applyTo is apply for kid i, which is prepared, and brings the entry of the kid up to
// date.
func (p *profile[U]) applyTo(s step[U], i, level int, u *update[U], first, last bool) extent[U] {
	nd := s.nd
	moved := u.moved
	e := p.apply(step[U]{nd.kid[i], 0, s.acc + nd.add[i], nd.end(i, s.end)}, level+1, u, first, last)
	low, high := nd.low[i]+s.acc, nd.high[i]+s.acc
	if e.low <= e.high {
		nd.low[i], nd.high[i] = min(low, e.low)-s.acc, max(high, e.high)-s.acc
		nd.learnt().changed(i, s.acc, e, u.delta)
	}
	if u.moved > moved {
		nd.learnt().unlearn(i)
	}
	if u.moved > moved || u.delta < 0 && e.high-u.delta == high || u.delta > 0 && e.low-u.delta == low {
		nd.describe(i, s.acc) // the least or the most may have changed
	}
	return e
}

// applyHere is apply for a leaf. An entry that was taken away at the first edge is part of
// the entry before, which is right already.
func (p *profile[U]) applyHere(s step[U], u *update[U], i, j int, first, last bool) extent[U] {
	nd := s.nd
	changed := extent[U]{1, 0}
	if last {
		p.edge(s, u, j, u.End, -u.delta)
	}
	if first {
		p.edge(s, u, i, u.Start, u.delta)
		i = nd.from(max(i-1, 0), u.Start)
		if nd.start(i) < u.Start {
			changed = extent[U]{nd.low[i] + s.acc, nd.low[i] + s.acc}
			i++
		}
	}
	for until := nd.before(u.End, i); i < until; i++ {
		nd.low[i] += u.delta
		changed = changed.with(extent[U]{nd.low[i] + s.acc, nd.low[i] + s.acc})
	}
	return changed
}

// edges returns the entries of a node in which the edges of an update lie: the
// first and one beyond the last if they lie elsewhere.
func (nd *node[U]) edges(u *update[U], level int, first, last bool) (i, j int) {
	if first {
		i = -1
		if u.found != nil {
			s := &u.found.path[level]
			if s.nd == nd && s.i < nd.n && nd.start(s.i) <= u.Start {
				i = nd.from(s.i, u.Start)
			}
		}
		if i < 0 {
			i = nd.at(u.Start)
		}
	}
	if !last {
		return i, nd.n
	}
	return i, nd.from(i, u.End)
}

// from returns the entry that contains t, which is entry i or a later one.
func (nd *node[U]) from(i int, t bookahead.Time) int { return nd.starts.from(i, t, nd.n) }

// before returns how many entries start before t, of which there are i at least.
func (nd *node[U]) before(t bookahead.Time, i int) int {
	switch {
	case i > 0:
		return nd.from(i-1, t-1) + 1
	case nd.start(0) < t:
		return nd.from(0, t-1) + 1
	}
	return 0
}

// edge makes an entry of a leaf start at t, where the free units change by delta
// more than before t; or takes away the entry that starts at t, if the change makes both
// sides equal. t lies in entry i. The last edge of an update comes before the first.
func (p *profile[U]) edge(s step[U], u *update[U], i int, t bookahead.Time, delta U) {
	nd := s.nd
	switch {
	case nd.start(i) != t:
		nd.open(i+1, 1)
		nd.setStart(i+1, t)
		nd.low[i+1] = nd.low[i]
	case i > 0 && nd.low[i-1] == nd.low[i]+delta:
		nd.cut(i, i+1)
	case i == 0 && p.root.start(0) < t && p.at(t-1) == nd.low[i]+s.acc+delta:
		nd.cut(i, i+1)
		u.moves[u.moved] = t
		u.moved++
	}
}

// extent holds the least and the most free units of some slots. Without slots, the least is
// above the most.
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

// at returns the free units at t.
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

// describe brings entry i up to date with its kid.
func (nd *node[U]) describe(i int, acc U) {
	low, high := nd.kid[i].extremes(acc + nd.add[i])
	nd.setStart(i, nd.kid[i].start(0))
	nd.low[i], nd.high[i] = low-acc, high-acc
}

// unknow says that no run of the leaf that contains t is known any more.
func (p *profile[U]) unknow(t bookahead.Time) {
	p.root = p.own(p.root)
	for nd := p.root; nd.inner != nil; {
		i := nd.at(t)
		nd.learnt().unlearn(i)
		nd.kid[i] = p.own(nd.kid[i])
		nd = nd.kid[i]
	}
}

// Forget drops the leaves that end by now.
func (p *profile[U]) Forget(now bookahead.Time) {
	p.owner.Renew()
	for nd := p.root; nd.inner != nil; nd = nd.kid[0] {
		if nd.n > 1 && nd.start(1) <= now {
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
	nd.countFrom(nd.start(0), nd.n)
	nd.learnt().unlearn(0) // it begins later than the index knows
}
