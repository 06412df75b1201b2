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
	perNode    int64 // math.MaxInt64: as many as fit
	each, head Vector
	layout     *layout
	parts      [][]int // the nodes that may get tasks, ascending: all tasks lie in one part
	together   *level  // as few groups of it as possible; nil does not care

	// A Rebook has more to say.
	old     *booking       // the reservation whose own use counts as free
	running bool           // it never swaps a task for another
	lent    map[int]*steps // what is free on its nodes besides its own use
}

// ask checks a request against the machine.
func (m *Machine) ask(r Request) (*query, error) {
	err := m.check(r)
	if err != nil {
		return nil, err
	}
	q := &query{d: bookahead.Time(r.Duration), tasks: r.Tasks, perNode: r.PerNode, each: r.Each, head: r.Head, layout: m.layout}
	if q.perNode == 0 {
		q.perNode = math.MaxInt64
	}
	q.parts = [][]int{m.all}
	if r.Within != "" {
		q.parts = m.levels[r.Within].groups
	}
	if r.Together != "" {
		q.together = m.levels[r.Together]
	}
	if r.Nodes != nil || r.Set != "" || len(r.Except) > 0 {
		q.parts = m.narrow(q.parts, r)
	}
	return q, nil
}

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

// narrow leaves in each part the nodes that a request allows.
func (m *Machine) narrow(parts [][]int, r Request) [][]int {
	votes := make([]int8, len(m.given)) // a node needs them all
	need := int8(0)
	vote := func(list []int) {
		need++
		for _, k := range list {
			votes[k]++
		}
	}
	if r.Nodes != nil {
		vote(r.Nodes)
	}
	if r.Set != "" {
		vote(m.sets[r.Set])
	}
	for _, k := range r.Except {
		votes[k] = -1
	}
	narrowed := make([][]int, len(parts))
	for i, part := range parts {
		for _, k := range part {
			if votes[k] == need {
				narrowed[i] = append(narrowed[i], k)
			}
		}
	}
	return narrowed
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
