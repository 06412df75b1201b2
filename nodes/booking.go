package nodes

import (
	"encoding/binary"
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

// entry is a booking as the books keep it: its time, and all its other numbers as varints, one
// behind the other, in the form and the order of a snapshot. Most numbers are short: a node is counted
// from the node before it, and tasks and amounts are small. A job on 13 nodes takes 30 bytes as an entry
// and more than 300 as a booking.
//
//	3 tasks of 1 GPU and 8 cores on node 4, 2 on node 5, 300 on node 9; no head
//
//	numbers   1 8      3       4 3     0 2     3 300    0
//	          a task   nodes   node 4  node 5  node 9   the head's node + 1
//
// A node is written as the number of nodes skipped since the node before. The vector of a head comes next, and the
// terms come last, if there are any.
type entry struct {
	bookahead.Interval
	numbers numbers
}

// Span implements ledger.Entry.
func (e entry) Span() bookahead.Interval { return e.Interval }

// pack returns the entry of a booking. O(s) for s nodes.
func (b *booking) pack() entry {
	var room [128]byte // enough for most, so that only the result is allocated
	list := appendVector(room[:0], b.each)
	list = binary.AppendUvarint(list, uint64(len(b.shares)))
	next := 0
	for _, s := range b.shares {
		list = binary.AppendUvarint(list, uint64(s.Node-next))
		list = binary.AppendUvarint(list, uint64(s.Tasks))
		next = s.Node + 1
	}
	list = binary.AppendUvarint(list, uint64(b.head+1))
	if b.head >= 0 {
		list = appendVector(list, b.headTakes)
	}
	list = append(list, b.terms...)
	return entry{b.Interval, numbers(list)}
}

func appendVector(list []byte, v Vector) []byte {
	for _, amount := range v {
		list = binary.AppendUvarint(list, uint64(amount))
	}
	return list
}

// unpack writes the booking of an entry into b, whose slices it uses again; the terms are those of the entry. wide is the number of
// resources. O(s) for s nodes.
func (e entry) unpack(wide int, b *booking) {
	rest := e.numbers
	b.Interval = e.Interval
	b.each = rest.vector(wide, b.each)
	n := int(rest.next())
	if cap(b.shares) < n {
		b.shares = make([]Share, n)
	}
	b.shares = b.shares[:n]
	node := 0
	for i := range b.shares {
		node += int(rest.next())
		b.shares[i] = Share{node, int64(rest.next())}
		node++
	}
	b.head = int(rest.next()) - 1
	if b.head >= 0 {
		b.headTakes = rest.vector(wide, b.headTakes)
	} else {
		b.headTakes = nil
	}
	b.terms, b.exclusive = rest, rest.exclusive()
}

// numbers are varints. A string takes a word less than a slice.
type numbers string

// next takes the first number off.
func (x *numbers) next() uint64 {
	n := uint64(0)
	for i := 0; ; i++ {
		c := (*x)[i]
		n |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			*x = (*x)[i+1:]
			return n
		}
	}
}

// vector takes a vector off, and writes it into room if room has the right length.
func (x *numbers) vector(wide int, room Vector) Vector {
	if len(room) != wide {
		room = make(Vector, wide)
	}
	for r := range room {
		room[r] = int64(x.next())
	}
	return room
}
