package nodes

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/closures"
	"github.com/bookahead/bookahead/internal/limits"
)

// Added is a node that Extend adds.
type Added struct {
	// Has is how much of each resource it has.
	Has Vector
	// Groups says in which group of a level, by name, the node lies. The number of groups that
	// there are stands for a new group, and the next number for another. A level that is not
	// named has no group for it.
	Groups map[string]int
	// Sets are those that it belongs to.
	Sets []string
}

// Extend adds nodes for the time of c, behind those that there are, and returns the extension as it
// is listed, with the indices of the nodes as Servers. A node keeps its index for ever. Before its
// time and after, it is closed. So a node that comes and goes is better closed and opened than added
// each time. The error wraps bookahead.ErrInvalid. O(n) for all nodes and their groups, and O(m) for each
// new node, if its time touches m chunks. When there is no more room in the rows of the chunks, or a
// node has more of a resource than any before, the index is built anew, with room for an eighth more:
// O(n c + s log s) for n nodes, c chunks and all s steps.
func (m *Machine) Extend(c bookahead.Closure, more []Added) (bookahead.Closure, error) {
	c, err := closures.Check(c, m.bounds.Now)
	if err != nil {
		return bookahead.Closure{}, err
	}
	switch n := int64(len(more)); {
	case n == 0:
		return bookahead.Closure{}, limits.Invalid("added", n, "are no nodes")
	case len(c.Servers) > 0:
		return bookahead.Closure{}, limits.Invalid("Closure.Servers", c.Servers, "are named, but the machine gives the indices")
	case c.Units != 0 && c.Units != n:
		return bookahead.Closure{}, limits.Invalid("Closure.Units", c.Units, fmt.Sprintf("is not the number of nodes, %d", n))
	}
	larger := m.source.clone()
	c.Added, c.Units = true, int64(len(more))
	for _, node := range more {
		c.Servers = append(c.Servers, len(larger.Nodes))
		err := larger.add(node)
		if err != nil {
			return bookahead.Closure{}, err
		}
	}
	err = larger.check()
	if err != nil {
		return bookahead.Closure{}, err
	}
	m.layout = newLayout(larger)
	always := bookahead.Interval{Start: m.bounds.Now, End: bookahead.MaxTime}
	m.index.extend(m.layout)
	for _, k := range c.Servers {
		m.closed.add(m.bounds.Now, k, always, 1)
	}
	m.uncover(c.Servers, c.Interval)
	return m.closed.list.Add(c), nil
}

// add adds a node to a Config. The error wraps bookahead.ErrInvalid if the Config has not its levels
// and sets.
func (c *Config) add(node Added) error {
	k := len(c.Nodes)
	c.Nodes = append(c.Nodes, node.Has)
	named := 0
	for i := range c.Levels {
		level := &c.Levels[i]
		g, ok := node.Groups[level.Name]
		switch {
		case !ok:
			continue
		case g < 0 || g > len(level.Groups):
			return limits.Invalid(fmt.Sprintf("added.Groups[%q]", level.Name), g, fmt.Sprintf("is not between 0 and %d", len(level.Groups)))
		case g == len(level.Groups):
			level.Groups = append(level.Groups, nil)
		}
		level.Groups[g] = append(level.Groups[g], k)
		named++
	}
	if named < len(node.Groups) {
		return limits.Invalid("added.Groups", node.Groups, "names a level that the machine has not")
	}
	for _, name := range node.Sets {
		_, ok := c.Sets[name]
		if !ok {
			return limits.Invalid("added.Sets", name, "is no set of the machine")
		}
		c.Sets[name] = append(c.Sets[name], k)
	}
	return nil
}
