package nodes

import (
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

func (m *Machine) search(r Request) (*booking, error) { return m.find(r, false) }

// find returns the place for r. With learn, which only writers may set, the machine remembers where
// there was no place.
func (m *Machine) find(r Request, learn bool) (*booking, error) {
	s := m.index.begin()
	defer s.done()
	err := m.ask(r, &s.query)
	if err != nil {
		return nil, err
	}
	first, last, err := m.bounds.Starts(r.times())
	if err != nil {
		return nil, m.why(&s.query, r) // Starts has no other error: the request has been checked
	}
	t, ok := s.seek(first, last, learn)
	if !ok {
		return nil, m.why(&s.query, r)
	}
	return m.settle(s, r, t, last)
}

// settle returns the place for r, whose earliest start is t and whose last is given: later than t if r has the patience
// to wait for a place in one group.
//
//	earliest start    t in two racks
//	in one rack       t+40                  taken with a Patience of 40 or more, and else t
func (m *Machine) settle(s *search, r Request, t, last bookahead.Time) (*booking, error) {
	if r.Patience == 0 {
		return s.place(m.policy, t)
	}
	one := m.index.begin()
	defer one.done()
	_ = m.ask(r, &one.query) // no error: s has asked the same
	one.inOneGroup()
	if s.old != nil {
		one.old = s.old
		one.borrow(s.lent)
	}
	start, ok := one.seek(t, t+min(last-t, bookahead.Time(r.Patience)), false)
	switch {
	case !ok:
		return s.place(m.policy, t)
	case s.old != nil: // else the tasks that stay could lie in several groups, and nothing would be waited for
		return one.place(m.policy, start)
	}
	s.at(bookahead.Interval{Start: start, End: start + s.d})
	return s.place(m.policy, start)
}

// ask checks a request against the machine, and makes q its query. The memory of q is used again.
func (m *Machine) ask(r Request, q *query) error {
	err := m.check(r)
	if err != nil {
		return err
	}
	*q = query{
		d: bookahead.Time(r.Duration), tasks: r.Tasks, perNode: r.PerNode, each: r.Each, head: r.Head, exclusive: r.Exclusive, layout: m.layout,
		bundle: max(1, r.Bundle),
		most:   q.most[:0], mostHead: q.mostHead[:0], leastRows: q.leastRows[:0], mostRows: q.mostRows[:0], sureRows: q.sureRows[:0],
	}
	q.allowed, q.parts = m.index.all, m.index.whole
	if r.Within != "" {
		q.within = m.levels[r.Within]
		q.parts = q.within.parts
	}
	if r.Together != "" {
		q.together = m.levels[r.Together]
	}
	if r.Bundle > 0 {
		q.bundled = m.levels[r.Bundled]
		if m.finer(r.Within, r.Bundled) { // no bundle leaves the group for Within
			q.bundled = q.within
		}
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

// check returns an error that wraps bookahead.ErrInvalid if the machine cannot make sense of r.
func (m *Machine) check(r Request) error {
	err := r.Validate()
	if err != nil {
		return err
	}
	_, within := m.levels[r.Within]
	_, together := m.levels[r.Together]
	_, bundled := m.levels[r.Bundled]
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
	case r.Bundle > 0 && !bundled:
		return limits.Invalid("Request.Bundled", r.Bundled, "is no level of the machine")
	case r.Bundle > 0 && m.finer(r.Together, r.Bundled):
		return limits.Invalid("Request.Together", r.Together, fmt.Sprintf("is finer than Bundled, %q", r.Bundled))
	case r.Set != "" && !set:
		return limits.Invalid("Request.Set", r.Set, "is no set of the machine")
	}
	err = m.checkNodes("Request.Nodes", r.Nodes)
	if err == nil {
		err = m.checkNodes("Request.Except", r.Except)
	}
	return err
}

// finer reports whether a request names the first of two levels, and its groups lie in groups of the second.
func (l *layout) finer(name, than string) bool {
	return name != "" && slices.Index(l.terms.levels, name) < slices.Index(l.terms.levels, than)
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
