package spans

// A full node is divided before a span is added below it. Two neighbours with few entries
// together are joined. Here the width is 8, so 6 entries are few:
//
//	divide   ████████           ████ ████
//	         ████████◂          ███████ █◂      a span that comes behind all others
//	join     ███ ███            ██████
//
// Spans that come in the order of their starts fill one node after the other, as each comes after
// all others. A node that was divided or joined can be joined or divided again only after a
// quarter of width of further changes.

// setWidth gives an index without a root the usual width, unless a test has set one.
func (x *Index) setWidth() {
	if x.width == 0 {
		x.width = fanout
	}
}

// few returns how many entries of two neighbours fit into one node with room to spare.
func (x *Index) few() int { return x.width * 3 / 4 }

func (x *Index) newLeaf() *node  { return &node{owner: x.owner} }
func (x *Index) newInner() *node { return &node{owner: x.owner, inner: new(inner)} }

func (x *Index) newLike(nd *node) *node {
	if nd.inner == nil {
		return x.newLeaf()
	}
	return x.newInner()
}

// ownNode returns the node, or a copy if a clone shares it.
func (x *Index) ownNode(nd *node) *node {
	if nd.owner == x.owner {
		return nd
	}
	c := x.newLike(nd)
	c.put(nd, 0, nd.n)
	return c
}

// own makes kid i of an owned node owned, and returns it.
func (x *Index) own(nd *node, i int) *node {
	kid := nd.kid[i]
	if kid.owner != x.owner {
		kid = x.ownNode(kid)
		nd.kid[i] = kid
	}
	return kid
}

// grow puts a new root above a root that is full and owned, and divides the old one for s.
func (x *Index) grow(s Span) {
	root := x.newInner()
	root.n, root.kid[0] = 1, x.root
	root.refresh(0)
	x.root = root
	x.divide(root, 0, s)
}

// lower removes roots with one kid, and a root without entries.
func (x *Index) lower() {
	for x.root.inner != nil && x.root.n == 1 {
		x.root = x.root.kid[0]
	}
	if x.root.n == 0 {
		x.root = nil
	}
}

// divide makes two kids of kid i, which is full and owned: two halves, or, if s belongs after all
// its entries, all but the last entry and the last entry alone.
func (x *Index) divide(nd *node, i int, s Span) {
	kid := nd.kid[i]
	at := kid.n / 2
	if kid.upTo(s) == kid.n {
		at = kid.n - 1
	}
	right := x.newLike(kid)
	right.put(kid, at, kid.n)
	kid.shift(kid.n, at)
	nd.shift(i, i+1)
	nd.kid[i+1] = right
	nd.refresh(i)
	nd.refresh(i + 1)
}

// settle joins neighbours among the kids of an owned node that have few entries together: kids i
// and i+1, and so on up to kids j and j+1, as far as there are such kids.
func (x *Index) settle(nd *node, i, j int) {
	for k := max(i, 0); k <= j && k+1 < nd.n; {
		if int(nd.size[k])+int(nd.size[k+1]) > x.few() {
			k++
			continue
		}
		x.join(nd, k)
		j--
	}
}

// join moves the entries of kid i+1 to kid i. If both are inner nodes, the last kid of the one
// and the first kid of the other become neighbours, and are joined if they have few entries
// together. So the result may have one entry less than both had, but no fewer than either had.
func (x *Index) join(nd *node, i int) {
	left, right := x.own(nd, i), nd.kid[i+1]
	seam := left.n
	left.put(right, 0, right.n)
	if left.inner != nil {
		x.settle(left, seam-1, seam-1)
	}
	nd.end[i], nd.soonest[i] = max(nd.end[i], nd.end[i+1]), min(nd.soonest[i], nd.soonest[i+1])
	nd.size[i] = uint8(left.n)
	nd.shift(i+2, i+1)
}
