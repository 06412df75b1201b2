package nodes

import (
	"encoding/binary"
	"slices"
	"sync/atomic"
)

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
	isExclusive // no number follows
	hasBundle   // the tasks of a bundle, and the level
)

// termCode packs the terms of requests to one machine, and unpacks them. Clones of the machine share it, and may use
// it at the same time.
type termCode struct {
	sets   []string // names, ascending
	levels []string // names, in the order of the Config; levels are never added or taken away
	// The terms that were packed last, by the terms that they have. Most requests have one of a few terms, so that
	// their reservations share them.
	known [2 * hasBundle]atomic.Pointer[knownTerms]
}

// knownTerms are terms in both forms.
type knownTerms struct {
	packed numbers
	terms  Terms
}

// pack returns the terms of a request that has been checked; "" if it has none. O(k log k) for k nodes that
// are named.
func (x *termCode) pack(r *Request) numbers {
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
	note(r.Exclusive, isExclusive)
	note(r.Bundle > 0, hasBundle)
	if which == 0 {
		return ""
	}
	var room [64]byte // enough for most, so that only the result is allocated
	list := binary.AppendUvarint(room[:0], which)
	number := func(n int) { list = binary.AppendUvarint(list, uint64(n)) }
	if which&hasPerNode != 0 {
		list = binary.AppendUvarint(list, uint64(r.PerNode))
	}
	if which&hasNodes != 0 {
		list = appendRuns(list, r.Nodes)
	}
	if which&hasSet != 0 {
		i, _ := slices.BinarySearch(x.sets, r.Set)
		number(i)
	}
	if which&hasExcept != 0 {
		list = appendRuns(list, r.Except)
	}
	if which&hasWithin != 0 {
		number(slices.Index(x.levels, r.Within))
	}
	if which&hasTogether != 0 {
		number(slices.Index(x.levels, r.Together))
	}
	if which&hasBundle != 0 {
		list = binary.AppendUvarint(list, uint64(r.Bundle))
		number(slices.Index(x.levels, r.Bundled))
	}
	known := x.known[which].Load()
	if known != nil && string(known.packed) == string(list) {
		return known.packed
	}
	packed := numbers(list)
	if which&(hasNodes|hasExcept) == 0 { // lists are rarely the same
		x.known[which].Store(&knownTerms{packed, *x.unpack(packed)})
	}
	return packed
}

// unpack returns packed terms, which are the caller's; nil if there are none.
func (x *termCode) unpack(rest numbers) *Terms {
	if rest == "" {
		return nil
	}
	known := x.known[rest[0]].Load() // the first byte is which: hasBundle, the highest bit, also says that another byte follows
	if known != nil && known.packed == rest {
		t := known.terms // without lists
		return &t
	}
	which := rest.next()
	t := &Terms{Exclusive: which&isExclusive != 0}
	if which&hasPerNode != 0 {
		t.PerNode = int64(rest.next())
	}
	if which&hasNodes != 0 {
		t.Nodes = rest.runs()
	}
	if which&hasSet != 0 {
		t.Set = x.sets[rest.next()]
	}
	if which&hasExcept != 0 {
		t.Except = rest.runs()
	}
	if which&hasWithin != 0 {
		t.Within = x.levels[rest.next()]
	}
	if which&hasTogether != 0 {
		t.Together = x.levels[rest.next()]
	}
	if which&hasBundle != 0 {
		t.Bundle = int64(rest.next())
		t.Bundled = x.levels[rest.next()]
	}
	return t
}

// exclusive reports whether packed terms are those of an exclusive request, by the first byte.
func (x numbers) exclusive() bool { return x != "" && x[0]&isExclusive != 0 }

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
