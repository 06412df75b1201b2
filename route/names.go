package route

import (
	"fmt"
	"strconv"
)

// names finds nodes, links and clusters by name.
type names struct{ nodes, links, clusters map[string]int }

// name enters the names, if there are any, and refuses a name that comes twice. A cluster has the name of no link either,
// since a desk has one schedule of each name.
func (n *Network) name(clusters []Cluster) error {
	if k := len(n.config.Nodes); k != 0 && k != n.nodes {
		return invalid("Config.Nodes", k, fmt.Sprintf("names, not one for each of %d nodes", n.nodes))
	}
	for v, name := range n.config.Nodes {
		err := enter(&n.names.nodes, "Config.Nodes[%d]", name, v)
		if err != nil {
			return err
		}
	}
	for i := range n.links {
		err := enter(&n.names.links, "Link[%d].Name", n.links[i].Name, i)
		if err != nil {
			return err
		}
	}
	for i := range clusters {
		name := clusters[i].Name
		err := enter(&n.names.clusters, "Cluster[%d].Name", name, i)
		if err != nil {
			return err
		}
		link, taken := n.names.links[name]
		if taken {
			return invalid(fmt.Sprintf("Cluster[%d].Name", i), strconv.Quote(name), fmt.Sprintf("is the name of Link[%d] as well", link))
		}
	}
	return nil
}

// enter notes whose name it is, by index. An empty name is nobody's.
func enter(of *map[string]int, field, name string, i int) error {
	if name == "" {
		return nil
	}
	if *of == nil {
		*of = map[string]int{}
	}
	first, twice := (*of)[name]
	if twice {
		return invalid(fmt.Sprintf(field, i), strconv.Quote(name), fmt.Sprintf("is the name of %d as well", first))
	}
	(*of)[name] = i
	return nil
}

// clusterField is the name of a cluster in errors: its index, and its own name if it has one.
func clusterField(i int, c *Cluster) string {
	if c.Name == "" {
		return fmt.Sprintf("Cluster[%d]", i)
	}
	return fmt.Sprintf("Cluster[%d, %q]", i, c.Name)
}

// linkField is the name of a link in errors: its index, and its own name if it has one.
func linkField(i int, l *Link) string {
	if l.Name == "" {
		return fmt.Sprintf("Link[%d]", i)
	}
	return fmt.Sprintf("Link[%d, %q]", i, l.Name)
}

// NodeName returns the name of a node; its number, if the node has no name, or if there is no such
// node. O(1).
func (n *Network) NodeName(v int) string {
	if v < 0 || v >= len(n.config.Nodes) || n.config.Nodes[v] == "" {
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

// ClusterNamed returns the index of the cluster with a name, if there is one. O(1).
func (n *Network) ClusterNamed(name string) (cluster int, ok bool) {
	cluster, ok = n.names.clusters[name]
	return cluster, ok
}
