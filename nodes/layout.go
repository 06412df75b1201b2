package nodes

import (
	"fmt"
	"maps"
	"slices"
)

// layout is the Config of a machine in a form that is quick to read. A layout is never changed, so that
// clones share it; the termCode alone has a memory.
type layout struct {
	resources []string
	wide      int        // the number of resources
	given     []Vector   // the amounts of each node
	classes   []Vector   // the different vectors in given
	weights   [][]weight // of each class, for best fit
	rough     uint64     // how much a slack may be too small, for any class
	class     []int32    // of each node, its class
	most      Vector     // the most of each resource that any node has
	levels    map[string]*level
	sets      map[string][]int
	source    Config // a copy of the Config, for the nodes that may be added
	terms     termCode
}

// level is a partition of all nodes. A node that the caller has put in no group is a group by itself,
// behind the caller's groups.
type level struct {
	parts []part // the groups that the caller gave
	of    []int  // the group of each node
	first []int  // the lowest node of each group
	count int
}

// newLayout returns the layout of a Config that has been checked. It shares nothing with it.
func newLayout(c Config) *layout {
	c = c.clone()
	m := &layout{resources: c.Resources, wide: len(c.Resources), given: c.Nodes, sets: c.Sets, source: c, levels: map[string]*level{}, most: make(Vector, len(c.Resources))}
	m.terms.sets = slices.Sorted(maps.Keys(c.Sets))
	known := map[string]int32{}
	for _, v := range c.Nodes {
		x, ok := known[fmt.Sprint(v)]
		if !ok {
			x = int32(len(m.classes))
			known[fmt.Sprint(v)] = x
			m.classes = append(m.classes, v)
			m.weights = append(m.weights, weightsOf(v))
			m.rough = max(m.rough, slackOf(v, v).rough)
			for r, amount := range v {
				m.most[r] = max(m.most[r], amount)
			}
		}
		m.class = append(m.class, x)
	}
	for _, x := range c.Levels {
		m.levels[x.Name] = newLevel(x.Groups, len(m.given))
		m.terms.levels = append(m.terms.levels, x.Name)
	}
	return m
}

// clone returns a copy that shares nothing. Its groups and sets ascend.
func (c Config) clone() Config {
	d := c
	d.Resources = slices.Clone(c.Resources)
	d.Nodes = nil
	for _, v := range c.Nodes {
		d.Nodes = append(d.Nodes, slices.Clone(v))
	}
	d.Levels = nil
	for _, x := range c.Levels {
		y := Level{Name: x.Name}
		for _, group := range x.Groups {
			y.Groups = append(y.Groups, slices.Sorted(slices.Values(group)))
		}
		d.Levels = append(d.Levels, y)
	}
	d.Sets = map[string][]int{}
	for name, list := range c.Sets {
		d.Sets[name] = slices.Sorted(slices.Values(list))
	}
	return d
}

func newLevel(groups [][]int, n int) *level {
	x := &level{of: slices.Repeat([]int{-1}, n), count: len(groups)}
	for g, group := range groups {
		x.parts = append(x.parts, partOf(group))
		for _, k := range group {
			x.of[k] = g
		}
	}
	for k, g := range x.of {
		if g < 0 {
			x.of[k] = x.count
			x.count++
		}
	}
	x.first = make([]int, x.count)
	for k, g := range slices.Backward(x.of) {
		x.first[g] = k
	}
	return x
}
