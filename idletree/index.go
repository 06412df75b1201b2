package idletree

import "github.com/bookahead/bookahead"

// index holds all idle periods of all servers, in the order byStart, in a B+
// tree whose inner nodes know the latest end below them:
//
//	       start  0    5    9         the first start of each kid
//	       end    ∞   31   24         the latest end in it
//	              │    │    └────────────┐
//	       ┌──────┘    └───────┐         │
//	start  0  0  2       5  6  8         9  ...
//	end    ∞  9  7      31  6 12        24  ...
//	server 3  1  0       0  4  1         2  ...
//
// Who is idle throughout [7, 20)? What starts by 7 is in front; of that, no
// node is read in which all end before 20.
type index struct {
	root    *node
	size    int
	stack   []branch // of update: what takes the place of the node just done
	entries []entry  // of update: what a leaf is to hold
}

// width is the most entries of a node: a leaf fills 1280 bytes, which is what
// the allocator would give it anyway.
const width = 63

// fill is how many entries a node gets when one becomes several.
const fill = width * 7 / 8

// node is a leaf, with an entry for each idle period, or an inner node, with one
// for each kid. What is read together lies together: n and kids in one cache line.
type node struct {
	n      int32
	kids   *kids // nil in a leaf
	start  [width]bookahead.Time
	end    [width]bookahead.Time
	server [width]int32
}

type kids struct {
	node    [width]*node
	soonest [width]bookahead.Time // the earliest end
	longest [width]bookahead.Time // the greatest length of a period
	lowest  [width]int32          // the lowest server
}

// entry is an entry of a leaf.
type entry struct {
	start, end bookahead.Time
	server     int32
}

// branch is an entry of an inner node.
type branch struct {
	node                         *node
	start, end, soonest, longest bookahead.Time
	server, lowest               int32
}

func newIndex() index { return index{root: &node{}} }

// branch sums the node up.
func (nd *node) branch() branch {
	starts, ends, servers := nd.start[:nd.n], nd.end[:nd.n], nd.server[:nd.n]
	end, soonest, longest, lowest := ends[0], ends[0], bookahead.Time(0), servers[0]
	if k := nd.kids; k != nil {
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
	return branch{
		node: nd, start: starts[0], end: end, soonest: soonest, longest: longest,
		server: nd.server[0], lowest: lowest,
	}
}

// set makes b entry i of an inner node.
func (nd *node) set(i int, b branch) {
	nd.start[i], nd.end[i], nd.server[i] = b.start, b.end, b.server
	nd.kids.node[i], nd.kids.soonest[i], nd.kids.longest[i] = b.node, b.soonest, b.longest
	nd.kids.lowest[i] = b.lowest
}

// get is what set has set.
func (nd *node) get(i int) branch {
	k := nd.kids
	return branch{
		node: k.node[i], start: nd.start[i], end: nd.end[i],
		soonest: k.soonest[i], longest: k.longest[i],
		server: nd.server[i], lowest: k.lowest[i],
	}
}

// before reports whether entry i comes before the period of e.
func (nd *node) before(i int, e edit) bool {
	return nd.start[i] < e.start || nd.start[i] == e.start && nd.server[i] > int32(e.server)
}

// place returns the first entry from low on that does not come before the
// period of e.
func (nd *node) place(low int, e edit) int {
	high := int(nd.n)
	for low < high {
		if mid := int(uint(low+high) / 2); nd.before(mid, e) {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// next is place for edits that lie close together.
func (nd *node) next(i int, e edit) int {
	for i < int(nd.n) && nd.before(i, e) {
		i++
	}
	return i
}

// begun returns how many entries start by t.
func (nd *node) begun(t bookahead.Time) int {
	low, high := 0, int(nd.n)
	if high > 0 && nd.start[high-1] <= t {
		return high
	}
	for low < high {
		if mid := int(uint(low+high) / 2); nd.start[mid] <= t {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// covering shows c the idle periods that contain its window, latest start first,
// as far as it wants them, and returns false if it wants no more. O(k) leaves for
// k periods are read.
func (nd *node) covering(c *picks) bool {
	for i := nd.begun(c.w.Start) - 1; i >= 0; i-- {
		if nd.end[i] < c.w.End {
			continue
		}
		if nd.kids != nil {
			if c.hopeless(nd, i) {
				continue
			}
			if !nd.kids.node[i].covering(c) {
				return false
			}
			continue
		}
		p := bookahead.Interval{Start: nd.start[i], End: nd.end[i]}
		if !c.add(Period{p, int(nd.server[i])}) {
			return false
		}
	}
	return true
}

// descend yields the idle periods that contain w, latest start first. It returns
// false if yield did.
func (nd *node) descend(w bookahead.Interval, yield func(Period) bool) bool {
	for i := nd.begun(w.Start) - 1; i >= 0; i-- {
		if nd.end[i] < w.End {
			continue
		}
		if nd.kids != nil {
			if !nd.kids.node[i].descend(w, yield) {
				return false
			}
			continue
		}
		p := bookahead.Interval{Start: nd.start[i], End: nd.end[i]}
		if !yield(Period{p, int(nd.server[i])}) {
			return false
		}
	}
	return true
}

// span selects idle periods: those that start after one time and by another, end
// late enough, and are long enough.
type span struct {
	after, by   bookahead.Time
	end, length bookahead.Time
}

// ascend yields the periods that s selects, in order. It returns false if yield
// did.
func (nd *node) ascend(s span, yield func(Period) bool) bool {
	i := nd.begun(s.after)
	if k := nd.kids; k != nil {
		for i = max(0, i-1); i < int(nd.n) && nd.start[i] <= s.by; i++ {
			if nd.end[i] >= s.end && k.longest[i] >= s.length && !k.node[i].ascend(s, yield) {
				return false
			}
		}
		return true
	}
	for ; i < int(nd.n) && nd.start[i] <= s.by; i++ {
		p := Period{bookahead.Interval{Start: nd.start[i], End: nd.end[i]}, int(nd.server[i])}
		if p.End >= s.end && p.End-p.Start >= s.length && !yield(p) {
			return false
		}
	}
	return true
}

// clone copies the whole tree.
func (x *index) clone() index { return index{root: x.root.clone(), size: x.size} }

func (nd *node) clone() *node {
	c := *nd
	if nd.kids != nil {
		k := *nd.kids
		c.kids = &k
		for i := range nd.n {
			k.node[i] = nd.kids.node[i].clone()
		}
	}
	return &c
}
