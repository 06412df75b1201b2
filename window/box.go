package window

import (
	"math"
	"slices"

	"github.com/bookahead/bookahead"
)

// box is a part of the exact search: all windows whose length is one of some, and
// which start in some span. Those that can be better are made of its items. It is
// split until it has one length and few starts. If the criterion is monotone, the
// windows of one length are looked for by their slowest node: it must be in them,
// or they are shorter.
type box struct {
	short, long int            // lengths, by index
	from, to    bookahead.Time // the first and the last start
	slow        int            // the node that must be in; -1 for none
	items       []int32        // the slots that may be in a better window, by start
	bound       float64        // at least the value of its windows
	lambda      float64        // the price of the budget that this bound has
	made        int            // of boxes with the same bound, the first made is first
}

// outer is the relaxation of a box: each node offers the bound of its best slot,
// as if all could begin together.
type outer struct {
	knapsack
	offer []offer   // of each node
	nodes []int     // those in the knapsack
	slow  int       // the one that is in beside them; -1 for none
	upper []float64 // what each item adds at most
}

// offer is the most that a node can add to a window.
type offer struct {
	bound, cost float64
	in          bool // it has a slot that will do
	first       bool // it is among the n that the relaxation chooses
}

const (
	few   = 4   // a box with so many starts is not split
	loose = 0.1 // how far from the best bound that of a box may be
)

// length returns the length with that index; 0 if each task has its own.
func (x *exact) length(i int) bookahead.Duration {
	if x.job.Shape == Rough {
		return 0
	}
	return x.lengths[i]
}

// begin makes the box of all windows.
func (x *exact) begin() {
	if len(x.items) == 0 {
		return
	}
	b := &box{long: len(x.lengths) - 1, slow: -1, from: x.items[0].start, to: x.items[len(x.items)-1].start}
	if x.job.Shape == Rough {
		b.long = 0
	}
	all := make([]int32, len(x.items))
	for i := range x.items {
		all[i] = int32(i)
		if it := &x.items[i]; x.breaks != nil {
			b.to = max(b.to, it.end-bookahead.Time(it.own))
		}
	}
	x.order()
	x.add(b, all)
}

// order sorts the items by the lengths of their nodes. O(s + N log N).
func (x *exact) order() {
	of := make([]int32, len(x.env.nodes)) // the length of each node, from 1
	x.ends = make([]int32, len(x.lengths)+1)
	for i := range x.items {
		it := &x.items[i]
		if of[it.node] == 0 {
			at, _ := slices.BinarySearch(x.lengths, it.own)
			of[it.node] = int32(at + 1)
		}
		x.ends[of[it.node]]++
	}
	for i := range x.lengths {
		x.ends[i+1] += x.ends[i]
	}
	x.ordered = make([]int32, len(x.items))
	for i := len(x.items) - 1; i >= 0; i-- {
		at := of[x.items[i].node]
		x.ends[at]--
		x.ordered[x.ends[at]] = int32(i)
	}
	copy(x.ends, x.ends[1:])
	x.ends[len(x.lengths)] = int32(len(x.items))
}

// slow returns the items on nodes that need all of a length.
func (x *exact) slow(length int) []int32 { return x.ordered[x.ends[length]:x.ends[length+1]] }

// add bounds a box, made of some of the items given, and keeps it in x.fresh if it
// may hold a better window. If it is of one length, it may become several.
func (x *exact) add(b *box, items []int32) {
	if !x.c.Monotone || x.job.Shape == Rough || b.short < b.long || b.slow >= 0 {
		if x.relax(b, items) {
			x.made++
			b.made = x.made
			x.fresh = append(x.fresh, b)
		}
		return
	}
	slow := x.slow(b.long)
	for at, i := range slow {
		node := x.items[i].node
		if !slices.ContainsFunc(slow[:at], func(before int32) bool { return x.items[before].node == node }) {
			with := *b
			with.slow = node
			x.add(&with, items)
		}
	}
}

// split makes two boxes of one: of its lengths if they differ by a part of the span
// of its starts. What is monotone depends less on the start, and the part is less.
func (x *exact) split(b *box) {
	part := bookahead.Duration(3)
	if x.c.Monotone {
		part = 6
	}
	left, right := *b, *b
	if b.short < b.long && (x.single(b) || x.length(b.long)-x.length(b.short) >= bookahead.Duration(b.to-b.from)/part) {
		left.long = (b.short + b.long) / 2
		right.short = left.long + 1
	} else {
		left.to, right.from = x.middle(b)
	}
	x.add(&left, b.items)
	x.add(&right, b.items)
}

// between returns the range of the items that start in a box.
func (x *exact) between(b *box) (i, j int) {
	i, _ = slices.BinarySearchFunc(x.items, b.from, func(a item, t bookahead.Time) int { return rank(a.start < t) })
	j, _ = slices.BinarySearchFunc(x.items, b.to, func(a item, t bookahead.Time) int { return rank(a.start <= t) })
	return i, j
}

// rank is -1 if an item is before what is looked for, and 1 if not.
func rank(before bool) int {
	if before {
		return -1
	}
	return 1
}

// single reports whether a box has but one start.
func (x *exact) single(b *box) bool {
	if x.breaks != nil {
		return b.from == b.to
	}
	i, j := x.between(b)
	return i == j || x.items[i].start == x.items[j-1].start
}

// middle returns where to cut a box that has several starts.
func (x *exact) middle(b *box) (to, from bookahead.Time) {
	if x.breaks != nil {
		to = b.from + (b.to-b.from)/2
		return to, to + 1
	}
	i, j := x.between(b)
	from = x.items[(i+j)/2].start
	if from == x.items[i].start {
		for i < j && x.items[i].start == from {
			i++
		}
		from = x.items[i].start
	}
	return from - 1, from
}

// leaf reports whether a box is small enough for a sweep, and collects its starts.
func (x *exact) leaf(b *box) bool {
	if b.short < b.long {
		return false
	}
	x.collect(b)
	return len(x.starts) <= few || !x.bounded()
}

// collect gathers the starts to be tried in a box of one length.
func (x *exact) collect(b *box) {
	x.starts = x.starts[:0]
	length := x.length(b.long)
	put := func(t bookahead.Time) {
		if b.from <= t && t <= b.to {
			x.starts = append(x.starts, t)
		}
	}
	if x.c.Monotone || x.breaks != nil {
		for _, i := range b.items {
			put(x.items[i].start)
			if x.breaks != nil {
				k, _ := x.items[i].candidate(length)
				x.breaks(x.env.slots[k.slot], x.items[i].start, k, put)
			}
		}
		if !x.c.Monotone && x.job.Shape == Square { // a window is as long as a slot there needs, affordable or not
			for _, i := range x.slow(b.long) {
				put(x.items[i].start)
				put(x.items[i].end - bookahead.Time(x.items[i].own))
			}
		}
	} else {
		for i, j := x.between(b); i < j; i++ {
			if _, ok := x.items[i].candidate(length); ok {
				put(x.items[i].start)
			}
		}
	}
	slices.Sort(x.starts)
	x.starts = slices.Compact(x.starts)
}

// bounded reports whether the criterion says what a slot can add at most.
func (x *exact) bounded() bool { return x.c.Bound != nil || x.c.Monotone }

// upper returns what an item can add to a window of a box at most, at what cost at
// least, and false if it can be in none.
func (x *exact) upper(b *box, i *item) (bound, cost float64, ok bool) {
	short, long := i.own, i.own
	if x.job.Shape == Square {
		short, long = max(i.own, x.lengths[b.short]), x.lengths[b.long]
	}
	first, last := max(b.from, i.start), min(b.to, i.end-bookahead.Time(short))
	if short > long || first > last {
		return 0, 0, false
	}
	if cost = i.price * float64(short); cost > x.limit {
		return 0, 0, false // not to swallow the digits of the others
	}
	switch {
	case x.c.Bound != nil:
		bound = x.finite("Criterion.Bound", x.c.Bound(x.env.nodes[i.node], x.env.slots[i.slot], first, last, short, long))
	case x.c.Monotone:
		bound = x.finite("Criterion.Value", x.c.Value(x.env.nodes[i.node], x.env.slots[i.slot], first, short))
	}
	return bound, cost, true
}

// relax bounds a box, and keeps the items that can be in a better window: with
// such an item forced in, the relaxation is still worth more than the best. It
// returns false if the box holds nothing better. O(m) for m items, and O(N) for
// each price tried.
func (x *exact) relax(b *box, items []int32) bool {
	kept := x.gather(b, items)
	o := &x.outer
	n, budget, base := x.job.Nodes, x.limit, 0.0
	if b.slow >= 0 {
		of := o.offer[b.slow]
		if !of.in {
			return false
		}
		n, budget, base = n-1, budget-of.cost, of.bound
	}
	if len(o.nodes) < n || budget < 0 {
		return false
	}
	if b.items = kept; !x.bounded() {
		x.spare = x.spare[len(kept):cap(x.spare)]
		b.bound = math.Inf(1)
		return true
	}
	o.reset(n, budget)
	o.shift = math.Abs(base)
	z, c := o.z, o.c
	for _, node := range o.nodes {
		z, c = append(z, o.offer[node].bound), append(c, o.offer[node].cost)
	}
	o.z, o.c, o.lambda = z, c, b.lambda
	o.relax(x.need()-base, loose)
	b.bound, b.lambda = o.bound+base, o.lambda
	if b.bound <= x.need() {
		return false
	}
	x.filter(b, base)
	x.spare = x.spare[len(b.items):cap(x.spare)]
	return len(b.items) >= x.job.Nodes
}

// gather collects the offers of the nodes in a box, and returns the items that can
// be in one of its windows.
func (x *exact) gather(b *box, items []int32) []int32 {
	o := &x.outer
	for _, n := range o.nodes {
		o.offer[n] = offer{}
	}
	if o.slow >= 0 {
		o.offer[o.slow] = offer{}
	}
	if cap(x.spare) < len(items) {
		x.spare = make([]int32, 32*len(x.items))
	}
	nodes, uppers, kept := o.nodes[:0], o.upper[:0], x.spare[:0:len(items)]
	for _, i := range items {
		it := &x.items[i]
		upper, cost, ok := x.upper(b, it)
		if !ok {
			continue
		}
		kept, uppers = append(kept, i), append(uppers, upper)
		of := &o.offer[it.node]
		if of.in {
			of.bound = max(of.bound, upper)
			continue
		}
		*of = offer{bound: upper, cost: cost, in: true}
		if it.node != b.slow {
			nodes = append(nodes, it.node)
		}
	}
	o.nodes, o.upper, o.slow = nodes, uppers, b.slow
	return kept
}

// filter keeps the items that can be in a better window, by the relaxation at the
// last price tried, which the picker still holds.
func (x *exact) filter(b *box, base float64) {
	o := &x.outer
	bound, lambda := o.last+base, o.picked
	if math.IsInf(lambda, 1) {
		bound, lambda = b.bound, b.lambda
		o.at(lambda)
	}
	for _, i := range o.picker.heap {
		o.offer[o.nodes[i]].first = true
	}
	threshold, need, kept := o.picker.least, x.need(), b.items[:0]
	for at, i := range b.items {
		node, upper := x.items[i].node, o.upper[at]
		of := &o.offer[node]
		less := of.bound - upper // than the relaxation is worth
		if !of.first && node != b.slow {
			less = threshold - upper + lambda*of.cost
		}
		if bound-less > need {
			kept = append(kept, i)
		}
	}
	b.items = kept
}
