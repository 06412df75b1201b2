package nodes

import (
	"maps"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
)

// query is a request in the machine's own terms.
type query struct {
	d          bookahead.Time
	tasks      int64
	perNode    int64 // the most tasks that any node can ever get; 0 if no node can get any
	each, head Vector
	exclusive  bool // only nodes that are free as a whole may get tasks
	layout     *layout
	together   *level // the tasks lie in as few groups of this level as possible; nil: no such wish

	need           [MaxResources]uint64 // the amounts of one task, packed; if exclusive, the least that a node has that may hold one
	floor          [MaxResources]uint64 // the highest levels that are no more than the amounts, packed
	most, mostHead []int64              // for each class of nodes: tasks, and tasks besides the head
	allowed        []uint64             // the nodes that may get tasks
	parts          []part               // all tasks lie in one of these parts
	within         *level               // the level whose groups are the parts; nil: one part has all nodes
	narrow         bool                 // not all nodes are allowed
	few            int                  // fewer nodes cannot hold all tasks
	// A node has room for a task, or for the head, only if it is in these rows of a chunk. Each row is
	// given by the offset at which it begins.
	leastRows, mostRows []int
	// With sure, a node that is in all sureRows of each chunk that a window touches serves the window.
	sureRows []int
	sure     bool

	// Of a Rebook alone.
	old     *booking       // the reservation whose own use counts as free
	running bool           // the reservation is running: none of its tasks moves
	lent    map[int]*steps // the steps of its nodes, with its own use as free
	lentTo  []uint64       // those of its nodes that are allowed

	task    [MaxResources]uint64 // the amounts of one task, packed; only if exclusive
	bundle  int64                // the tasks of a bundle; 1 without bundles
	bundled *level               // each bundle lies in one group of this level; nil: there are no bundles
}

// measure notes how many tasks the nodes of each class can ever get, when all is free.
func (q *query) measure() {
	if q.perNode == 0 {
		q.perNode = math.MaxInt64
	}
	most, heads := int64(0), false
	for _, v := range q.layout.classes {
		n := q.fit(v)
		q.most = append(q.most, n)
		most = max(most, n)
		if q.head != nil {
			n = q.beside(v)
			q.mostHead = append(q.mostHead, n)
			heads = heads || n >= 0
		}
	}
	if q.head != nil && !heads {
		most = 0
	}
	q.perNode = most
}

// whole returns the tasks of whole bundles in a group that has room for n tasks.
func (q *query) whole(n int64) int64 { return n - n%q.bundle }

// group returns the group of a node for Together. A group of bundles that lies in no group for Together counts as a group by
// itself, like a node.
func (q *query) group(k int) int {
	if q.bundled != nil {
		k = q.bundled.first[q.bundled.of[k]]
	}
	return q.together.of[k]
}

// demand returns as much of a query as zones compare.
func (q *query) demand() demand {
	if q.exclusive { // several tasks may share a node, and do not take it once each
		return demand{q.d, q.tasks, q.perNode, q.within, q.task}
	}
	return demand{q.d, q.tasks, q.perNode, q.within, q.need}
}

// hopeless reports whether no node can ever get a task, or the head.
func (q *query) hopeless() bool { return q.perNode == 0 }

// rowsOf notes in a query the rows that a search reads. The query is not hopeless. A node that does not
// reach the level of the lesser of a task and the head has room for neither:
//
//	levels      1  4  8  12  16 ...
//	a task      10 cores      leastRows and mostRows are those of level 8, and sureRows that of level 12
//	a task       8 cores      all rows are those of level 8, which is the need itself
//
// A node gets exclusive tasks only if it has all that it was given. So it has no less than the least that any such node
// was given, and the rows are those of this amount.
func (x *index) rowsOf(q *query) {
	each, head := q.each, q.head
	if q.exclusive {
		x.packing.need(1, each, nil, q.task[:])
		each, head = q.leastGiven(), nil
	}
	x.packing.need(1, each, nil, q.need[:])
	q.few = int(min((q.tasks-1)/q.perNode, int64(len(x.nodes)))) + 1 // at most one more than there are
	var floor [MaxResources]int64
	q.sure = head == nil && !q.exclusive
	for r, want := range each {
		if head != nil {
			want = min(want, head[r])
		}
		if want > 0 {
			level := x.highest(r, want)
			floor[r] = x.of[r][level]
			row := x.levels.begin[r] + level
			q.leastRows = append(q.leastRows, row*x.stride)
			q.mostRows = append(q.mostRows, (x.mostRow()+row)*x.stride)
			if floor[r] < want {
				row++
				q.sure = q.sure && level+1 < len(x.of[r])
			}
			q.sureRows = append(q.sureRows, row*x.stride)
		}
	}
	x.packing.need(1, floor[:], nil, q.floor[:])
}

// inOneGroup makes each group for Together a part, as far as it lies in a group for Within. A node in no group is a part
// by itself. O(n + g log g) for n nodes in g parts.
func (q *query) inOneGroup() {
	lists := map[[2]int][]int{}
	for k := range q.together.of {
		w, g := 0, q.group(k)
		if q.within != nil {
			w = q.within.of[k]
			if w >= len(q.within.parts) {
				continue // in no group for Within
			}
		}
		lists[[2]int{w, g}] = append(lists[[2]int{w, g}], k)
	}
	q.parts = nil
	for _, key := range slices.SortedFunc(maps.Keys(lists), func(a, b [2]int) int { return slices.Compare(a[:], b[:]) }) {
		q.parts = append(q.parts, partOf(lists[key]))
	}
	q.within, q.narrow = nil, true // neither zones of groups nor facts about all nodes are about these parts
}

// leastGiven returns the least of each resource that a node has on which a task or the head may lie.
func (q *query) leastGiven() Vector {
	var least Vector
	for i, v := range q.layout.classes {
		switch {
		case q.most[i] == 0 && (q.head == nil || q.mostHead[i] < 0):
		case least == nil:
			least = append(least, v...)
		default:
			for r := range v {
				least[r] = min(least[r], v[r])
			}
		}
	}
	return least
}

// leastOn writes the amount of each resource that a node has for the query throughout w. A node that is not free as a
// whole has nothing for an exclusive query.
func (q *query) leastOn(nodes []steps, k int, w bookahead.Interval, into Vector) {
	q.on(nodes, k).least(w, into)
	if q.exclusive && !enough(into, q.layout.given[k]) {
		clear(into)
	}
}

// borrow makes a query use the lent steps of a Rebook. Rows do not know that more is free on these nodes,
// so the search counts on each of them, and needs fewer others.
func (q *query) borrow(lent map[int]*steps) {
	q.lent, q.lentTo = lent, make([]uint64, len(q.allowed))
	for k := range lent {
		bit := q.allowed[k/64] & (1 << (k % 64))
		if bit != 0 {
			q.lentTo[k/64] |= bit
			q.few--
		}
	}
}

// fit returns how many tasks a node with these free amounts can get.
func (q *query) fit(free Vector) int64 {
	n := q.perNode
	for r, want := range q.each {
		if want > 0 {
			n = min(n, max(0, free[r])/want)
		}
	}
	return n
}

// beside returns how many tasks a node with these free amounts can get besides the head; -1 if the head
// has no room.
func (q *query) beside(free Vector) int64 {
	n := q.perNode
	for r, want := range q.each {
		left := free[r]
		if q.head[r] > 0 {
			if left < q.head[r] {
				return -1
			}
			left -= q.head[r]
		}
		if want > 0 {
			n = min(n, max(0, left)/want)
		}
	}
	return n
}

// on returns the steps of a node, which are the lent ones if there are any.
func (q *query) on(nodes []steps, k int) *steps {
	if q.lent != nil {
		s, ok := q.lent[k]
		if ok {
			return s
		}
	}
	return &nodes[k]
}
