package idletree

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// update changes the index as the edits say, which are in the order byStart. It
// goes down the tree once for all of them: O(log p) for each, and O(1) for each
// that lies beside the one before.
func (x *index) update(edits []edit) { x.replaceRoot(edits, -1) }

// expire drops the periods that have ended by now. O(log p) for each.
func (x *index) expire(now bookahead.Time) { x.replaceRoot(nil, now) }

func (x *index) replaceRoot(edits []edit, now bookahead.Time) {
	x.rewrite(x.root, edits, now)
	for len(x.stack) > 1 { // the root has become several nodes
		several := slices.Clone(x.stack)
		slices.Reverse(several)
		x.stack = x.stack[:0]
		x.group(several)
	}
	if len(x.stack) == 1 {
		x.root = x.stack[0].node
	} else {
		x.root = &node{}
	}
	x.stack = x.stack[:0]
	for x.root.kids != nil && x.root.n == 1 {
		x.root = x.root.kids.node[0]
	}
}

// rewrite updates the part of the tree below nd, and leaves on the stack what
// takes its place, from right to left: most often nd, or nothing. It goes from
// right to left itself, so that what it has yet to do stays in its place.
func (x *index) rewrite(nd *node, edits []edit, now bookahead.Time) {
	if nd.kids == nil {
		x.rewriteLeaf(nd, edits, now)
		return
	}
	for i := nd.concerned(int(nd.n), edits, now); i >= 0; i = nd.concerned(i, edits, now) {
		from, top := 0, len(x.stack)
		if i > 0 {
			from = countBefore(edits, nd.start[i], nd.server[i])
		}
		kid := nd.kids.node[i]
		before := kid.n
		x.rewrite(kid, edits[from:], now)
		x.replace(nd, i, before, top)
		edits = edits[:from]
	}
	if nd.n > 0 {
		x.stack = append(x.stack, nd.branch())
	}
}

// concerned returns the last kid before i into which the last edit goes, or in
// which something has ended by now; or -1.
func (nd *node) concerned(i int, edits []edit, now bookahead.Time) int {
	k := -1
	if len(edits) > 0 {
		e := edits[len(edits)-1]
		k = nd.place(0, e)
		if k == int(nd.n) || nd.start[k] != e.start || nd.server[k] != int32(e.server) {
			k = max(k-1, 0)
		}
	}
	if now >= 0 {
		for i--; i > k; i-- {
			if nd.kids.soonest[i] <= now {
				return i
			}
		}
	}
	return k
}

// countBefore returns how many of the edits come before a period.
func countBefore(edits []edit, start bookahead.Time, server int32) int {
	low, high := 0, len(edits)
	for low < high {
		mid := int(uint(low+high) / 2)
		if e := &edits[mid]; e.start < start || e.start == start && int32(e.server) > server {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// replace puts what is on the stack, from top on, in the place of kid i, which had
// that many entries before. If nd cannot hold it, what comes behind kid i moves to
// new nodes, on the stack.
func (x *index) replace(nd *node, i int, before int32, top int) {
	instead := x.stack[top:]
	more := len(instead) - 1
	if int(nd.n)+more <= width {
		nd.shift(i+1, more)
		thin := more < 0
		for j, b := range instead {
			nd.set(i+more-j, b)
			thin = thin || b.node.n <= width/2 && (more > 0 || b.node.n < before)
		}
		if thin {
			nd.join(i, i+more+1)
		}
		x.stack = x.stack[:top]
		return
	}
	list := slices.Clone(instead)
	slices.Reverse(list)
	for j := i + 1; j < int(nd.n); j++ {
		list = append(list, nd.get(j))
	}
	nd.shift(int(nd.n), i-int(nd.n))
	x.stack = x.stack[:top]
	x.group(list)
}

// shift moves the entries of an inner node from i on by some places, over those
// in front if that is negative.
func (nd *node) shift(i, by int) {
	if by == 0 {
		return
	}
	k, n := nd.kids, int(nd.n)
	copy(nd.start[i+by:], nd.start[i:n])
	copy(nd.end[i+by:], nd.end[i:n])
	copy(nd.server[i+by:], nd.server[i:n])
	copy(k.node[i+by:], k.node[i:n])
	copy(k.soonest[i+by:], k.soonest[i:n])
	copy(k.longest[i+by:], k.longest[i:n])
	copy(k.lowest[i+by:], k.lowest[i:n])
	for j := n + by; j < n; j++ {
		k.node[j] = nil
	}
	nd.n = int32(n + by)
}

// join makes one of each of the kids from low to high and the one before it if
// they fill half of it at most.
func (nd *node) join(low, high int) {
	for i := min(high, int(nd.n)-1); i >= max(low, 1); i-- {
		if left, right := nd.kids.node[i-1], nd.kids.node[i]; left.n+right.n <= width/2 {
			nd.unite(i)
		}
	}
}

// unite moves what kid i has to the one before it.
func (nd *node) unite(i int) {
	left, right := nd.kids.node[i-1], nd.kids.node[i]
	to, n := int(left.n), int(right.n)
	copy(left.start[to:], right.start[:n])
	copy(left.end[to:], right.end[:n])
	copy(left.server[to:], right.server[:n])
	if l, r := left.kids, right.kids; l != nil {
		copy(l.node[to:], r.node[:n])
		copy(l.soonest[to:], r.soonest[:n])
		copy(l.longest[to:], r.longest[:n])
		copy(l.lowest[to:], r.lowest[:n])
	}
	left.n += right.n
	if left.kids != nil {
		left.join(to, to)
	}
	nd.set(i-1, left.branch())
	nd.shift(i+1, -1)
}

// group makes inner nodes of the branches, as few as leave some room in each,
// and leaves them on the stack.
func (x *index) group(list []branch) {
	for nodes := parts(len(list)); nodes > 0; nodes-- {
		rest := len(list) - len(list)/nodes
		nd := &node{kids: &kids{}}
		for i, b := range list[rest:] {
			nd.set(i, b)
		}
		nd.n = int32(len(list) - rest)
		nd.join(1, width)
		x.stack = append(x.stack, nd.branch())
		list = list[:rest]
	}
}

// parts returns into how many nodes n entries go.
func parts(n int) int {
	if n <= width {
		return min(n, 1)
	}
	return (n + fill - 1) / fill
}

// rewriteLeaf is rewrite for a leaf.
func (x *index) rewriteLeaf(nd *node, edits []edit, now bookahead.Time) {
	if len(edits) > 0 && nd.setEnds(edits) {
		x.stack = append(x.stack, nd.branch())
		return
	}
	x.merge(nd, edits, now)
	x.spread(nd)
}

// setEnds applies the edits and returns true if they only change when periods
// end.
func (nd *node) setEnds(edits []edit) bool {
	for i := range edits {
		if edits[i].was == 0 || edits[i].is == 0 {
			return false
		}
	}
	i := 0
	for _, e := range edits {
		i = nd.next(i, e)
		nd.end[i] = e.is
	}
	return true
}

// merge leaves in x.entries what the leaf is to hold.
func (x *index) merge(nd *node, edits []edit, now bookahead.Time) {
	x.entries = x.entries[:0]
	i := 0
	keep := func(until int) {
		for ; i < until; i++ {
			if nd.end[i] > now {
				x.entries = append(x.entries, entry{nd.start[i], nd.end[i], nd.server[i]})
			}
		}
	}
	for _, e := range edits {
		keep(nd.next(i, e))
		if e.was != 0 { // its entry is here, and is replaced
			i++
		}
		if e.is != 0 {
			x.entries = append(x.entries, entry{e.start, e.is, int32(e.server)})
		}
	}
	keep(int(nd.n))
	x.size += len(x.entries) - int(nd.n)
}

// spread writes the entries into as many leaves as they need, of which nd is the
// first, and leaves them on the stack.
func (x *index) spread(nd *node) {
	list := x.entries
	for nodes := parts(len(list)); nodes > 0; nodes-- {
		rest := len(list) - len(list)/nodes
		leaf := nd
		if nodes > 1 {
			leaf = &node{}
		}
		for i, e := range list[rest:] {
			leaf.start[i], leaf.end[i], leaf.server[i] = e.start, e.end, e.server
		}
		leaf.n = int32(len(list) - rest)
		x.stack = append(x.stack, leaf.branch())
		list = list[:rest]
	}
}
