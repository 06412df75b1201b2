package nodes

import (
	"fmt"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/closures"
	"github.com/bookahead/bookahead/internal/limits"
)

// Added is a node that Extend adds.
type Added struct {
	// Has is the amounts of the node.
	Has Vector
	// Groups has the index of the node's group for each level, by name. If a level has n groups,
	// index n makes a new group, and index n+1 another. On a level that is not named, the node is
	// in no group.
	Groups map[string]int
	// Sets are the names of the sets to which the node belongs.
	Sets []string
}

// Extend adds nodes for the time of c, with the next free indices, and returns the extension as Closures
// lists it, with the new indices as Servers. A node keeps its index for ever, and is closed before and
// after its time. So a node that comes and goes should be closed and opened, instead of added each time.
// The error wraps bookahead.ErrInvalid. O(n) for all nodes and their groups, and O(m) for each new node if
// its time touches m chunks. If the rows of the chunks have no more room, or a new node has more of a
// resource than any before, the index is built anew with room for an eighth more nodes: O(n c + s log s)
// for n nodes, c chunks and all s steps.
func (m *Machine) Extend(c bookahead.Closure, more []Added) (bookahead.Closure, error) {
	c, err := closures.Check(c, m.bounds.Now)
	if err != nil {
		return bookahead.Closure{}, err
	}
	switch n := int64(len(more)); {
	case n == 0:
		return bookahead.Closure{}, limits.Invalid("added", n, "is less than 1")
	case len(c.Servers) > 0:
		return bookahead.Closure{}, limits.Invalid("Closure.Servers", c.Servers, "are named, but the machine chooses the indices of new nodes")
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
	m.uncoverNodes(c.Servers, c.Interval)
	return m.closed.list.Add(c), nil
}

// add adds a node to a Config. The error wraps bookahead.ErrInvalid if the node names a level or a set
// that the Config does not have.
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
		return limits.Invalid("added.Groups", node.Groups, "names a level that the machine does not have")
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
