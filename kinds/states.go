package kinds

import (
	"cmp"
	"slices"

	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/nodes"
)

// state is so many tasks that the nodes so far hold.
type state struct {
	tasks counts
	trace
}

// keep is how many steps a state counts that is kept, because of its memory.
const keep = 32

// trace is the state before a node from which a state comes, and the pattern of the node.
type trace struct{ from, pattern int32 }

// pack returns a place for all kinds on nodes with some free amounts, if there is one, and whether the answer is known. It goes
// from node to node, and keeps the numbers of tasks that the nodes so far can hold: the states, without those that another covers.
// A node changes a state by one of its patterns, the numbers of tasks of each kind that fit side by side:
//
//	a worker takes 4 GPUs and 16 cores, a server 8 cores; wanted are 3 workers and 6 servers
//
//	node 0    8 GPUs, 40 cores    patterns      2+1  1+3  0+5     workers + servers
//	node 1    4 GPUs, 32 cores                  1+2  0+4
//	states    after node 0        2+1  1+3  0+5
//	          after node 1        3+3  2+5  1+6       2+5 is 2+1 and 0+4, or 1+3 and 1+2
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
		most := 2*len(states) + 1024
		for from, x := range states {
			if len(next) > most { // so that memory is in proportion to the states that are kept
				next, ok = s.best(next, m)
				if !ok {
					return nil, false
				}
				most = 2*len(next) + 1024
			}
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
		if !m.Go(keep) {
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
