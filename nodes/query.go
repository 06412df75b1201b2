package nodes

import (
	"fmt"
	"math"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

// query is a request as a machine looks at it.
type query struct {
	d          bookahead.Time
	tasks      int64
	perNode    int64 // the most that any node can get; none if it is 0
	each, head Vector
	layout     *layout
	together   *level // as few groups of it as possible; nil does not care

	need           [MaxResources]uint64 // what one task needs
	floor          [MaxResources]uint64 // the levels that it reaches
	most, mostHead []int64              // for each class of nodes: tasks, and tasks besides the head
	allowed        []uint64             // the nodes that may get tasks
	parts          []part               // all tasks lie in one of them
	within         *level               // the groups that they are; nil: there is one of all nodes
	narrow         bool                 // they are not all
	few            int                  // on fewer nodes, there is no place
	// The rows of a chunk in which a node must be for one task, or for the head: where they begin.
	leastRows, mostRows []int
	// A node that is in all sureRows of the chunks that a window touches serves it. Without sure,
	// there are none.
	sureRows []int
	sure     bool

	// A Rebook has more to say.
	old     *booking       // the reservation whose own use counts as free
	running bool           // it never swaps a task for another
	lent    map[int]*steps // what is free on its nodes besides its own use
	lentTo  []uint64       // these nodes, as far as they are allowed
}

// ask checks a request against the machine, and makes a query of it. The query may have been another.
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

// measure finds out how much nodes can ever get.
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

// checkNodes checks that the machine has the nodes.
func (m *Machine) checkNodes(field string, list []int) error {
	if len(list) == 0 {
		return nil
	}
	k := slices.Max(list)
	if k >= len(m.given) {
		return limits.Invalid(field, k, fmt.Sprintf("is not below the %d nodes that there are", len(m.given)))
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

// rowsOf notes in a query, which is not hopeless, the rows in which a search looks. A node that lacks the
// level of a task, or of the head if that needs less, has room for neither.
func (x *index) rowsOf(q *query) {
	x.packing.need(1, q.each, nil, q.need[:])
	q.few = int(min((q.tasks-1)/q.perNode, int64(len(x.nodes)))) + 1 // that are more than all is enough to know
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

// borrow makes what is lent to a Rebook count.
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

// fit returns how many tasks a node can get with so much free.
func (q *query) fit(free Vector) int64 {
	n := q.perNode
	for r, want := range q.each {
		if want > 0 {
			n = min(n, max(0, free[r])/want)
		}
	}
	return n
}

// beside returns how many tasks a node can get besides the head, and -1 if the head has no room.
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

// on returns what is free on a node over time, in the eyes of the query.
func (q *query) on(nodes []steps, k int) *steps {
	if q.lent != nil {
		s, ok := q.lent[k]
		if ok {
			return s
		}
	}
	return &nodes[k]
}
