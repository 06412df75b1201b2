package window

import (
	"math"
	"slices"

	"github.com/bookahead/bookahead"
)

// box is a part of the exact search, all windows of a region, with a bound on them
// (B4). It is split until it is a leaf: one length, and few starts. TestBoxesByHand
// looks for 2 slots within a budget of 30, by Near: the sum of the ticks to the nearer
// end of the slot.
//
//	         task       cost if held 6 / 12   slots
//	node 0   6 ticks    6 / 12                [0,14)  [20,44)
//	node 1   12 ticks       12                [2,30)  [31,60)
//	node 2   6 ticks    18 / 36               [4,16)  [29,39)
//
//	1  lengths 6 and 12, starts 0..31    bound 17 = 9 + 8   nodes 0 and 1
//	├─2  starts 0..19                    bound 12 = 4 + 8
//	│ ├─4  length 6                      bound 7 = 4 + 3    left out: 7 <= 9 (B3)
//	│ └─5  length 12                     bound 9 = 1 + 8    a leaf: 0 at best
//	└─3  starts 20..31                   bound 11 = 9 + 2   nodes 0 and 2
//	  ├─6  length 6                      bound 11           a leaf: 9 at start 29
//	  └─7  length 12                     bound 6 = 6 + 0    left out: 6 <= 9
//
// The bound of box 6 counts node 0 at start 29, where it is worth 9, and node 2 at
// start 31, where it is worth 2. At one start both are worth less: 9 + 0 at 29. The
// search dives to 2 and 5 first, and then to 3 and 6. After that no box is worth a look.
type box struct {
	region
	items  []int32 // the slots that may be in a better window, by start
	bound  float64 // at least the value of its windows
	lambda float64 // the price of the budget in this bound; relaxing the parts begins there
	made   int     // its number, from 1: of boxes with equal bounds the newest goes first
}

// region says which windows a box has: those of some lengths, with a start in some span.
//
// A Tight window has a node that needs all of its length. If the criterion is monotone, a Square
// window without such a node is not needed either: its slots make a shorter window, worth no less,
// in a box of the shorter length. So a box of one length becomes one box for each of its slowest
// nodes. The slow node is in every window of its box, and its cost leaves less of the budget to
// the others, which lowers the bound.
type region struct {
	short, long int            // lengths, by index in x.lengths; both 0 if Rough
	from, to    bookahead.Time // the first and the last start
	slow        int            // the node that is in every window; -1 for none
}

// groups lists the items by the length that their nodes need.
type groups struct {
	items []int32
	ends  []int32 // group g is items[ends[g]:ends[g+1]]
}

// of returns the items on nodes that need all of a length.
func (g *groups) of(length int) []int32 { return g.items[g.ends[length]:g.ends[length+1]] }

// length returns the length with that index; 0 if each task has its own.
func (x *exact) length(i int) bookahead.Duration {
	if x.job.Shape == Rough {
		return 0
	}
	return x.lengths[i]
}

// begin makes the box of all windows (B5).
func (x *exact) begin() {
	if len(x.items) == 0 {
		return
	}
	b := &box{region: region{
		long: len(x.lengths) - 1,
		slow: -1,
		from: x.items[0].start,
		to:   x.items[len(x.items)-1].start,
	}}
	if x.job.Shape == Rough {
		b.long = 0
	}
	all := make([]int32, len(x.items))
	for i := range x.items {
		all[i] = int32(i)
		if x.breaks != nil || x.tariffed {
			b.to = max(b.to, x.items[i].latest())
		}
	}
	if x.tariffed && x.breaks == nil {
		x.stops = x.stopsOf()
	}
	x.group()
	x.add(b, all)
	for _, f := range x.fresh {
		x.push(f)
	}
	if x.meter.Stopped() {
		x.bound = math.Inf(1) // B5: no box is known to have a bound
	}
}

// group fills x.groups by counting. O(s + N log N).
func (x *exact) group() {
	g := &x.groups
	of := make([]int32, len(x.env.nodes)) // the group of each node, from 1; 0 is not known yet
	g.ends = make([]int32, len(x.lengths)+1)
	for i := range x.items {
		it := &x.items[i]
		if of[it.node] == 0 {
			at, _ := slices.BinarySearch(x.lengths, it.own)
			of[it.node] = int32(at + 1)
		}
		g.ends[of[it.node]]++
	}
	for i := range x.lengths {
		g.ends[i+1] += g.ends[i]
	}
	// ends[g+1] is the end of group g by now. Each item, the last first, takes the place
	// before the end of its group and moves the end there, so that a group stays in order. At
	// last ends[g+1] is where group g begins, and ends moves down by one place.
	g.items = make([]int32, len(x.items))
	for i := len(x.items) - 1; i >= 0; i-- {
		at := of[x.items[i].node]
		g.ends[at]--
		g.items[g.ends[at]] = int32(i)
	}
	copy(g.ends, g.ends[1:])
	g.ends[len(x.lengths)] = int32(len(x.items))
}

// add bounds a box, made of some of the items given, and keeps it in x.fresh if it
// may hold a better window. A box of one length may become several boxes, by slow node. At the
// shortest length all nodes are slowest nodes, so one box has all windows.
func (x *exact) add(b *box, items []int32) {
	if !x.tight() || b.short < b.long || b.slow >= 0 || b.long == 0 {
		if x.relax(b, items) && !x.meter.Stopped() {
			x.made++
			b.made = x.made
			x.fresh = append(x.fresh, b)
		}
		return
	}
	x.divided++
	for _, i := range x.groups.of(b.long) {
		node := x.items[i].node
		if !x.meter.Go(1) {
			return
		}
		if x.seen[node] < x.divided {
			x.seen[node] = x.divided
			with := *b
			with.slow = node
			x.add(&with, items)
		}
	}
}

// tight reports whether a window without a slowest node is not needed.
func (x *exact) tight() bool {
	return x.job.Shape == Tight || x.job.Shape == Square && x.c.Monotone
}

// split makes two boxes of a box, which together have all of its windows (B5). It
// splits the lengths if they differ by at least a third of the span of the starts,
// otherwise the starts. A monotone value depends less on the start, and there a sixth is
// enough. With 1/1, 1/3 and 1/12 for the third, the searches of TestExactLooksAtFewBoxes
// make 10 887, 10 629 and 11 647 boxes.
//
//	lengths 50 to 120, starts 0 to 180    they differ by 70 >= 180/3: lengths
//	lengths 50 to 80,  starts 0 to 180    they differ by 30 <  180/3: starts
//	lengths 50 to 80,  one start          only the lengths can be split
func (x *exact) split(b *box) {
	part := bookahead.Duration(3)
	if x.c.Monotone {
		part = 6
	}
	left, right := *b, *b
	byLength := b.short < b.long
	if byLength && x.length(b.long)-x.length(b.short) < bookahead.Duration(b.to-b.from)/part {
		byLength = x.single(b)
	}
	if byLength {
		left.long = (b.short + b.long) / 2
		right.short = left.long + 1
	} else {
		left.to, right.from = x.middle(b)
	}
	x.add(&left, b.items)
	x.add(&right, b.items)
}

// within returns the range of the stops in a box.
func (x *exact) within(b *box) (i, j int) {
	i, _ = slices.BinarySearch(x.stops, b.from)
	j, _ = slices.BinarySearch(x.stops, b.to+1)
	return i, j
}

// between returns the range of the items that start in a box.
func (x *exact) between(b *box) (i, j int) {
	i, _ = slices.BinarySearchFunc(x.items, b.from, func(a item, t bookahead.Time) int { return rank(a.start < t) })
	j, _ = slices.BinarySearchFunc(x.items, b.to, func(a item, t bookahead.Time) int { return rank(a.start <= t) })
	return i, j
}

// rank is -1 for an item before the place that a binary search looks for, and 1 behind it.
func rank(before bool) int {
	if before {
		return -1
	}
	return 1
}

// single reports whether a box has only one start.
func (x *exact) single(b *box) bool {
	if x.breaks != nil {
		return b.from == b.to
	}
	if x.tariffed {
		i, j := x.within(b)
		return j-i <= 1
	}
	i, j := x.between(b)
	return i == j || x.items[i].start == x.items[j-1].start
}

// middle returns the last start of the left part and the first start of the right part,
// for a box with several starts. Both parts have a start at least, or the splits
// would not end: if the middle item starts with the first item, the next later start
// is taken.
//
//	starts of the items   0  0  0  0  7  9      the middle item starts at 0
//	parts                 [..6]       [7..]
func (x *exact) middle(b *box) (to, from bookahead.Time) {
	if x.breaks != nil {
		to = b.from + (b.to-b.from)/2
		return to, to + 1
	}
	if x.tariffed {
		i, j := x.within(b)
		from = x.stops[(i+j)/2]
		return from - 1, from
	}
	i, j := x.between(b)
	from = x.items[(i+j)/2].start
	if from == x.items[i].start {
		at, _ := slices.BinarySearchFunc(x.items[i:j], from, func(a item, t bookahead.Time) int { return rank(a.start <= t) })
		from = x.items[i+at].start
	}
	return from - 1, from
}
