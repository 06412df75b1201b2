package route

import (
	"fmt"
	"strconv"
)

// checkNames refuses a name that comes twice. A cluster has the name of no link either, since a desk has one schedule of
// each name.
func checkNames(links []Link, clusters []Cluster) error {
	ofLinks, ofClusters := map[string]int{}, map[string]int{}
	for i := range links {
		err := enter(ofLinks, "Link[%d].Name", links[i].Name, i)
		if err != nil {
			return err
		}
	}
	for i := range clusters {
		name := clusters[i].Name
		err := enter(ofClusters, "Cluster[%d].Name", name, i)
		if err != nil {
			return err
		}
		link, taken := ofLinks[name]
		if taken {
			return invalid(fmt.Sprintf("Cluster[%d].Name", i), strconv.Quote(name), fmt.Sprintf("is the name of Link[%d] as well", link))
		}
	}
	return nil
}

// enter notes whose name it is, by index. An empty name is nobody's.
func enter(of map[string]int, field, name string, i int) error {
	if name == "" {
		return nil
	}
	first, twice := of[name]
	if twice {
		return invalid(fmt.Sprintf(field, i), strconv.Quote(name), fmt.Sprintf("is the name of %d as well", first))
	}
	of[name] = i
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
