package window

import (
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
)

// outer is the relaxation of a box. Each node makes one offer: the greatest value of its
// slots at the least cost of its slots, as if all tasks could begin together at the best start
// and length for each. For every window of the box, the n offers of its nodes are worth at least
// as much, and cost at most as much. So B1 for the offers is B4 for the box.
//
//	               slot    worth, at most   cost, at least
//	node 0         [0,9)   3                10
//	               [20,32) 5                10
//	the offer              5                10              of two slots, if need be
//
// gather fills nodes, slow, offer and upper anew for each box.
type outer struct {
	knapsack
	offer  []offer   // of each node
	nodes  []int     // the nodes in the knapsack
	slow   int       // the node beside them, in every window; -1 for none
	upper  []float64 // the most that each kept item is worth
	spare  []int32   // room for the items of boxes to come
	carved int       // how much room there has been
}

// offer is the most that a node can be worth in a window, and the least that it costs there.
type offer struct {
	bound, cost float64
	in          bool // the node has a slot that fits
	first       bool // it is among the n that the relaxation picks
}

// loose is the rough of a box's relaxation (B1). A rough bound is enough to rank a
// box, and saves prices, but leaves out fewer boxes and items. With 0, 0.1 and 1
// the searches of TestExactLooksAtFewBoxes make 9 535, 10 629 and 10 877 boxes.
const loose = 0.1

// bounded reports whether the criterion has an upper bound for a slot.
func (x *exact) bounded() bool { return x.c.Bound != nil || x.c.Monotone }

// upperBound returns the most that an item can be worth in a window of a box, and the least
// that it costs there; false if it is in no window of the box.
func (x *exact) upperBound(b *box, i *item) (bound, cost float64, ok bool) {
	short, long := i.own, i.own
	if x.job.Shape != Rough {
		short, long = max(i.own, x.lengths[b.short]), x.lengths[b.long]
	}
	first, last := max(b.from, i.start), min(b.to, i.end-bookahead.Time(short))
	if short > long || first > last {
		return 0, 0, false
	}
	cost = i.price * float64(short)
	if x.tariffed {
		n := &x.env.nodes[i.node]
		x.spend(n.after(last+bookahead.Time(short)) - n.after(first))
		cost = n.leastCost(first, last, short)
	}
	if cost > x.limit {
		// The item is too dear by itself, and in a sum its digits would swallow the others'.
		return 0, 0, false
	}
	switch {
	case x.c.Bound != nil:
		bound = x.finite("Criterion.Bound", x.c.Bound(x.env.nodes[i.node], x.env.slots[i.slot], first, last, short, long))
	case x.c.Monotone:
		// Value never grows with start or length: its value at the least of both is a bound.
		bound = x.finite("Criterion.Value", x.c.Value(x.env.nodes[i.node], x.env.slots[i.slot], first, short))
	}
	return bound, cost, true
}

// relax writes the bound and the items of a box (B4), and returns false if the box holds
// no better window (B3). If the search must stop, bound and items are incomplete. O(m) for m
// items, and O(N) for each price tried.
func (x *exact) relax(b *box, items []int32) bool {
	kept := x.gather(b, items)
	o := &x.outer
	n, budget, base := x.job.Nodes, x.limit, 0.0
	if b.slow >= 0 {
		// The slow node is in every window: its offer is paid first, and the other offers
		// must be worth the rest of need.
		of := o.offer[b.slow]
		if !of.in {
			return false
		}
		n, budget, base = n-1, budget-of.cost, of.bound
	}
	if len(o.nodes) < n || budget < 0 {
		return false
	}
	b.items = kept
	if !x.bounded() {
		// No bound is known, so B3 leaves no box out, and B4 holds for infinity.
		o.own(b)
		b.bound = math.Inf(1)
		return true
	}
	o.reset(n, budget)
	o.shift = math.Abs(base)
	z, c := o.z, o.c
	for i, node := range o.nodes {
		if i%effort.Chunk == 0 && !x.meter.Go(min(effort.Chunk, len(o.nodes)-i)) {
			return false
		}
		z, c = append(z, o.offer[node].bound), append(c, o.offer[node].cost)
	}
	o.z, o.c, o.lambda = z, c, b.lambda
	o.relax(x.need()-base, loose)
	if x.meter.Stopped() {
		return false // the owner asks why
	}
	b.bound, b.lambda = o.relaxed+base, o.lambda
	if b.bound <= x.need() {
		return false
	}
	x.filter(b, base)
	o.own(b)
	return len(b.items) >= x.job.Nodes
}

// own makes the items of a box its own. The items lie at the front of spare, and the next box
// is written behind them, so that one allocation serves many boxes. But a single box on the heap
// keeps the whole allocation alive. So the later boxes of a long search have copies.
func (o *outer) own(b *box) {
	if o.carved > 1<<22 {
		b.items = slices.Clone(b.items)
		return
	}
	o.spare = o.spare[len(b.items):cap(o.spare)]
}

// gather collects the offers of the nodes in a box, and returns the items that can
// be in one of its windows. An item of the parent box stays if its task can start in this box and
// is not longer than the longest of its lengths.
func (x *exact) gather(b *box, items []int32) []int32 {
	o := &x.outer
	// Only the offers of the box before are cleared: O(m), however many nodes there are.
	for _, n := range o.nodes {
		o.offer[n] = offer{}
	}
	if o.slow >= 0 {
		o.offer[o.slow] = offer{}
	}
	if cap(o.spare) < len(items) {
		o.spare = make([]int32, 32*len(x.items))
		o.carved += len(o.spare)
	}
	nodes, uppers, kept := o.nodes[:0], o.upper[:0], o.spare[:0:len(items)]
	for at, i := range items {
		if at%effort.Chunk == 0 && !x.meter.Go(min(effort.Chunk, len(items)-at)) {
			break // the owner asks why
		}
		it := &x.items[i]
		upper, cost, ok := x.upperBound(b, it)
		if !ok {
			continue
		}
		kept, uppers = append(kept, i), append(uppers, upper)
		of := &o.offer[it.node]
		if of.in {
			of.bound, of.cost = max(of.bound, upper), min(of.cost, cost)
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

// filter keeps the items of a box that can be in a better window (B4). It forces each
// item in, and bounds how far the relaxation falls by that:
//
//	the node is picked, or slow   the node falls from its offer to this slot's bound
//	it is not picked              it takes the place of the last one picked, whose
//	                              bound - lambda cost is threshold
//
// At bound 20, need 17, lambda 0.5 and threshold 4, a slot worth at most 3 for a cost
// of 6 on a node that is not picked is worth 3 - 0.5×6 = 0: the relaxation falls by 4,
// to 16, and the slot is left out (B3).
//
// B1 holds for every price, so filter takes the last price tried, whose items the picker still
// holds.
func (x *exact) filter(b *box, base float64) {
	o := &x.outer
	bound, lambda := o.probe.bound+base, o.probe.price
	if math.IsInf(lambda, 1) {
		// The last items picked are the cheapest: L has no value at that price.
		bound, lambda = b.bound, b.lambda
		_, ok := o.choose(lambda)
		if !ok {
			return
		}
	}
	for _, i := range o.probe.heap {
		o.offer[o.nodes[i]].first = true
	}
	threshold, need, kept := o.probe.least, x.need(), b.items[:0]
	for at, i := range b.items {
		if at%effort.Chunk == 0 && !x.meter.Go(min(effort.Chunk, len(b.items)-at)) {
			return
		}
		node, upper := x.items[i].node, o.upper[at]
		of := &o.offer[node]
		less := of.bound - upper
		if !of.first && node != b.slow {
			less = threshold - upper + lambda*of.cost
		}
		if bound-less > need {
			kept = append(kept, i)
		}
	}
	b.items = kept
}
