package spans

import "github.com/bookahead/bookahead"

// Forget takes out the spans that end at now or before. O(1) if there are none, and O(log n) for
// each span.
func (x *Index) Forget(now bookahead.Time) {
	if x.root == nil || x.soonest > now {
		return
	}
	x.owner.Renew()
	x.root = x.ownNode(x.root)
	x.forget(x.root, now)
	x.lower()
	if x.root != nil {
		_, x.soonest = x.root.extremes()
	}
}

// forget is Forget below a node that is owned.
func (x *Index) forget(nd *node, now bookahead.Time) {
	kept := 0
	for i := range nd.n {
		switch {
		case nd.end[i] <= now:
			x.n -= nd.count(i)
			continue
		case nd.inner != nil && nd.soonest[i] <= now:
			x.forget(x.own(nd, i), now) // some spans below end later
			nd.refresh(i)
		}
		if kept < i {
			nd.set(kept, i)
		}
		kept++
	}
	nd.shift(nd.n, kept)
	if nd.inner != nil {
		x.settle(nd, 0, nd.n)
	}
}

// count returns how many spans are at entry i, or below it. O(1) for each inner node.
func (nd *node) count(i int) int {
	if nd.inner == nil {
		return 1
	}
	kid := nd.kid[i]
	if kid.inner == nil {
		return kid.n
	}
	sum := 0
	for k := range kid.n {
		sum += kid.count(k)
	}
	return sum
}
