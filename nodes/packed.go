package nodes

import (
	"encoding/binary"
	"slices"

	"github.com/bookahead/bookahead"
)

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
	b.terms = rest
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

// The terms of a booking are packed as varints, which the books keep behind the other numbers of the booking.
// Terms that a request does not have take no bytes, so that a reservation without terms takes none at all. The
// first number says which terms follow. Lists of nodes are runs of nodes side by side, because most lists name
// whole stretches:
//
//	one task a node, on the nodes 4-7 and 9, within level 0
//
//	numbers   1+2+16   1         2      4 3       1 0       0
//	          which    PerNode   runs   skip 4,   skip 1,   the level
//	                                    4 nodes   1 node
const (
	hasPerNode = 1 << iota
	hasNodes
	hasSet
	hasExcept
	hasWithin
	hasTogether
)

// packTerms returns the terms of a request that has been checked; "" if it has none. O(k log k) for k nodes that
// are named.
func (l *layout) packTerms(r *Request) numbers {
	which := uint64(0)
	note := func(has bool, bit uint64) {
		if has {
			which |= bit
		}
	}
	note(r.PerNode != 0, hasPerNode)
	note(r.Nodes != nil, hasNodes)
	note(r.Set != "", hasSet)
	note(len(r.Except) > 0, hasExcept)
	note(r.Within != "", hasWithin)
	note(r.Together != "", hasTogether)
	if which == 0 {
		return ""
	}
	var room [64]byte // enough for most, so that only the result is allocated
	list := append(room[:0], byte(which))
	number := func(n int) { list = binary.AppendUvarint(list, uint64(n)) }
	if which&hasPerNode != 0 {
		list = binary.AppendUvarint(list, uint64(r.PerNode))
	}
	if which&hasNodes != 0 {
		list = appendRuns(list, r.Nodes)
	}
	if which&hasSet != 0 {
		i, _ := slices.BinarySearch(l.setNames, r.Set)
		number(i)
	}
	if which&hasExcept != 0 {
		list = appendRuns(list, r.Except)
	}
	if which&hasWithin != 0 {
		number(l.levelIndex(r.Within))
	}
	if which&hasTogether != 0 {
		number(l.levelIndex(r.Together))
	}
	known := l.known[which].Load()
	if known != nil && string(known.packed) == string(list) {
		return known.packed
	}
	packed := numbers(list)
	if which&(hasNodes|hasExcept) == 0 { // lists are rarely the same
		l.known[which].Store(&knownTerms{packed, l.unpackTerms(packed)})
	}
	return packed
}

// knownTerms are terms in both forms.
type knownTerms struct {
	packed numbers
	terms  *Terms
}

// levelIndex returns the place of a level among those of the Config. Levels are never added or taken away.
func (l *layout) levelIndex(name string) int {
	return slices.IndexFunc(l.source.Levels, func(x Level) bool { return x.Name == name })
}

// unpackTerms returns packed terms; nil if there are none. Reservations may share them.
func (l *layout) unpackTerms(rest numbers) *Terms {
	if rest == "" {
		return nil
	}
	known := l.known[rest[0]].Load()
	if known != nil && known.packed == rest {
		return known.terms
	}
	t := &Terms{}
	which := rest.next()
	if which&hasPerNode != 0 {
		t.PerNode = int64(rest.next())
	}
	if which&hasNodes != 0 {
		t.Nodes = rest.runs()
	}
	if which&hasSet != 0 {
		t.Set = l.setNames[rest.next()]
	}
	if which&hasExcept != 0 {
		t.Except = rest.runs()
	}
	if which&hasWithin != 0 {
		t.Within = l.source.Levels[rest.next()].Name
	}
	if which&hasTogether != 0 {
		t.Together = l.source.Levels[rest.next()].Name
	}
	return t
}

// appendRuns appends a list of nodes as runs: their number, and for each run the nodes skipped before it and the
// nodes in it less one.
func appendRuns(into []byte, nodes []int) []byte {
	sorted := slices.Sorted(slices.Values(nodes))
	var runs []int // skip, length less one
	next := 0      // the node behind the last run
	for i, k := range sorted {
		if i > 0 && k == next {
			runs[len(runs)-1]++
		} else {
			runs = append(runs, k-next, 0)
		}
		next = k + 1
	}
	into = binary.AppendUvarint(into, uint64(len(runs)/2))
	for _, n := range runs {
		into = binary.AppendUvarint(into, uint64(n))
	}
	return into
}

// runs takes a list of nodes off, which is not nil.
func (x *numbers) runs() []int {
	list := []int{}
	next := 0
	for range x.next() {
		next += int(x.next())
		for n := x.next() + 1; n > 0; n-- {
			list = append(list, next)
			next++
		}
	}
	return list
}
