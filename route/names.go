package route

import (
	"fmt"
	"strconv"
)

// names finds nodes, links and clusters by name.
type names struct{ nodes, links, clusters map[string]int }

// newNames returns the names, if there are any, and refuses a name that comes twice. A cluster has the name of no link either,
// since a desk has one schedule of each name.
func newNames(of []string, nodes int, links []Link, clusters []Cluster) (n names, err error) {
	if k := len(of); k != 0 && k != nodes {
		return n, invalid("Config.Nodes", k, fmt.Sprintf("names, not one for each of %d nodes", nodes))
	}
	for v, name := range of {
		err := enter(&n.nodes, "Config.Nodes[%d]", name, v)
		if err != nil {
			return n, err
		}
	}
	for i := range links {
		err := enter(&n.links, "Link[%d].Name", links[i].Name, i)
		if err != nil {
			return n, err
		}
	}
	for i := range clusters {
		name := clusters[i].Name
		err := enter(&n.clusters, "Cluster[%d].Name", name, i)
		if err != nil {
			return n, err
		}
		link, taken := n.links[name]
		if taken {
			return n, invalid(fmt.Sprintf("Cluster[%d].Name", i), strconv.Quote(name), fmt.Sprintf("is the name of Link[%d] as well", link))
		}
	}
	return n, nil
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
