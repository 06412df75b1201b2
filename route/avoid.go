package route

import "fmt"

// Avoid names the links and nodes that a path must not use: those of another path, so that the
// two are independent, or those that will be repaired. The zero Avoid names none.
type Avoid struct {
	// Links are indexes. A link in the other direction, or beside such a link, may still be
	// used.
	Links []int
	// Nodes are never come to, so that no path ends there either. The source cannot be
	// one of them.
	Nodes []int
}

// checkAvoid checks that there are such links and nodes, and that the source is not avoided.
func (g *digraph) checkAvoid(name string, a *Avoid, source int) error {
	for i, l := range a.Links {
		if l < 0 || l >= len(g.links) {
			return invalid(fmt.Sprintf("%s.Links[%d]", name, i), l, fmt.Sprintf("is not one of %d links", len(g.links)))
		}
	}
	for i, v := range a.Nodes {
		switch {
		case v < 0 || v >= g.nodes:
			return invalid(fmt.Sprintf("%s.Nodes[%d]", name, i), v, fmt.Sprintf("is not one of %d nodes", g.nodes))
		case v == source:
			return invalid(fmt.Sprintf("%s.Nodes[%d]", name, i), v, "is the source")
		}
	}
	return nil
}

// closed returns a bit for each link that a path must not use: the links named, and the links
// that lead to a node named. A path that does not come to a node does not go on from there
// either. closed returns nil if nothing is avoided.
func (g *digraph) closed(a *Avoid) []uint64 {
	if len(a.Links) == 0 && len(a.Nodes) == 0 {
		return nil
	}
	set := make([]uint64, (len(g.links)+63)/64)
	for _, l := range a.Links {
		mark(set, l)
	}
	for _, v := range a.Nodes {
		for _, l := range g.in.of(v) {
			mark(set, int(l))
		}
	}
	return set
}
