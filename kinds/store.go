package kinds

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead/internal/effort"
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

// store answers whether nodes with given free amounts hold all kinds at once. It goes from node to node, and keeps the numbers
// of tasks that the nodes so far can hold: the states, without those that another covers. A node changes a state by one of its
// patterns, the numbers of tasks of each kind that fit side by side:
//
//	a worker takes 4 GPUs and 16 cores, a server 8 cores; wanted are 3 workers and 6 servers
//
//	node 0    8 GPUs, 40 cores    patterns      2+1  1+3  0+5     workers + servers
//	node 1    4 GPUs, 32 cores                  1+2  0+4
//	states    after node 0        2+1  1+3  0+5
//	          after node 1        3+3  2+5  1+6       2+5 is 2+1 and 0+4, or 1+3 and 1+2
//
// If kinds must lie in a group, or in bundles, the nodes of a group follow each other, and behind the group all tasks are dropped
// that make no whole bundle. A kind that must lie in one group is a bundle of all of its tasks.
type store struct {
	kinds  []nodes.Request
	want   counts
	levels []nodes.Level
	of     map[string][]int // of each level, the group of each node; len(groups) + k for a node k that is in none
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

func newStore(x *search) store {
	s := store{kinds: x.Kinds, levels: x.config.Levels, within: x.Within, given: x.config.Nodes, of: map[string][]int{}}
	n := len(s.given)
	for _, l := range s.levels {
		s.of[l.Name] = groupsOf(l, n)
	}
	s.order = s.inGroups()
	for i, k := range s.kinds {
		s.want[i] = k.Tasks
		allows := make([]bool, n)
		for j := range allows {
			allows[j] = (k.Within == "" || s.of[k.Within][j] < n) && (s.within == "" || s.of[s.within][j] < n)
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
			only(x.config.Sets[k.Set])
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

// groupsOf returns the group of each of n nodes, and n plus its index for a node that is in none.
func groupsOf(l nodes.Level, n int) []int {
	of := make([]int, n)
	for k := range of {
		of[k] = n + k
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
// group of the next level is put where its lowest node would be.
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
			if of[k] >= n {
				next[k] = n + lowest[keys[k][len(keys[k])-1]]
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

// state is so many tasks that the nodes so far hold.
type state struct {
	tasks counts
	trace
}

// trace is the state before a node from which a state comes, and the pattern of the node.
type trace struct{ from, pattern int32 }

// pack returns a place for all kinds on nodes with some free amounts, if there is one, and whether the answer is known.
func (s *store) pack(free []nodes.Vector, m *effort.Meter) (tasks [][]nodes.Share, known bool) {
	patterns, ok := s.patterns(free, m)
	if !ok {
		return nil, false
	}
	rest := s.rest(patterns)
	if !rest[0].covers(&s.want) {
		return nil, true
	}
	states := []state{{}}
	var traces [][]trace
	for i := range s.order {
		var next []state
		for from, x := range states {
			if !m.Spend(int64(len(patterns[i]))) {
				return nil, false
			}
			for j := range patterns[i] {
				y := state{x.tasks, trace{int32(from), int32(j)}}
				for k := range s.kinds {
					y.tasks[k] = min(s.want[k], y.tasks[k]+patterns[i][j][k])
				}
				if y.tasks == s.want {
					traces = append(traces, []trace{y.trace})
					return s.shares(patterns, traces), true
				}
				s.floor(i, &y.tasks)
				if s.mayDo(&y.tasks, &rest[i+1]) {
					next = append(next, y)
				}
			}
		}
		states, ok = s.best(next, m)
		if !ok || len(states) == 0 {
			return nil, ok
		}
		layer := make([]trace, len(states))
		for j := range states {
			layer[j] = states[j].trace
		}
		traces = append(traces, layer)
	}
	return nil, true
}

// rest returns the most tasks of each kind that fit on the nodes from each one on.
func (s *store) rest(patterns [][]counts) []counts {
	rest := make([]counts, len(patterns)+1)
	for i := len(patterns) - 1; i >= 0; i-- {
		var most counts
		for _, p := range patterns[i] {
			for k := range s.kinds {
				most[k] = max(most[k], p[k])
			}
		}
		for k := range s.kinds {
			rest[i][k] = min(s.want[k], rest[i+1][k]+most[k])
		}
	}
	return rest
}

// mayDo reports whether a state and the rest of the nodes may hold all tasks.
func (s *store) mayDo(tasks, rest *counts) bool {
	for k := range s.kinds {
		if tasks[k]+rest[k] < s.want[k] {
			return false
		}
	}
	return true
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

// best returns the states that no other covers.
func (s *store) best(list []state, m *effort.Meter) ([]state, bool) {
	slices.SortFunc(list, func(a, b state) int { return slices.Compare(b.tasks[:], a.tasks[:]) })
	kept := list[:0]
	for _, x := range list {
		covered := false
		for i := len(kept) - 1; i >= 0 && !covered; i-- {
			if !m.Go(1) {
				return nil, false
			}
			covered = kept[i].tasks.covers(&x.tasks)
			if len(s.kinds) <= 2 { // the last one has the most of the second kind
				break
			}
		}
		if covered {
			continue
		}
		if !m.Go(8) {
			return nil, false
		}
		kept = append(kept, x)
	}
	return kept, true
}

// shares returns the place to which traces lead: the tasks of each kind by node.
func (s *store) shares(patterns [][]counts, traces [][]trace) [][]nodes.Share {
	last := len(traces) - 1
	got := make([]counts, len(s.order))
	at := int32(0)
	for i := last; i >= 0; i-- {
		x := traces[i][at]
		got[i] = patterns[i][x.pattern]
		at = x.from
	}
	first := 0
	if s.within != "" { // only the last group has all kinds
		for first = last; first > 0 && !s.ends(s.of[s.within], first-1); {
			first--
		}
	}
	tasks := make([][]nodes.Share, len(s.kinds))
	for k := range s.kinds {
		tasks[k] = s.take(k, got, first, last)
	}
	return tasks
}

// take returns as many tasks of a kind as it wants, in whole bundles, of those that nodes from first to last got.
func (s *store) take(k int, got []counts, first, last int) (list []nodes.Share) {
	groups := func(of []int, first, last int) (spans [][2]int) {
		for i := first; i <= last; i++ {
			if i == first || s.ends(of, i-1) {
				spans = append(spans, [2]int{i, i})
			}
			spans[len(spans)-1][1] = i
		}
		return spans
	}
	kind, size := &s.kinds[k], s.cells[k].size
	within := make([]int, len(s.order)) // one group of all
	if kind.Within != "" {
		within = s.of[kind.Within]
	}
	for _, whole := range groups(within, first, last) {
		cells := groups(s.cells[k].of, whole[0], whole[1])
		sum := int64(0)
		quota := make([]int64, len(cells))
		for c, cell := range cells {
			for i := cell[0]; i <= cell[1]; i++ {
				quota[c] += got[i][k]
			}
			quota[c] -= quota[c] % size
			sum += quota[c]
		}
		if sum < kind.Tasks {
			continue
		}
		left := kind.Tasks
		for c, cell := range cells {
			n := min(left, quota[c])
			left -= n
			for i := cell[0]; i <= cell[1]; i++ {
				some := min(n, got[i][k])
				if some > 0 {
					list = append(list, nodes.Share{Node: s.order[i], Tasks: some})
				}
				n -= some
			}
		}
		break
	}
	slices.SortFunc(list, func(a, b nodes.Share) int { return cmp.Compare(a.Node, b.Node) })
	return list
}
