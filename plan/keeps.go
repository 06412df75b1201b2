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
	var on []int
	for i, s := range x.Nodes {
		at := fmt.Sprintf("%s.Nodes[%d]", field, i)
		switch {
		case s.Tasks < 1 || s.Tasks > p.Units-sum:
			return limits.Invalid(at+".Tasks", s.Tasks, fmt.Sprintf("is not between 1 and the %d of %d tasks that are left", p.Units-sum, p.Units))
		case r.PerNode > 0 && s.Tasks > r.PerNode:
			return limits.Invalid(at+".Tasks", s.Tasks, fmt.Sprintf("is more than the %d that a node may get", r.PerNode))
		}
		sum += s.Tasks
		on = append(on, s.Node)
	}
	if sum != p.Units {
		return limits.Invalid(field+".Nodes", x.Nodes, fmt.Sprintf("have %d of %d tasks", sum, p.Units))
	}
	if x.Head >= 0 {
		on = append(on, x.Head)
	}
	return m.keepsNodes(on, r, field)
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
	if r.Within == "" {
		return nil
	}
	for _, level := range m.layout().Levels {
		if level.Name == r.Within && !slices.ContainsFunc(level.Groups, func(group []int) bool { return within(on, group) }) {
			return limits.Invalid(field, on, fmt.Sprintf("are not nodes of one group of level %q", r.Within))
		}
	}
	return nil
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

// layout returns the levels and sets of nodes, which never change.
func (m *member) layout() *nodes.Config {
	if m.config == nil {
		c := m.nodes.Config()
		m.config = &c
	}
	return m.config
}
