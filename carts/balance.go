package carts

// How nodes are kept from growing too full or too empty: before an update enters a
// node, it levels or joins it with a neighbour, or divides it.
//
//	full    ████████ ██████   level   ███████ ███████
//	full    ████████ ███████  divide  ████ ████ ███████
//	thin    ██ ███████        level   ████▌ ████▌
//	thin    ██ ████           join    ██████

// prepareRoot readies the root for an update.
func (p *profile[U]) prepareRoot() {
	p.root = p.own(p.root)
	p.lower()
	if p.full(p.root) {
		kid := p.root
		p.root = p.newInner()
		p.root.n, p.root.kid[0] = 1, kid
		p.root.countFrom(kid.start(0), 0)
		p.root.describe(0, 0)
		p.divide(p.root, 0, 0)
	}
}

// prepare readies kid i for an update: one that is too full is divided, and one
// that is too empty is joined to another, so that it has room for two entries and
// can lose two. It reports whether entries have moved.
func (p *profile[U]) prepare(s step[U], i int) bool {
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

// A node may have no room for two entries more, or be so empty that it should not
// stand alone. Two nodes that are levelled are neither.
func (p *profile[U]) full(nd *node[U]) bool { return nd.n > p.width-2 }
func (p *profile[U]) thin(nd *node[U]) bool { return nd.n < p.width*3/8 }

// fitInOne tells whether two nodes are to become one, with room for more.
func (p *profile[U]) fitInOne(a, b *node[U]) bool { return a.n+b.n <= p.width*3/4 }

// fillTwo tells whether two nodes would be full, or nearly so, if they were
// levelled.
func (p *profile[U]) fillTwo(a, b *node[U]) bool { return a.n+b.n > 2*(p.width-2)-p.width/4 }

// lower takes away roots with one kid.
func (p *profile[U]) lower() {
	for p.root.inner != nil && p.root.n == 1 {
		root := p.own(p.root)
		kid := p.own(root.kid[0])
		kid.fold(root.add[0])
		p.root = kid
		p.spare(root)
		if kid.inner == nil {
			p.leaves, p.inners = nil, nil // a small tree holds no more than it needs
		}
	}
}

// relieve mends kid i, which is too full or too empty, with the help of a
// neighbour, or divides it. It leaves the kids that it touches owned.
func (p *profile[U]) relieve(nd *node[U], i int, acc U) {
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
		p.spare(b)
		nd.cut(left+1, left+2)
	} else {
		half := (a.n + b.n) / 2
		if a.n > half {
			a.move(half, a.n, b, 0)
		} else {
			b.move(0, half-a.n, a, a.n)
		}
		nd.describe(left+1, acc)
		nd.learnt().unlearn(left + 1)
	}
	nd.describe(left, acc)
	nd.learnt().unlearn(left)
}

// divide makes two kids of kid i, which is owned.
func (p *profile[U]) divide(nd *node[U], i int, acc U) {
	kid, right := nd.kid[i], p.newLike(nd.kid[i])
	kid.move(kid.n/2, kid.n, right, 0)
	nd.open(i+1, 1)
	nd.kid[i+1], nd.add[i+1] = right, nd.add[i]
	nd.describe(i, acc)
	nd.describe(i+1, acc)
	nd.learnt().unlearn(i)
	nd.learnt().unlearn(i + 1)
}

// fold adds to all that is in the node.
func (nd *node[U]) fold(add U) {
	if add == 0 {
		return
	}
	for i := range nd.n {
		nd.low[i] += add
		if nd.inner != nil {
			nd.high[i] += add
			nd.add[i] += add
		}
	}
	if nd.inner != nil {
		nd.learnt().fold(add)
	}
}

// open makes room for n entries at i.
func (nd *node[U]) open(i, n int) {
	nd.shiftStarts(i, i+n, nd.n)
	copy(nd.low[i+n:], nd.low[i:nd.n])
	if nd.inner != nil {
		copy(nd.high[i+n:], nd.high[i:nd.n])
		copy(nd.add[i+n:], nd.add[i:nd.n])
		copy(nd.kid[i+n:], nd.kid[i:nd.n])
		nd.learnt().insert(i, n, nd.n)
	}
	nd.n += n
}

// cut takes the entries [i, j) away.
func (nd *node[U]) cut(i, j int) {
	nd.shiftStarts(j, i, nd.n)
	copy(nd.low[i:], nd.low[j:nd.n])
	if nd.inner != nil {
		copy(nd.high[i:], nd.high[j:nd.n])
		copy(nd.add[i:], nd.add[j:nd.n])
		copy(nd.kid[i:], nd.kid[j:nd.n])
		clear(nd.kid[nd.n-(j-i) : nd.n])
		nd.learnt().remove(i, j, nd.n)
	}
	nd.n -= j - i
}

// move moves the entries [i, j) to another node, in front of entry k.
func (nd *node[U]) move(i, j int, to *node[U], k int) {
	if k == 0 {
		to.countFrom(nd.start(i), to.n)
	}
	to.open(k, j-i)
	for m := range j - i {
		to.setStart(k+m, nd.start(i+m))
	}
	copy(to.low[k:], nd.low[i:j])
	if nd.inner != nil {
		copy(to.high[k:], nd.high[i:j])
		copy(to.add[k:], nd.add[i:j])
		copy(to.kid[k:], nd.kid[i:j])
		to.copyBounds(k, nd, i, j)
	}
	nd.cut(i, j)
	if nd.n > 0 {
		nd.countFrom(nd.start(0), nd.n)
	}
}

// own returns the node, or a copy if it is shared with a clone.
func (p *profile[U]) own(nd *node[U]) *node[U] {
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

func (p *profile[U]) newLike(nd *node[U]) *node[U] {
	if nd.inner == nil {
		return p.newLeaf()
	}
	return p.newInner()
}

// newLeaf returns an empty leaf.
func (p *profile[U]) newLeaf() *node[U] {
	n := len(p.leaves)
	if n > 0 {
		nd := p.leaves[n-1]
		p.leaves, nd.owner = p.leaves[:n-1], p.owner
		return nd
	}
	return &node[U]{owner: p.owner}
}

// newInner returns an empty inner node.
func (p *profile[U]) newInner() *node[U] {
	n := len(p.inners)
	if n > 0 {
		nd := p.inners[n-1]
		p.inners, nd.owner = p.inners[:n-1], p.owner
		return nd
	}
	return &node[U]{owner: p.owner, inner: new(inner[U])}
}

// mostSpare is how many leaves, and how many inner nodes, are kept for later.
const mostSpare = 64

// spare keeps an owned node for later.
func (p *profile[U]) spare(nd *node[U]) {
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

// discard drops a subtree, and keeps what is owned of it for later.
func (p *profile[U]) discard(nd *node[U]) {
	if nd.inner != nil {
		for _, kid := range nd.kid[:nd.n] {
			p.discard(kid)
		}
	}
	if nd.owner == p.owner {
		p.spare(nd)
	}
}
