package nodes

import (
	"fmt"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// query is a request in the machine's own terms.
type query struct {
	d          bookahead.Time
	tasks      int64
	perNode    int64 // the most tasks that any node can ever get; 0 if no node can get any
	each, head Vector
	layout     *layout
	together   *level // the tasks lie in as few groups of this level as possible; nil: no such wish

	need           [MaxResources]uint64 // the amounts of one task, packed
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
}

// ask checks a request against the machine, and makes q its query. The memory of q is used again.
func (m *Machine) ask(r Request, q *query) error {
	err := m.check(r)
	if err != nil {
		return err
	}
	*q = query{
		d: bookahead.Time(r.Duration), tasks: r.Tasks, perNode: r.PerNode, each: r.Each, head: r.Head, layout: m.layout,
		most: q.most[:0], mostHead: q.mostHead[:0], leastRows: q.leastRows[:0], mostRows: q.mostRows[:0], sureRows: q.sureRows[:0],
	}
	q.allowed, q.parts = m.index.all, m.index.whole
	if r.Within != "" {
		q.within = m.levels[r.Within]
		q.parts = q.within.parts
	}
	if r.Together != "" {
		q.together = m.levels[r.Together]
	}
	if r.Nodes != nil || r.Set != "" || len(r.Except) > 0 {
		q.allowed, q.narrow = m.narrow(r), true
	}
	q.measure()
	if !q.hopeless() {
		m.index.rowsOf(q)
	}
	return nil
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

// The errors of a request without a place that is not merely booked out. Both wrap bookahead.ErrUnavailable, so
// that errors.Is finds it; no comparison with == does. A scheduler turns down the first kind of request, and keeps
// the second kind until a repair.
var (
	// ErrNever says that no Release, no repair and no later time makes room: the machine is too small even when
	// all of its nodes are open and nothing is booked, or the duration is too long for the horizon, or for the
	// time that is left until the deadline. Only Extend may help.
	ErrNever error = &reason{"nodes: the machine never has room for the request"}
	// ErrClosed says that no Release makes room: closures leave too few nodes at every start that the request
	// allows, even if nothing were booked.
	ErrClosed error = &reason{"nodes: closures leave no room for the request"}
)

// reason is a kind of bookahead.ErrUnavailable.
type reason struct{ text string }

func (e *reason) Error() string { return e.text }

// Unwrap returns bookahead.ErrUnavailable.
func (e *reason) Unwrap() error { return bookahead.ErrUnavailable }

// why returns the error of a request for which a search has found no place. O(n) for n nodes, and mostly less,
// because it stops when enough nodes are seen; O(c n) if c ends of closures lie between the first and the last
// start, and the nodes that are never closed do not suffice.
func (m *Machine) why(q *query, r Request) error {
	switch {
	case q.d > m.bounds.End-m.bounds.Now, r.Deadline != 0 && r.Deadline-q.d < m.bounds.Now, !q.holds(nil):
		return ErrNever
	case len(m.closed.shut) == 0:
		return bookahead.ErrUnavailable
	}
	first, last, err := m.bounds.Starts(r.times())
	if err == nil && !m.holdsWhileOpen(q, first, last) {
		return ErrClosed
	}
	return bookahead.ErrUnavailable
}

// holds reports whether some part has room for the request when nothing is booked, on those of its nodes that are
// open; nil stands for all.
func (q *query) holds(open func(k int) bool) bool {
	for _, p := range q.parts {
		sum, gain, head := int64(0), int64(math.MinInt64), q.head == nil
		if head {
			gain = 0
		}
		for k := range p.in(q.allowed) {
			if open != nil && !open(k) {
				continue
			}
			class := q.layout.class[k]
			sum += q.most[class]
			if q.head != nil && q.mostHead[class] >= 0 { // where the head takes the least room
				gain, head = max(gain, q.mostHead[class]-q.most[class]), true
			}
			if head && sum+gain >= q.tasks {
				return true
			}
		}
	}
	return false
}

// holdsWhileOpen reports whether there is a start from first to last at which the open nodes have room when nothing
// is booked. It tries the first start and those at which a node opens, because between them nodes only close.
func (m *Machine) holdsWhileOpen(q *query, first, last bookahead.Time) bool {
	if q.holds(func(k int) bool { return m.closed.shut[k].data == nil }) { // most requests need none of the others
		return true
	}
	tries := []bookahead.Time{first}
	for _, shut := range m.closed.shut {
		for i := range shut.len() {
			t := shut.start(i)
			if t > first && t <= last && shut.amountAt(i, 0) == 0 {
				tries = append(tries, t)
			}
		}
	}
	slices.Sort(tries)
	for _, t := range slices.Compact(tries) {
		w := bookahead.Interval{Start: t, End: t + q.d}
		if q.holds(func(k int) bool { return m.closed.open(k, w) }) {
			return true
		}
	}
	return false
}

// hopeless reports whether no node can ever get a task, or the head.
func (q *query) hopeless() bool { return q.perNode == 0 }

// check returns an error that wraps bookahead.ErrInvalid if the machine cannot make sense of r.
func (m *Machine) check(r Request) error {
	err := r.Validate()
	if err != nil {
		return err
	}
	_, within := m.levels[r.Within]
	_, together := m.levels[r.Together]
	_, set := m.sets[r.Set]
	wrong := func(v Vector) bool { return len(v) != m.wide }
	switch {
	case wrong(r.Each):
		return limits.Invalid("Request.Each", r.Each, fmt.Sprintf("does not have an amount for each of the resources %v", m.resources))
	case r.Head != nil && wrong(r.Head):
		return limits.Invalid("Request.Head", r.Head, fmt.Sprintf("does not have an amount for each of the resources %v", m.resources))
	case r.Within != "" && !within:
		return limits.Invalid("Request.Within", r.Within, "is no level of the machine")
	case r.Together != "" && !together:
		return limits.Invalid("Request.Together", r.Together, "is no level of the machine")
	case r.Set != "" && !set:
		return limits.Invalid("Request.Set", r.Set, "is no set of the machine")
	}
	err = m.checkNodes("Request.Nodes", r.Nodes)
	if err == nil {
		err = m.checkNodes("Request.Except", r.Except)
	}
	return err
}

// checkNodes checks that the machine has all nodes of a list, in which none is negative.
func (m *Machine) checkNodes(field string, list []int) error {
	if len(list) == 0 {
		return nil
	}
	k := slices.Max(list)
	if k >= len(m.given) {
		return limits.Invalid(field, k, fmt.Sprintf("is not below the %d nodes", len(m.given)))
	}
	return nil
}

// narrow returns the nodes that a request allows.
func (m *Machine) narrow(r Request) []uint64 {
	set := slices.Clone(m.index.all)
	keep := func(nodes []int) {
		kept := make([]uint64, len(set))
		for _, k := range nodes {
			kept[k/64] |= set[k/64] & (1 << (k % 64))
		}
		set = kept
	}
	if r.Nodes != nil {
		keep(r.Nodes)
	}
	if r.Set != "" {
		keep(m.sets[r.Set])
	}
	for _, k := range r.Except {
		set[k/64] &^= 1 << (k % 64)
	}
	return set
}

// rowsOf notes in a query the rows that a search reads. The query is not hopeless. A node that does not
// reach the level of the lesser of a task and the head has room for neither:
//
//	levels      1  4  8  12  16 ...
//	a task      10 cores      leastRows and mostRows are those of level 8, and sureRows that of level 12
//	a task       8 cores      all rows are those of level 8, which is the need itself
func (x *index) rowsOf(q *query) {
	x.packing.need(1, q.each, nil, q.need[:])
	q.few = int(min((q.tasks-1)/q.perNode, int64(len(x.nodes)))) + 1 // at most one more than there are
	var floor [MaxResources]int64
	q.sure = q.head == nil
	for r, want := range q.each {
		if q.head != nil {
			want = min(want, q.head[r])
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
