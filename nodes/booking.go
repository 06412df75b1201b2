package nodes

import (
	"iter"
	"slices"

	"github.com/bookahead/bookahead"
)

// booking is a reservation as the machine works with it. The books keep it as an entry.
type booking struct {
	bookahead.Interval
	shares    []Share // by node, none empty
	head      int     // -1: none
	each      Vector
	headTakes Vector
	terms     numbers // packed; "": none
	exclusive bool    // it takes its nodes as a whole; its terms say so too
}

// takes yields each node of a booking, with the amounts that the booking takes there. It uses one vector for
// all nodes, or those of the layout.
func (l *layout) takes(b *booking) iter.Seq2[int, Vector] {
	if !b.exclusive {
		return b.takes
	}
	return func(yield func(int, Vector) bool) {
		for k := range b.takes {
			if !yield(k, l.given[k]) {
				return
			}
		}
	}
}

// takes yields each node of a booking, with the amounts that its tasks and the head take there. It uses one
// vector for all nodes.
func (b *booking) takes(yield func(int, Vector) bool) {
	v := make(Vector, len(b.each))
	seen := b.head < 0
	for _, s := range b.shares {
		for r, amount := range b.each {
			v[r] = s.Tasks * amount
		}
		if s.Node == b.head {
			seen = true
			for r, amount := range b.headTakes {
				v[r] += amount
			}
		}
		if !yield(s.Node, v) {
			return
		}
	}
	if !seen {
		yield(b.head, b.headTakes)
	}
}

// on reports whether a booking holds one of some nodes, which ascend; nil stands for all. O(s log n)
// for s nodes of the booking and n nodes of the list.
func (b *booking) on(nodes []int) bool {
	if nodes == nil {
		return true
	}
	named := func(k int) bool {
		_, ok := slices.BinarySearch(nodes, k)
		return ok
	}
	return b.head >= 0 && named(b.head) || slices.ContainsFunc(b.shares, func(s Share) bool { return named(s.Node) })
}

// tasks returns how many tasks a booking has on a node. O(log n).
func (b *booking) tasks(k int) int64 {
	i, ok := slices.BinarySearchFunc(b.shares, k, func(s Share, k int) int { return s.Node - k })
	if !ok {
		return 0
	}
	return b.shares[i].Tasks
}

// clone returns a copy that shares nothing.
func (b *booking) clone() *booking {
	return &booking{b.Interval, slices.Clone(b.shares), b.head, slices.Clone(b.each), slices.Clone(b.headTakes), b.terms, b.exclusive}
}

// without returns a copy that has nothing on some nodes.
func (b *booking) without(nodes []int) *booking {
	c := b.clone()
	c.shares = slices.DeleteFunc(c.shares, func(s Share) bool { return slices.Contains(nodes, s.Node) })
	if slices.Contains(nodes, c.head) {
		c.head = -1
	}
	return c
}

// offer returns the offer of a booking. The offer takes over its slices, so that the booking must not be
// used any more.
func (b *booking) offer() Offer { return Offer{Interval: b.Interval, Tasks: b.shares, Head: b.head} }
