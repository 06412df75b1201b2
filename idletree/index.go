package idletree

import "github.com/bookahead/bookahead"

// index holds the idle periods of all servers in a B+ tree, in the order byStart. A request
// for [s, e) needs periods that start by s and end at e or later. The order settles the
// first half: the periods that start by s are in front of one place. Sums settle the second
// half: an inner node stores beside each kid the latest end below it, so that a search
// passes over a kid in which every period ends too early.
//
//	start    0    5    9              of the first period below each kid
//	server   3    2    0              of the same period
//	end      ∞   31   24              the latest end below
//	soonest  7   12   20              the earliest end
//	longest  ∞   26   15              the greatest length
//	lowest   0    2    0              the lowest server
//	         │    │    └───────────┐
//	         │    └──────┐         │
//	start    0  0  2     5  6  8   9 11
//	end      ∞  9  7    31 12 13  24 20
//	server   3  1  0     2  4  5   0  1
//
// Which servers are idle throughout [7, 20)? Kids 0 and 1 start by 7. Kid 1 has server 2, idle in
// [5, 31), and then kid 0 has server 3. Throughout [7, 32) only server 3 is idle, and kid 1 is not
// read, because its latest end is 31. TestIndexByHand has this tree.
//
// Between two calls, these invariants hold. Verify names the one that is broken.
//
//	T1  All entries ascend in the order byStart, from leaf to leaf as well: by start, and
//	    from the highest server down where starts are equal.
//	T2  All leaves are on one level. Only a root without kids may be empty, and a root
//	    with kids has two or more.
//	T3  start and server of kid i are those of the first period below it.
//	T4  end, soonest, longest and lowest of kid i are exact: some period below has each value.
//	T5  Two neighbours with one parent have more than width/2 entries together.
//	T6  The periods are those of the calendars that end after now; size counts them.
//
// Bounds would be enough for right answers. T4 asks for exact sums because exact sums save reads:
// a kid that a search enters for its end has a period that ends late enough, and a kid that forget
// enters has a period that has ended.
//
// Only updates write sums: when a node has its new entries, update.go sums them up and writes the
// result into the parent. Searches write nothing, so they may run side by side. The sums of a node
// are stored in its parent, so that a search that passes over a node does not load it.
type index struct {
	root *node
	size int
	scratch
}

// scratch is room for one update. The room stays allocated for the next update, so that most
// updates allocate nothing; its contents are not used again.
type scratch struct {
	stack   []branch // the nodes that replace the node that was rewritten last
	entries []entry  // the new entries of a leaf
}

// width is the most entries of a node. With 63 a leaf has 1280 bytes, for which Go 1.26
// allocates 1408: a block with pointers has a header of 8 bytes.
const width = 63

// fill is the most entries of each part when a node is cut. An eighth of the part stays free, so
// that the next entries do not cut it again.
const fill = width * 7 / 8

// node is a leaf, with an entry for each idle period, or an inner node, with an entry for
// each kid. Each field of the entries has an array of its own, because a search reads one field
// of many entries. A search reads n and kids first; they share a cache line.
type node struct {
	n      int32
	kids   *kids // nil in a leaf
	start  [width]bookahead.Time
	end    [width]bookahead.Time
	server [width]int32
}

// kids holds the fields that only inner nodes have. They are apart from node, because nearly all
// nodes are leaves and need no room for them.
type kids struct {
	node    [width]*node
	soonest [width]bookahead.Time
	longest [width]bookahead.Time
	lowest  [width]int32
}

// entry is an entry of a leaf: an idle period.
type entry struct {
	start, end bookahead.Time
	server     int32
}

// branch is an entry of an inner node: a kid, the start and the server of its first period
// (T3), and the sums over all its periods (T4).
type branch struct {
	node   *node
	start  bookahead.Time
	server int32
	sums
}

type sums struct {
	end, soonest, longest bookahead.Time
	lowest                int32
}

func newIndex() index { return index{root: &node{}} }

// branch returns the entry that a parent of nd must have. nd has an entry.
func (nd *node) branch() branch {
	return branch{node: nd, start: nd.start[0], server: nd.server[0], sums: nd.sums()}
}

// sums returns the sums over all periods below nd. It reads only the entries of nd, because the
// entry of a kid has the sums of all levels below.
func (nd *node) sums() sums {
	starts, ends, servers := nd.start[:nd.n], nd.end[:nd.n], nd.server[:nd.n]
	end, soonest, longest, lowest := ends[0], ends[0], bookahead.Time(0), servers[0]
	k := nd.kids
	if k != nil {
		lowest = k.lowest[0]
		for i, e := range ends {
			end, soonest = max(end, e), min(soonest, k.soonest[i])
			longest, lowest = max(longest, k.longest[i]), min(lowest, k.lowest[i])
		}
	} else {
		for i, e := range ends {
			end, soonest = max(end, e), min(soonest, e)
			longest, lowest = max(longest, e-starts[i]), min(lowest, servers[i])
		}
	}
	return sums{end, soonest, longest, lowest}
}

// set makes b entry i of an inner node.
func (nd *node) set(i int, b branch) {
	k := nd.kids
	nd.start[i], nd.end[i], nd.server[i] = b.start, b.end, b.server
	k.node[i], k.soonest[i], k.longest[i], k.lowest[i] = b.node, b.soonest, b.longest, b.lowest
}

// get returns the branch that set has written.
func (nd *node) get(i int) branch {
	k := nd.kids
	return branch{
		node: k.node[i], start: nd.start[i], server: nd.server[i],
		sums: sums{end: nd.end[i], soonest: k.soonest[i], longest: k.longest[i], lowest: k.lowest[i]},
	}
}

// before reports whether entry i comes before the period of e (T1).
func (nd *node) before(i int, e edit) bool {
	return nd.start[i] < e.start || nd.start[i] == e.start && nd.server[i] > int32(e.server)
}

// place returns the place of the first entry that does not come before the period of e.
func (nd *node) place(e edit) int {
	low, high := 0, int(nd.n)
	for low < high {
		mid := int(uint(low+high) / 2)
		if nd.before(mid, e) {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// placeFrom is place for an entry that lies at i or behind. It goes step by step, because edits of
// one leaf come in order: together they pass over each entry once.
func (nd *node) placeFrom(i int, e edit) int {
	for i < int(nd.n) && nd.before(i, e) {
		i++
	}
	return i
}

// after returns the place of the first entry that starts after t. In front of it are the
// entries that start by t.
//
// It looks at the last entry first. A search that goes backwards from t needs the binary search
// only in the nodes on one way down, to the last leaf with a start by t. In all other nodes that
// it enters, every entry starts by t:
//
//	t = 7    start  0    5    9        binary search: the first start after 7 is in place 2
//	kid 1    start  5    6    8        binary search: place 2
//	kid 0    start  0    0    2        2 is no more than 7: all three
func (nd *node) after(t bookahead.Time) int {
	low, high := 0, int(nd.n)
	if high > 0 && nd.start[high-1] <= t {
		return high
	}
	for low < high {
		mid := int(uint(low+high) / 2)
		if nd.start[mid] <= t {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// clone copies all nodes, but not the scratch, because a clone may be used on another goroutine.
func (x *index) clone() index { return index{root: x.root.clone(), size: x.size} }

func (nd *node) clone() *node {
	c := *nd
	if nd.kids == nil {
		return &c
	}
	k := *nd.kids
	c.kids = &k
	for i := range nd.n {
		k.node[i] = nd.kids.node[i].clone()
	}
	return &c
}

// ahead loads the half of a leaf that a backward search reads first.
func (nd *node) ahead() bookahead.Time {
	return bookahead.Time(nd.n) + nd.start[width-1] + nd.end[32] + nd.end[40] + nd.end[48]
}
