package idletree

import (
	"slices"

	"github.com/bookahead/bookahead"
)

// A reservation changes the idle periods of its servers by edits. An edit has the start of a
// period, its old end and its new end; a 0 stands for no period. Here server 2 is idle in [5, 31),
// is booked for [10, 20), and is released:
//
//	         5───────────────────────31
//	book     5─────10          20────31   start 5, was 31, is 10    start 20, was 0, is 31
//	release  5───────────────────────31   start 5, was 10, is 31    start 20, was 31, is 0
//
// The part in front keeps its start, and so its place in the order; only its end changes.
// The part behind comes or goes as an entry. All parts behind one reservation start at its
// end, so they lie close together, in few leaves. The parts in front may be in as many leaves
// as the reservation has servers.
//
// That is why rewriteLeaf has two ways. If only ends change, it sets them in place. If an entry
// comes or goes, it writes the leaf anew, in one pass for all edits, because an insertion in place
// would shift three arrays for each edit. After the pass the number of entries is known, so a leaf
// that has become too large is cut into equal parts.
//
// A period that has ended is in no leaf (T6), although the calendar may keep it. So at time 10 the
// same booking leaves no period in front, and the release brings a new entry:
//
//	now 10   book      start 5, was 31, is 0   the calendar keeps [5, 10)
//	         release   start 5, was 0, is 31   and so the server is idle since 5 again

// update applies the edits, which are in the order byStart. It walks down the tree once for
// all of them: O(log p) for each, and O(1) for each that lies beside the one before.
func (x *index) update(edits []edit) { x.rewriteRoot(edits, -1) }

// forget removes the periods that have ended by now. O(log p) for each.
func (x *index) forget(now bookahead.Time) { x.rewriteRoot(nil, now) }

// rewriteRoot rewrites the tree. It makes the tree higher while the root comes back in several
// parts, and lower while the root has a single kid (T2).
func (x *index) rewriteRoot(edits []edit, now bookahead.Time) {
	x.rewrite(x.root, edits, now)
	for len(x.stack) > 1 {
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

// rewrite applies the edits below nd, or removes the periods that have ended by now: update has
// no now, and forget has no edits. It pushes the nodes that replace nd: mostly nd itself; no node
// if nothing is left; several nodes, the last first, if nd was cut.
//
// It works from the last kid to the first. A kid that is cut moves the kids behind it, but these
// are done by then. The kids still to do keep their places, and the edits still to do are a prefix
// of the list.
//
//	edits 12, 33    start  0  9 20 31 40        the last edit, 33, goes into kid 3
//	kid 3 is cut    start  0  9 20 31 35 40     40 has moved, and 9 has not
//	edits 12        start  0  9 20 31 35 40     the last edit, 12, goes into kid 1
func (x *index) rewrite(nd *node, edits []edit, now bookahead.Time) {
	if nd.kids == nil {
		x.rewriteLeaf(nd, edits, now)
		return
	}
	i := int(nd.n)
	for {
		i = nd.concerned(i, edits, now)
		if i < 0 {
			break
		}
		first, top := 0, len(x.stack)
		if i > 0 {
			first = countBefore(edits, nd.start[i], nd.server[i])
		}
		kid := nd.kids.node[i]
		before := kid.n
		x.rewrite(kid, edits[first:], now)
		x.replace(nd, i, before, top)
		edits = edits[:first]
	}
	if nd.n > 0 {
		x.stack = append(x.stack, nd.branch())
	}
}

// concerned returns the last kid in front of kid i that must be rewritten, or -1: a kid into which
// the last edit goes, or in which a period has ended by now. An edit goes into the last kid that
// does not start behind it, and an edit in front of all kids goes into kid 0.
func (nd *node) concerned(i int, edits []edit, now bookahead.Time) int {
	k := -1
	if len(edits) > 0 {
		e := edits[len(edits)-1]
		k = nd.place(e)
		if k == int(nd.n) || nd.start[k] != e.start || nd.server[k] != int32(e.server) {
			k = max(k-1, 0)
		}
	}
	if now < 0 {
		return k
	}
	for j := i - 1; j > k; j-- {
		if nd.kids.soonest[j] <= now {
			return j
		}
	}
	return k
}

// countBefore returns how many of the edits come before a period, in the order byStart.
func countBefore(edits []edit, start bookahead.Time, server int32) int {
	low, high := 0, len(edits)
	for low < high {
		mid := int(uint(low+high) / 2)
		e := &edits[mid]
		if e.start < start || e.start == start && int32(e.server) > server {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// replace takes the nodes from top on off the stack, and puts them in the place of kid i, which had
// so many entries before. If nd has no room for them, they move to new nodes together with the kids
// behind kid i. nd keeps the kids in front, because rewrite has yet to do these, and finds them by
// their places.
//
//	nd, were width 3    start  0  9 20      kid 1 comes back as 9 and 14
//	nd                  start  0            kid 0 is still to do
//	on the stack        start  9 14 20      a new node
//
// T5 can fail only beside a node that has become smaller, was cut, or is gone. The other nodes need
// no look, and most updates join no nodes.
func (x *index) replace(nd *node, i int, before int32, top int) {
	instead := x.stack[top:]
	more := len(instead) - 1
	if int(nd.n)+more <= width {
		nd.shift(i+1, more)
		thin := more < 0
		for j, b := range instead { // the last node comes first
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

// shift moves the entries of an inner node from i on by some places; a negative number moves them
// over the entries in front. It clears the pointers left behind the last entry, so that the memory
// of a removed node can be freed.
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

// join restores T5 among the kids from low to high and the kid in front of them. It unites two
// neighbours that have at most 31 entries together, half of width. Neighbours with 32 to 63 entries
// would fit into one node too, but the next entries would cut it again:
//
//	63 + 1    32 | 32     cut
//	32 | 1    33          would fit, but stays apart
//	30 | 1    31          united: 33 more entries are needed to cut it
func (nd *node) join(low, high int) {
	for i := min(high, int(nd.n)-1); i >= max(low, 1); i-- {
		left, right := nd.kids.node[i-1], nd.kids.node[i]
		if left.n+right.n <= width/2 {
			nd.unite(i)
		}
	}
}

// unite moves the entries of kid i into the kid in front of it. If the two are inner nodes, the last
// kid of the left and the first kid of the right have one parent now, so that T5 must be restored
// between them too:
//
//	kids of two inner nodes    40 20 | 10 50     20 and 10 had different parents
//	united                     40 20   10 50
//	joined at the seam         40   30    50
func (nd *node) unite(i int) {
	left, right := nd.kids.node[i-1], nd.kids.node[i]
	seam, n := int(left.n), int(right.n)
	copy(left.start[seam:], right.start[:n])
	copy(left.end[seam:], right.end[:n])
	copy(left.server[seam:], right.server[:n])
	l, r := left.kids, right.kids
	if l != nil {
		copy(l.node[seam:], r.node[:n])
		copy(l.soonest[seam:], r.soonest[:n])
		copy(l.longest[seam:], r.longest[:n])
		copy(l.lowest[seam:], r.lowest[:n])
	}
	left.n += right.n
	if l != nil {
		left.join(seam, seam)
	}
	nd.set(i-1, left.branch())
	nd.shift(i+1, -1)
}

// group makes inner nodes of the branches, and pushes them, the last first. Branches that had
// different parents may be neighbours now, so that group restores T5 among them.
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

// parts returns the number of nodes for n entries. The parts are of equal size, or differ by one
// entry: 64 entries become 32 and 32, and 111 become 37, 37 and 37. So no part of several has fewer
// than 32 entries, and join unites no two of them.
func parts(n int) int {
	if n <= width {
		return min(n, 1)
	}
	return (n + fill - 1) / fill
}

// rewriteLeaf is rewrite for a leaf. The comment at the top of this file says why there are two ways.
func (x *index) rewriteLeaf(nd *node, edits []edit, now bookahead.Time) {
	if len(edits) > 0 && nd.setEnds(edits) {
		x.stack = append(x.stack, nd.branch())
		return
	}
	x.merge(nd, edits, now)
	x.spread(nd)
}

// setEnds applies the edits and returns true if no entry comes or goes: each period was in the leaf,
// and stays with another end. Otherwise it changes nothing and returns false.
func (nd *node) setEnds(edits []edit) bool {
	for i := range edits {
		if edits[i].was == 0 || edits[i].is == 0 {
			return false
		}
	}
	i := 0
	for _, e := range edits {
		i = nd.placeFrom(i, e)
		nd.end[i] = e.is
	}
	return true
}

// merge collects the new entries of the leaf in x.entries: the entries of the edits, and the old
// entries that no edit changes and that have not ended by now.
func (x *index) merge(nd *node, edits []edit, now bookahead.Time) {
	x.entries = x.entries[:0]
	i := 0
	keep := func(until int) {
		for i < until {
			if nd.end[i] > now {
				x.entries = append(x.entries, entry{nd.start[i], nd.end[i], nd.server[i]})
			}
			i++
		}
	}
	for _, e := range edits {
		keep(nd.placeFrom(i, e))
		if e.was != 0 {
			i++ // the entry that e changes or removes
		}
		if e.is != 0 {
			x.entries = append(x.entries, entry{e.start, e.is, int32(e.server)})
		}
	}
	keep(int(nd.n))
	x.size += len(x.entries) - int(nd.n)
}

// spread writes x.entries into as many leaves as they need, and pushes the leaves, the last first. A
// leaf that is not cut keeps its node.
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
