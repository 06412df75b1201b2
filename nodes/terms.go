package nodes

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/snapshot"
)

// Terms are the fields of a request that say which nodes may get its tasks, and how many tasks a node may get.
// They mean the same as in Request. Nodes and Except ascend.
type Terms struct {
	PerNode          int64
	Nodes            []int
	Set              string
	Except           []int
	Within, Together string
}

// Again returns the request by which Displace places a reservation anew, unless Force.Again says otherwise: the
// same tasks on the same terms, for the same duration, no earlier than before. At now, a running reservation asks
// for the rest of its duration. The request shares its slices with the reservation. It has no Deadline, because
// a machine does not remember the times of a request. O(k) for k nodes.
func (r Reservation) Again(now bookahead.Time) Request {
	start := max(r.Start, now)
	again := Request{Ready: start, Duration: bookahead.Duration(r.End - start), Each: r.Each, Head: r.HeadTakes}
	for _, s := range r.Tasks {
		again.Tasks += s.Tasks
	}
	if r.Terms != nil {
		again.PerNode, again.Nodes, again.Set = r.Terms.PerNode, r.Terms.Nodes, r.Terms.Set
		again.Except, again.Within, again.Together = r.Terms.Except, r.Terms.Within, r.Terms.Together
	}
	return again
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
	return numbers(list)
}

// levelIndex returns the place of a level among those of the Config. Levels are never added or taken away.
func (l *layout) levelIndex(name string) int {
	return slices.IndexFunc(l.source.Levels, func(x Level) bool { return x.Name == name })
}

// unpackTerms returns packed terms; nil if there are none. The slices are the caller's.
func (l *layout) unpackTerms(rest numbers) *Terms {
	if rest == "" {
		return nil
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

// readTerms reads terms as packTerms packs them; a single 0 stands for none. Memory is in proportion to the bytes.
func (l *layout) readTerms(r *snapshot.Reader) numbers {
	which := r.Uint("terms", 2*hasTogether-1)
	if which&hasWithin != 0 && which&hasTogether != 0 {
		r.Fail("terms", which, "have Within and Together")
	}
	if which == 0 {
		return ""
	}
	list := []byte{byte(which)}
	number := func(what string, most uint64) {
		list = binary.AppendUvarint(list, r.Uint(what, most))
	}
	index := func(what string, n int) {
		if n == 0 {
			r.Fail(what, 0, "is named, but the machine has none")
			return
		}
		number(what, uint64(n-1))
	}
	if which&hasPerNode != 0 {
		n := r.Uint("tasks a node", math.MaxInt64)
		if n == 0 {
			r.Fail("tasks a node", n, "is less than 1")
		}
		list = binary.AppendUvarint(list, n)
	}
	if which&hasNodes != 0 {
		list = l.readRuns(r, list)
	}
	if which&hasSet != 0 {
		index("set", len(l.setNames))
	}
	if which&hasExcept != 0 {
		before := len(list)
		list = l.readRuns(r, list)
		if r.Err() == nil && list[before] == 0 {
			r.Fail("nodes excepted", 0, "is less than 1")
		}
	}
	if which&hasWithin != 0 {
		index("level", len(l.source.Levels))
	}
	if which&hasTogether != 0 {
		index("level", len(l.source.Levels))
	}
	return numbers(list)
}

// readRuns reads runs of nodes, and appends them. Runs do not touch, or they would be one.
func (l *layout) readRuns(r *snapshot.Reader, into []byte) []byte {
	all := len(l.given)
	n := r.Uint("runs of nodes", uint64(min(all, r.Left())))
	into = binary.AppendUvarint(into, n)
	next := 0
	for i := range n {
		skip := r.Uint("nodes skipped", uint64(all))
		more := r.Uint("nodes of a run", uint64(all))
		next += int(skip) + int(more) + 1
		if i > 0 && skip == 0 || next > all {
			r.Fail("run of nodes", next, fmt.Sprintf("touches the run before, or ends behind the %d nodes", all))
		}
		if r.Err() != nil {
			return into
		}
		into = binary.AppendUvarint(into, skip)
		into = binary.AppendUvarint(into, more)
	}
	return into
}
