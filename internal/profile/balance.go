package profile

// Before an update enters a node, the node must have room for two more entries, one for each
// edge, and two entries to lose. A kid that is too full or too thin is levelled with a neighbour,
// joined to it, or divided. With a Width of 106, a kid of 105 entries is full and a kid of 38 is
// thin:
//
//	kid   neighbour                         kids after
//	105    60   together    165   level     82 83
//	105    90   would fill two    divide    52 53 90
//	 30    80   more than one     level     55 55
//	 30    45   fit in one        join      75
//
// This is done on the way down, so that an update needs no way back up. The bounds of an entry
// hold for the entries of its kid. Wherever entries move to another kid, the bounds of both kids
// are unlearnt. TestRelieveByHand runs the table.

// prepareRoot readies the root for an update. It is the only place where the tree grows higher: a
// full root becomes the only kid of a new root, and is divided there.
func (p *Tree[U]) prepareRoot() {
	p.root = p.own(p.root)
	p.lower()
	if p.full(p.root) {
		kid := p.root
		p.root = p.newInner()
		p.height++
		p.root.n, p.root.kid[0] = 1, kid
		p.root.countFrom(kid.start(0), 0)
		p.root.refresh(0, 0)
		p.divide(p.root, 0, 0)
	}
}

// lower removes roots with one kid. The add of such a root goes into the numbers of the kid, as
// no entry is left above the kid to hold it.
func (p *Tree[U]) lower() {
	for p.root.inner != nil && p.root.n == 1 {
		// A clone may share the root and the kid. The tree writes to both, so it owns both first.
		root := p.own(p.root)
		kid := p.own(root.kid[0])
		kid.fold(root.add[0])
		p.root = kid
		p.height--
		p.recycle(root)
		if kid.inner == nil {
			p.leaves, p.inners = nil, nil // a small tree keeps no spare nodes
		}
	}
}

// prepare readies kid i for an update, and reports whether entries have moved.
func (p *Tree[U]) prepare(s spot[U], i int) bool {
	kid := s.nd.kid[i]
	if kid.owner != p.owner {
		kid = p.own(kid)
		s.nd.kid[i] = kid
	}
	if p.full(kid) || p.thin(kid) && s.nd.n > 1 {
		p.relieve(s.nd, i, s.acc)
		return true
	}
	return false
}

// full reports whether a node has no room for two more entries, and thin whether it has too few
// to stand alone. Two nodes that have been levelled are neither: otherwise prepare would relieve
// them again and again.
func (p *Tree[U]) full(nd *node[U]) bool { return nd.n > p.Width-2 }
func (p *Tree[U]) thin(nd *node[U]) bool { return nd.n < p.Width*3/8 }

// fitInOne reports whether two nodes fit in one that still has room for more.
func (p *Tree[U]) fitInOne(a, b *node[U]) bool { return a.n+b.n <= p.Width*3/4 }

// fillTwo reports whether two nodes would be full, or nearly so, after levelling. Nearly full
// nodes would soon have to be relieved again.
func (p *Tree[U]) fillTwo(a, b *node[U]) bool { return a.n+b.n > 2*(p.Width-2)-p.Width/4 }

// relieve mends kid i, which is too full or too thin, with the help of the neighbour that has
// fewer entries. The kids that change are owned afterwards.
//
// The adds of both kids go into their numbers first, because entries can only move between nodes
// of one frame (see fold).
func (p *Tree[U]) relieve(nd *node[U], i int, acc U) {
	// The neighbour with fewer entries: a full kid finds more room there, and a thin kid is more
	// likely to be joined to it.
	other := i + 1
	if other == nd.n || i > 0 && nd.kid[i-1].n < nd.kid[other].n {
		other = i - 1
	}
	if nd.n == 1 || p.fillTwo(nd.kid[i], nd.kid[other]) {
		p.divide(nd, i, acc)
		return
	}
	left := min(i, other)
	a, b := p.own(nd.kid[left]), p.own(nd.kid[left+1])
	nd.kid[left], nd.kid[left+1] = a, b
	a.fold(nd.add[left])
	b.fold(nd.add[left+1])
	nd.add[left], nd.add[left+1] = 0, 0
	if p.fitInOne(a, b) {
		b.move(0, b.n, a, a.n)
		p.recycle(b)
		nd.remove(left+1, left+2)
	} else {
		// Level: entries cross the edge between the two until each has half of them. They stay in order.
		half := (a.n + b.n) / 2
		if a.n > half {
			a.move(half, a.n, b, 0)
		} else {
			b.move(0, half-a.n, a, a.n)
		}
		nd.refresh(left+1, acc)
		nd.learnt().unlearn(left + 1)
	}
	nd.refresh(left, acc)
	nd.learnt().unlearn(left)
}

// divide moves the upper half of kid i, which is owned, to a new kid. The new kid has the same
// add, so that both halves keep their frame.
func (p *Tree[U]) divide(nd *node[U], i int, acc U) {
	kid, right := nd.kid[i], p.newLike(nd.kid[i])
	kid.move(kid.n/2, kid.n, right, 0)
	nd.insert(i+1, 1)
	nd.kid[i+1], nd.add[i+1] = right, nd.add[i]
	nd.refresh(i, acc)
	nd.refresh(i+1, acc)
	nd.learnt().unlearn(i)
	nd.learnt().unlearn(i + 1)
}

// own returns the node if the tree owns it, and a copy if a clone shares it. Searches of the
// clone may write bounds to the node while it is copied.
func (p *Tree[U]) own(nd *node[U]) *node[U] {
	if nd.owner == p.owner {
		return nd
	}
	c := p.newLike(nd)
	c.n = nd.n
	c.copyStarts(&nd.starts, nd.n)
	copy(c.low[:nd.n], nd.low[:])
	if nd.inner != nil {
		copy(c.high[:nd.n], nd.high[:])
		copy(c.add[:nd.n], nd.add[:])
		copy(c.kid[:nd.n], nd.kid[:])
		c.copyBounds(0, nd, 0, nd.n)
	}
	return c
}

func (p *Tree[U]) newLike(nd *node[U]) *node[U] {
	if nd.inner == nil {
		return p.newLeaf()
	}
	return p.newInner()
}

// newLeaf returns an empty leaf.
func (p *Tree[U]) newLeaf() *node[U] {
	n := len(p.leaves)
	if n > 0 {
		nd := p.leaves[n-1]
		p.leaves, nd.owner = p.leaves[:n-1], p.owner
		return nd
	}
	return &node[U]{owner: p.owner}
}

// newInner returns an empty inner node.
func (p *Tree[U]) newInner() *node[U] {
	n := len(p.inners)
	if n > 0 {
		nd := p.inners[n-1]
		p.inners, nd.owner = p.inners[:n-1], p.owner
		return nd
	}
	return &node[U]{owner: p.owner, inner: new(inner[U])}
}

// mostSpare limits the spare leaves, and the spare inner nodes, that a tree keeps for later.
const mostSpare = 64

// recycle keeps an owned node for later. newInner returns spare nodes as they are, so recycle
// clears the kids, the adds and the bounds; an empty node has no upper half of its starts.
func (p *Tree[U]) recycle(nd *node[U]) {
	nd.n, nd.upper = 0, nil
	switch {
	case nd.inner == nil && len(p.leaves) < mostSpare:
		p.leaves = append(p.leaves, nd)
	case nd.inner != nil && len(p.inners) < mostSpare:
		clear(nd.kid[:])
		clear(nd.add[:])
		nd.index.Store(nil)
		p.inners = append(p.inners, nd)
	}
}

// recycleAll recycles the owned nodes of a subtree. A tree owns nodes from the root down, so
// below a node of another owner it owns none.
func (p *Tree[U]) recycleAll(nd *node[U]) {
	if nd.owner != p.owner {
		return
	}
	if nd.inner != nil {
		for _, kid := range nd.kid[:nd.n] {
			p.recycleAll(kid)
		}
	}
	p.recycle(nd)
}
