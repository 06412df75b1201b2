package desk

import (
	"maps"
	"slices"

	"github.com/bookahead/bookahead/nodes"
)

// with returns the kind with the nodes that a machine has taken, behind its other nodes. So the kind of a schedule always
// describes its machine, and a snapshot, a listing and a chart need nothing else. The old kind stays as it is, since
// clones share it.
func (k Nodes) with(more []nodes.Added) Nodes {
	k.Nodes, k.Levels, k.Sets = slices.Clip(k.Nodes), slices.Clone(k.Levels), maps.Clone(k.Sets)
	for i := range k.Levels {
		k.Levels[i].Groups = slices.Clone(k.Levels[i].Groups)
	}
	for _, node := range more {
		index := len(k.Nodes)
		k.Nodes = append(k.Nodes, slices.Clone(node.Has))
		for i := range k.Levels {
			level := &k.Levels[i]
			g, ok := node.Groups[level.Name]
			if !ok {
				continue
			}
			if g == len(level.Groups) {
				level.Groups = append(level.Groups, nil)
			}
			level.Groups[g] = append(slices.Clip(level.Groups[g]), index)
		}
		for _, name := range node.Sets {
			k.Sets[name] = append(slices.Clip(k.Sets[name]), index)
		}
	}
	return k
}

// addedNode is a nodes.Added with its fields.
type addedNode nodes.Added

func (a *addedNode) code(x coder) {
	list(x, "has", (*[]int64)(&a.Has), func(n *int64) { number(x, "", n) })
	var in []group
	for _, level := range slices.Sorted(maps.Keys(a.Groups)) {
		in = append(in, group{level, a.Groups[level]})
	}
	list(x, "groups", &in, func(g *group) {
		x.open("")
		x.text("level", &g.level)
		number(x, "group", &g.group)
		x.close()
	})
	texts(x, "sets", &a.Sets)
	if !x.reads() || len(in) == 0 {
		return
	}
	a.Groups = map[string]int{}
	for i, g := range in {
		if i > 0 && g.level <= in[i-1].level {
			x.fail("groups", g.level, "does not come behind the last")
		}
		a.Groups[g.level] = g.group
	}
}

// group is a group of a level.
type group struct {
	level string
	group int
}
