package route

import (
	"fmt"
	"strconv"
)

// names finds nodes and links by name.
type names struct{ nodes, links map[string]int }

// name enters the names, if there are any, and refuses those that come twice.
func (n *Network) name() error {
	if k := len(n.config.Nodes); k != 0 && k != n.nodes {
		return invalid("Config.Nodes", k, fmt.Sprintf("names, not one for each of %d nodes", n.nodes))
	}
	enter := func(of *map[string]int, field, name string, i int) error {
		if name == "" {
			return nil
		}
		if *of == nil {
			*of = map[string]int{}
		}
		if first, twice := (*of)[name]; twice {
			return invalid(field, strconv.Quote(name), fmt.Sprintf("is the name of %d as well", first))
		}
		(*of)[name] = i
		return nil
	}
	for v, name := range n.config.Nodes {
		if err := enter(&n.names.nodes, fmt.Sprintf("Config.Nodes[%d]", v), name, v); err != nil {
			return err
		}
	}
	for i := range n.links {
		if err := enter(&n.names.links, fmt.Sprintf("Link[%d].Name", i), n.links[i].Name, i); err != nil {
			return err
		}
	}
	return nil
}

// linkField is what errors call a link: by its index, and its name if it has one.
func linkField(i int, l *Link) string {
	if l.Name == "" {
		return fmt.Sprintf("Link[%d]", i)
	}
	return fmt.Sprintf("Link[%d, %q]", i, l.Name)
}

// NodeName returns the name of a node; if it has none, its number. O(1).
func (n *Network) NodeName(v int) string {
	if len(n.config.Nodes) == 0 || n.config.Nodes[v] == "" {
		return strconv.Itoa(v)
	}
	return n.config.Nodes[v]
}

// NodeNamed returns the node with a name, if there is one. O(1).
func (n *Network) NodeNamed(name string) (node int, ok bool) {
	node, ok = n.names.nodes[name]
	return node, ok
}

// LinkNamed returns the index of the link with a name, if there is one. O(1).
func (n *Network) LinkNamed(name string) (link int, ok bool) {
	link, ok = n.names.links[name]
	return link, ok
}
