package profile

import "github.com/bookahead/bookahead"

// update is a change of the free units throughout an interval, on its one pass down the tree. It
// splits a step at each edge, and adds to all steps between. Of the entries of an inner node, the
// update enters the two that contain an edge. The entries between take the change as a whole:
//
//	update           12                      45
//	                 ├───────────────────────┤         -1 unit
//	entries  |    0    |    20   |    30   |    40    |
//	           entered   add -1    add -1    entered
//
// The edge at the end comes first everywhere. The edge at the start may insert or remove an entry
// before it, and its index j would be wrong from then on:
//
//	start    0  10  20  30         edges at 12 and 25: i = 1, j = 2
//	at 25    0  10  20  25  30     i is still 1
//	at 12    0  10  12  20  25  30
type update[U Units] struct {
	bookahead.Interval
	delta U
	found *cursor[U] // has been at the start, or nil
	// moves are the times at which the first step of a leaf has become part of the last step of
	// the leaf before: one for each edge at most.
	moves [2]bookahead.Time
	moved int
}

func (p *Tree[U]) update(u update[U]) {
	if u.found == nil && p.height >= tall {
		var c cursor[U]
		p.seekFor(&c, u.Start, u.End)
		u.found = &c
	}
	p.owner.Renew()
	p.prepareRoot()
	p.apply(spot[U]{nd: p.root, end: bookahead.MaxTime}, 0, &u, true, true)
	for _, t := range u.moves[:u.moved] {
		p.unlearn(t) // the leaf before ends later now than its bounds say
	}
}

// apply makes an update below a node of a level. The node is owned and has room for two more
// entries. hasStart and hasEnd say which edges of the update lie below it. apply returns the
// minmax of the changed steps.
func (p *Tree[U]) apply(s spot[U], level int, u *update[U], hasStart, hasEnd bool) minmax[U] {
	nd := s.nd
	i, j := nd.edges(u, level, hasStart, hasEnd)
	if nd.inner == nil {
		return p.applyHere(s, u, i, j, hasStart, hasEnd)
	}
	for {
		moved := p.prepareEdges(s, i, j, hasStart, hasEnd)
		if !moved {
			break
		}
		i, j = nd.edges(u, level, hasStart, hasEnd)
	}
	if hasStart && hasEnd && i == j {
		return p.applyTo(s, i, level, u, true, true)
	}
	changed := empty[U]()
	if hasEnd {
		changed = p.applyTo(s, j, level, u, false, true)
	}
	if hasStart {
		changed = changed.with(p.applyTo(s, i, level, u, true, false))
		i++
	}
	if i == j {
		return changed
	}
	// The entries between the edges: the whole of each is covered, so the change stays pending in add.
	addTo(nd.add[i:j], u.delta, 0)
	low, _ := addTo(nd.low[i:j], u.delta, s.acc)
	_, high := addTo(nd.high[i:j], u.delta, s.acc)
	learnt := nd.learnt()
	if learnt != nil {
		for ; i < j; i++ {
			learnt.changed(i, s.acc, minmax[U]{nd.low[i] + s.acc, nd.high[i] + s.acc}, u.delta)
		}
	}
	return changed.with(minmax[U]{low, high})
}

// prepareEdges readies the kids that contain an edge, and reports whether entries have moved. If
// they have, the edges must be found again, and the other kid may need another look: it may have
// given entries away, or be a new node.
func (p *Tree[U]) prepareEdges(s spot[U], i, j int, hasStart, hasEnd bool) bool {
	if hasStart {
		moved := p.prepare(s, i)
		if moved {
			return true
		}
	}
	if !hasEnd {
		return false
	}
	return p.prepare(s, j)
}

// applyTo is apply for kid i, which is ready. It then brings the entry of the kid up to date.
func (p *Tree[U]) applyTo(s spot[U], i, level int, u *update[U], hasStart, hasEnd bool) minmax[U] {
	nd := s.nd
	moved := u.moved
	e := p.apply(s.below(i), level+1, u, hasStart, hasEnd)
	low, high := nd.low[i]+s.acc, nd.high[i]+s.acc
	if !e.empty() {
		nd.low[i], nd.high[i] = min(low, e.low)-s.acc, max(high, e.high)-s.acc
		nd.learnt().changed(i, s.acc, e, u.delta)
	}
	if u.moved > moved {
		nd.learnt().unlearn(i)
	}
	// If steps that have changed held the most units of the entry, the most may be fewer now, and
	// any step of the kid may have it. The same goes for the least when units are given back:
	//
	//	-2 over the second    4 5 3     after   4 3 3     the most was 5, and is 4 now
	//	-2 over the third     4 5 3     after   4 5 1     the most is still 5; the least is 1
	lost := !e.empty() && (u.delta < 0 && e.high-u.delta == high || u.delta > 0 && e.low-u.delta == low)
	if u.moved > moved || lost {
		nd.refresh(i, s.acc)
	}
	return e
}

// applyHere is apply for a leaf. It readies both edges, and adds to the steps between.
func (p *Tree[U]) applyHere(s spot[U], u *update[U], i, j int, hasStart, hasEnd bool) minmax[U] {
	nd := s.nd
	changed := empty[U]()
	if hasEnd {
		p.edge(s, u, j, u.End, -u.delta)
	}
	if hasStart {
		p.edge(s, u, i, u.Start, u.delta)
		// Where the edge has removed the step that started there, that stretch is part of the
		// step before, and has its new number already. But for the nodes above it is a change:
		//
		//	before   3 | 5 | 1       -2 over the 5       after   3     | 1
		i = nd.entryFrom(max(i-1, 0), u.Start)
		if nd.start(i) < u.Start {
			changed = minmax[U]{nd.low[i] + s.acc, nd.low[i] + s.acc}
			i++
		}
	}
	// The steps from the edge at the start to the edge at the end.
	until := nd.startsBefore(u.End, i)
	if i < until {
		low, high := addTo(nd.low[i:until], u.delta, s.acc)
		changed = changed.with(minmax[U]{low, high})
	}
	return changed
}

// edges returns the entries of a node that contain the edges of an update: entry 0 and the number
// of entries for edges that lie elsewhere.
//
// A search that has found the start remembers its way there, and edges looks from that entry on.
// That is right even if entries have moved since: any entry of this node that starts at u.Start
// or before will do, as the entry that contains u.Start is this one or a later one.
func (nd *node[U]) edges(u *update[U], level int, hasStart, hasEnd bool) (i, j int) {
	if hasStart {
		i = -1
		if u.found != nil {
			s := &u.found.path[level]
			if s.nd == nd && s.i < nd.n && nd.start(s.i) <= u.Start {
				i = nd.entryFrom(s.i, u.Start)
			}
		}
		if i < 0 {
			i = nd.entryAt(u.Start)
		}
	}
	if !hasEnd {
		return i, nd.n
	}
	return i, nd.entryFrom(i, u.End)
}

// edge makes a step of a leaf start at t, which lies in entry i. The update will change the units
// from t on by delta more than the units before t. If that makes both sides equal, the step that
// starts at t already is removed instead, even if it is the first of the leaf:
//
//	start  0  10  20     edge at 12, delta -1     0  10  12  20
//	free   4   1   3                              4   1   1   3    12 goes to 0 when the update adds -1
//
//	start  0  10  20     edge at 20, delta -2     0  10
//	free   4   1   3     3-2 is 1 as well         4   1            no step is left at 20
func (p *Tree[U]) edge(s spot[U], u *update[U], i int, t bookahead.Time, delta U) {
	nd := s.nd
	switch {
	case nd.start(i) != t:
		nd.insert(i+1, 1)
		nd.setStart(i+1, t)
		nd.low[i+1] = nd.low[i]
	case i > 0 && nd.low[i-1] == nd.low[i]+delta:
		nd.remove(i, i+1)
	case i == 0 && p.root.start(0) < t && p.freeAt(t-1) == nd.low[i]+s.acc+delta:
		nd.remove(i, i+1)
		u.moves[u.moved] = t
		u.moved++
	}
}

// minmax holds the least and the most free units of some steps. If there are no steps, low is
// above high.
type minmax[U Units] struct{ low, high U }

func empty[U Units]() minmax[U] { return minmax[U]{1, 0} }

func (e minmax[U]) empty() bool { return e.low > e.high }

func (e minmax[U]) with(o minmax[U]) minmax[U] {
	switch {
	case e.empty():
		return o
	case o.empty():
		return e
	}
	return minmax[U]{min(e.low, o.low), max(e.high, o.high)}
}

// unlearn makes the bounds of the entries above the leaf that contains t unknown, because that
// leaf, and nodes above it, end later than before. A clone may share these nodes, and knows only
// their old end, so the tree owns all of them first.
func (p *Tree[U]) unlearn(t bookahead.Time) {
	p.root = p.own(p.root)
	for nd := p.root; nd.inner != nil; {
		i := nd.entryAt(t)
		nd.learnt().unlearn(i)
		nd.kid[i] = p.own(nd.kid[i])
		nd = nd.kid[i]
	}
}
