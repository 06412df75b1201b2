package plan

import (
	"fmt"
	"slices"

	"github.com/bookahead/bookahead/internal/limits"
	"github.com/bookahead/bookahead/nodes"
)

// keeps returns an error that wraps bookahead.ErrInvalid if a place breaks the terms of a part: no search would find it, whatever
// is booked. Together is only a wish, which any place keeps. O(n) for n nodes that the terms name.
//
//	4 tasks, at most 2 a node, within a rack      racks 0: 0 1 2    1: 3 4 5
//	2 on 0, 2 on 2      keeps
//	3 on 0, 1 on 1      breaks PerNode
//	2 on 2, 2 on 3      breaks Within
func (m *member) keeps(x *Place, p *Part, field string) error {
	if m.nodes == nil {
		return m.keepsServers(x, p, field)
	}
	r := p.Tasks
	if x.Servers != nil {
		return limits.Invalid(field+".Servers", x.Servers, "are named, and the schedule has nodes")
	}
	if x.Head >= 0 != (r.Head != nil) {
		return limits.Invalid(field+".Head", x.Head, fmt.Sprintf("is not a node for a head of %v", r.Head))
	}
	sum := int64(0)
	for i, s := range x.Nodes {
		at := fmt.Sprintf("%s.Nodes[%d]", field, i)
		switch {
		case s.Tasks < 1 || s.Tasks > p.Units-sum:
			return limits.Invalid(at+".Tasks", s.Tasks, fmt.Sprintf("is not between 1 and the %d of %d tasks that are left", p.Units-sum, p.Units))
		case r.PerNode > 0 && s.Tasks > r.PerNode:
			return limits.Invalid(at+".Tasks", s.Tasks, fmt.Sprintf("is more than the %d that a node may get", r.PerNode))
		}
		sum += s.Tasks
	}
	if sum != p.Units {
		return limits.Invalid(field+".Nodes", x.Nodes, fmt.Sprintf("have %d of %d tasks", sum, p.Units))
	}
	err := m.keepsBundles(x, r, field)
	if err != nil {
		return err
	}
	return m.keepsNodes(x.on(), r, field)
}

// keepsBundles checks that each group has whole bundles of tasks. A node in no group is one by itself.
func (m *member) keepsBundles(x *Place, r *nodes.Request, field string) error {
	if r.Bundle == 0 {
		return nil
	}
	tasks := map[int]int64{}
	for _, s := range x.Nodes {
		tasks[s.Node] = s.Tasks
	}
	groups := m.groups(r.Bundled)
	for _, group := range groups {
		n := int64(0)
		for _, k := range group {
			n += tasks[k]
			delete(tasks, k)
		}
		if n%r.Bundle != 0 {
			return limits.Invalid(field+".Nodes", x.Nodes, fmt.Sprintf("have %d tasks on nodes of one group of level %q, which are not whole bundles of %d", n, r.Bundled, r.Bundle))
		}
	}
	for _, s := range x.Nodes {
		if tasks[s.Node]%r.Bundle != 0 {
			return limits.Invalid(field+".Nodes", x.Nodes, fmt.Sprintf("have %d tasks on node %d, which are not whole bundles of %d", s.Tasks, s.Node, r.Bundle))
		}
	}
	return nil
}

// keepsNodes checks the nodes of a place.
func (m *member) keepsNodes(on []int, r *nodes.Request, field string) error {
	for _, k := range on {
		switch {
		case r.Nodes != nil && !slices.Contains(r.Nodes, k):
			return limits.Invalid(field, k, "is none of the nodes that the part allows")
		case slices.Contains(r.Except, k):
			return limits.Invalid(field, k, "is a node that the part rules out")
		case r.Set != "" && !slices.Contains(m.layout().Sets[r.Set], k):
			return limits.Invalid(field, k, fmt.Sprintf("is not in set %q", r.Set))
		}
	}
	if r.Within != "" && !slices.ContainsFunc(m.groups(r.Within), func(group []int) bool { return within(on, group) }) {
		return limits.Invalid(field, on, fmt.Sprintf("are not nodes of one group of level %q", r.Within))
	}
	return nil
}

// together reports whether a place lies in one group of a level, or on one node.
func (m *member) together(x *Place, level string) bool {
	on := x.on()
	return within(on, on[:1]) || slices.ContainsFunc(m.groups(level), func(group []int) bool { return within(on, group) })
}

// within reports whether a group has all nodes of a list.
func within(list, group []int) bool {
	return !slices.ContainsFunc(list, func(k int) bool { return !slices.Contains(group, k) })
}

// keepsServers checks the servers of a place: a pool has none, and of servers all are named.
func (m *member) keepsServers(x *Place, p *Part, field string) error {
	has := m.frame().Servers > 0
	switch {
	case x.Nodes != nil || x.Head != -1:
		return limits.Invalid(field+".Nodes", x.Nodes, fmt.Sprintf("and head %d are not those of a schedule without nodes", x.Head))
	case !has && x.Servers != nil:
		return limits.Invalid(field+".Servers", x.Servers, "are named, and the schedule has none")
	case has && int64(len(x.Servers)) != p.Units:
		return limits.Invalid(field+".Servers", x.Servers, fmt.Sprintf("are not %d", p.Units))
	}
	for _, k := range x.Servers {
		if p.Servers != nil && !slices.Contains(p.Servers, k) {
			return limits.Invalid(field+".Servers", k, "is none of the servers that the part allows")
		}
	}
	return nil
}

// groups returns the groups of a level.
func (m *member) groups(level string) [][]int {
	for _, l := range m.layout().Levels {
		if l.Name == level {
			return l.Groups
		}
	}
	return nil
}

// layout returns the levels and sets of nodes, which never change.
func (m *member) layout() *nodes.Config {
	if m.config == nil {
		c := m.nodes.Config()
		m.config = &c
	}
	return m.config
}
