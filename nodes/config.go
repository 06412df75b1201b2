package nodes

import (
	"fmt"
	"slices"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/limits"
)

const (
	// MaxResources is how many resources a node can have.
	MaxResources = 8
	// maxLevels is how many levels of groups a machine can have.
	maxLevels = 16
	// MaxAmount is the largest amount of a resource. Bytes need no scaling.
	MaxAmount = 1 << 48
	// maxNodes is how many nodes a machine can have.
	maxNodes = 1 << 20
	// maxTotal is the largest amount of a resource that all nodes can have together, so that
	// sums of tasks never overflow.
	maxTotal = 1 << 62
)

// Vector is an amount of each resource of a machine, in the order of Config.Resources.
type Vector []int64

// Config describes a machine, and the settings of New.
type Config struct {
	// Origin is the first time that the clock shows.
	Origin bookahead.Time
	// Horizon is the number of ticks ahead of the clock that can be booked; 0 means up to the end
	// of the axis.
	Horizon bookahead.Duration
	// Resources are the names of the resources of a node, such as GPUs, cores and bytes.
	Resources []string
	// Nodes are the amounts of each node. Nodes may differ. There are 2²⁰ nodes at most, with 2⁶² of a resource
	// together.
	Nodes []Vector
	// Levels are partitions into groups, such as racks first and rows of racks next: each level is
	// coarser than the one before. Groups of a level share no node, and a group lies as a whole in a
	// group of the next level, or in none. There are 16 levels at most.
	Levels []Level
	// Sets are nodes that have something in common, by name. Sets may overlap.
	Sets map[string][]int
	// Policy decides which nodes get the tasks. The zero value is LowestIndex.
	Policy Policy
}

// Level is a partition of nodes into groups. A node may be in no group.
type Level struct {
	Name   string
	Groups [][]int
}

// check returns an error that wraps bookahead.ErrInvalid if the description makes no sense.
func (c *Config) check() error {
	switch n := len(c.Resources); {
	case n == 0 || n > MaxResources:
		return limits.Invalid("Config.Resources", n, fmt.Sprintf("is not in 1 to %d", MaxResources))
	case len(c.Nodes) == 0 || len(c.Nodes) > maxNodes:
		return limits.Invalid("Config.Nodes", len(c.Nodes), fmt.Sprintf("is not in 1 to %d", maxNodes))
	case len(c.Levels) > maxLevels:
		return limits.Invalid("Config.Levels", len(c.Levels), fmt.Sprintf("is more than %d", maxLevels))
	}
	for i, name := range c.Resources {
		if name == "" || slices.Contains(c.Resources[:i], name) {
			return limits.Invalid(fmt.Sprintf("Config.Resources[%d]", i), name, "is empty, or named twice")
		}
	}
	total := make(Vector, len(c.Resources))
	for k, v := range c.Nodes {
		err := c.checkVector(k, v)
		if err != nil {
			return err
		}
		for r, amount := range v {
			total[r] += amount // no overflow: the sum was at most maxTotal, and amount is at most MaxAmount
			if total[r] > maxTotal {
				return limits.Invalid("Config.Nodes", c.Resources[r], fmt.Sprintf("is more than %d on all nodes together", int64(maxTotal)))
			}
		}
	}
	return c.checkGroups()
}

// checkVector checks the amounts that node k has.
func (c *Config) checkVector(k int, v Vector) error {
	if len(v) != len(c.Resources) {
		return limits.Invalid(fmt.Sprintf("Config.Nodes[%d]", k), v, fmt.Sprintf("does not have an amount for each of the resources %v", c.Resources))
	}
	for r, amount := range v {
		if amount < 0 || amount > MaxAmount {
			return limits.Invalid(fmt.Sprintf("Config.Nodes[%d].%s", k, c.Resources[r]), amount, fmt.Sprintf("is not between 0 and %d", int64(MaxAmount)))
		}
	}
	return nil
}

// checkGroups checks the levels and the sets.
func (c *Config) checkGroups() error {
	below := make([]int, len(c.Nodes)) // the group of each node on the level below, and -1 for none
	for l, level := range c.Levels {
		field := fmt.Sprintf("Config.Levels[%d]", l)
		twice := slices.ContainsFunc(c.Levels[:l], func(other Level) bool { return other.Name == level.Name })
		if level.Name == "" || twice {
			return limits.Invalid(field+".Name", level.Name, "is empty, or named twice")
		}
		here := slices.Repeat([]int{-1}, len(c.Nodes))
		for g, group := range level.Groups {
			err := c.checkNodes(fmt.Sprintf("%s.Groups[%d]", field, g), group)
			if err != nil {
				return err
			}
			for _, k := range group {
				if here[k] >= 0 {
					return limits.Invalid(fmt.Sprintf("%s.Groups[%d]", field, g), k, fmt.Sprintf("is also in group %d", here[k]))
				}
				here[k] = g
			}
		}
		if l > 0 {
			k := divided(below, here)
			if k >= 0 {
				return limits.Invalid(field, fmt.Sprintf("node %d", k), fmt.Sprintf("is not in one group with the other nodes of its group of level %q", c.Levels[l-1].Name))
			}
		}
		below = here
	}
	for name, set := range c.Sets {
		err := c.checkNodes(fmt.Sprintf("Config.Sets[%q]", name), set)
		if err != nil {
			return err
		}
		if name == "" {
			return limits.Invalid("Config.Sets", name, "has an empty name")
		}
	}
	return nil
}

// checkNodes checks that the nodes of a list exist, and that none is named twice.
func (c *Config) checkNodes(field string, list []int) error {
	err := distinct(field, list)
	if err != nil || len(list) == 0 {
		return err
	}
	k := slices.Max(list)
	if k >= len(c.Nodes) {
		return limits.Invalid(field, k, fmt.Sprintf("is not below the %d nodes", len(c.Nodes)))
	}
	return nil
}

// divided returns a node whose group on the level below is divided among groups of a level; -1 if no
// group is divided. Both arguments have the group of each node.
func divided(below, here []int) int {
	group := map[int]int{}
	for k, g := range below {
		if g < 0 {
			continue
		}
		first, seen := group[g]
		if seen && first != here[k] {
			return k
		}
		group[g] = here[k]
	}
	return -1
}
