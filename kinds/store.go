package kinds

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead/nodes"
)

// counts are numbers of tasks, by kind.
type counts [MaxKinds]int64

// covers reports whether no number is less than another.
func (c *counts) covers(d *counts) bool {
	for i := range c {
		if c[i] < d[i] {
			return false
		}
	}
	return true
}

// store is what the search for a place at one start knows of the kinds and of the groups of nodes, whatever is free.
//
// If kinds must lie in a group, or in bundles, the nodes of a group follow each other, and behind the group all tasks are dropped
// that make no whole bundle. A kind that must lie in one group is a bundle of all of its tasks.
type store struct {
	kinds  []nodes.Request
	want   counts
	levels []nodes.Level
	of     map[string][]int // of each level, the group of each node; -1 - k for a node k that is in none
	within string           // all kinds lie in one group of this level
	given  []nodes.Vector
	allows [][]bool // by kind and node
	order  []int    // the nodes, group by group on each level
	floors [][]floor
	cells  []floor // of each kind, those of its bundles alone; all of its nodes if it has none that matter
}

// floor is a level at whose borders a kind keeps whole bundles of so many tasks only.
type floor struct {
	of   []int
	size int64
}

func newStore(r *Request, c nodes.Config) store {
	s := store{kinds: r.Kinds, levels: c.Levels, within: r.Within, given: c.Nodes, of: map[string][]int{}}
	n := len(s.given)
	for _, l := range s.levels {
		s.of[l.Name] = groupsOf(l, n)
	}
	s.order = s.inGroups()
	for i, k := range s.kinds {
		s.want[i] = k.Tasks
		allows := make([]bool, n)
		for j := range allows {
			allows[j] = (k.Within == "" || s.of[k.Within][j] >= 0) && (s.within == "" || s.of[s.within][j] >= 0)
		}
		only := func(list []int) {
			for j := range allows {
				_, is := slices.BinarySearch(list, j)
				allows[j] = allows[j] && is
			}
		}
		if k.Nodes != nil {
			only(slices.Sorted(slices.Values(k.Nodes)))
		}
		if k.Set != "" {
			only(c.Sets[k.Set])
		}
		for _, j := range k.Except {
			allows[j] = false
		}
		s.allows = append(s.allows, allows)
		var floors []floor
		cell := floor{make([]int, n), 1}
		if k.Bundle > 0 && k.Within != k.Bundled && finer(s.levels, k.Within, k.Bundled) == k.Bundled {
			cell = floor{s.of[k.Bundled], k.Bundle}
			floors = append(floors, cell)
		}
		s.cells = append(s.cells, cell)
		if k.Within != "" {
			floors = append(floors, floor{s.of[k.Within], k.Tasks})
		}
		s.floors = append(s.floors, floors)
	}
	return s
}

// groupsOf returns the group of each of n nodes. A node that is in none has a negative number of its own.
func groupsOf(l nodes.Level, n int) []int {
	of := make([]int, n)
	for k := range of {
		of[k] = -1 - k
	}
	for g, group := range l.Groups {
		for _, k := range group {
			of[k] = g
		}
	}
	return of
}

// groupOf returns the nodes in the group of a node.
func (s *store) groupOf(level string, node int) (list []int) {
	of := s.of[level]
	for k := range of {
		if of[k] == of[node] {
			list = append(list, k)
		}
	}
	return list
}

// inGroups returns the nodes in an order in which those of a group follow each other, on each level. A group that lies in no
// group of the next level is one by itself there.
func (s *store) inGroups() []int {
	n := len(s.given)
	keys := make([][]int, n) // the group on each level, the coarsest last
	for k := range keys {
		keys[k] = []int{k}
	}
	for _, l := range s.levels {
		of := s.of[l.Name]
		lowest := map[int]int{}
		for k := range n {
			last := keys[k][len(keys[k])-1]
			_, ok := lowest[last]
			if !ok {
				lowest[last] = k
			}
		}
		next := make([]int, n)
		for k := range n {
			next[k] = of[k]
			if of[k] < 0 {
				next[k] = -1 - lowest[keys[k][len(keys[k])-1]]
			}
		}
		for k := range n {
			keys[k] = append(keys[k], next[k])
		}
	}
	order := make([]int, n)
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int {
		for i := len(keys[a]) - 1; i >= 0; i-- {
			c := cmp.Compare(keys[a][i], keys[b][i])
			if c != 0 {
				return c
			}
		}
		return 0
	})
	return order
}

// ends reports whether a group ends with the i-th node.
func (s *store) ends(of []int, i int) bool {
	return i+1 == len(s.order) || of[s.order[i]] != of[s.order[i+1]]
}

// floor drops the tasks that make no whole bundle in the groups that end with the i-th node.
func (s *store) floor(i int, tasks *counts) {
	for k := range s.kinds {
		for _, f := range s.floors[k] {
			if s.ends(f.of, i) {
				tasks[k] -= tasks[k] % f.size
			}
		}
	}
	if s.within != "" && s.ends(s.of[s.within], i) { // some kind is not complete
		*tasks = counts{}
	}
}

// fit returns how many tasks of a kind fit into some amounts.
func fit(k *nodes.Request, free nodes.Vector) int64 {
	n := k.Tasks
	if k.PerNode > 0 {
		n = min(n, k.PerNode)
	}
	for r, want := range k.Each {
		if want > 0 {
			n = min(n, free[r]/want)
		}
	}
	return n
}
