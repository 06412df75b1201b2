package kinds

import (
	"fmt"
	"slices"

	"github.com/bookahead/bookahead/internal/effort"
	"github.com/bookahead/bookahead/nodes"
)

// patterns returns the patterns of each node in order: all numbers of tasks that fit side by side, without those that others
// cover. There is at least one, perhaps of no task. Nodes that are alike share them.
func (s *store) patterns(free []nodes.Vector, m *effort.Meter) ([][]counts, bool) {
	known := map[string][]counts{}
	list := make([][]counts, len(s.order))
	for i, node := range s.order {
		var most counts // of each kind alone
		for k := range s.kinds {
			if s.allows[k][node] {
				most[k] = fit(&s.kinds[k], free[node])
			}
		}
		whole := slices.Equal(free[node], s.given[node])
		key := fmt.Sprint(free[node], most, whole)
		p, ok := known[key]
		if !ok {
			p, ok = s.patternsOf(free[node], most, whole, m)
			if !ok {
				return nil, false
			}
			known[key] = p
		}
		list[i] = p
	}
	return list, true
}

// patternsOf returns the patterns of one node.
func (s *store) patternsOf(free nodes.Vector, most counts, whole bool, m *effort.Meter) ([]counts, bool) {
	var list []counts
	var share []int // the kinds that share the node
	for k := range s.kinds {
		switch {
		case most[k] == 0:
		case !s.kinds[k].Exclusive:
			share = append(share, k)
		case whole:
			var alone counts
			alone[k] = most[k]
			list = append(list, alone)
		}
	}
	ok := s.fill(slices.Clone(free), most, share, counts{}, &list, m)
	if !ok {
		return nil, false
	}
	slices.SortFunc(list, func(a, b counts) int { return slices.Compare(b[:], a[:]) })
	kept := list[:0]
	for i := range list {
		x := list[i]
		if !m.Spend(int64(len(kept)) + 1) {
			return nil, false
		}
		if !slices.ContainsFunc(kept, func(y counts) bool { return y.covers(&x) }) {
			kept = append(kept, x)
		}
	}
	return kept, true
}

// fill adds to a list all patterns with the tasks so far and more of some kinds.
func (s *store) fill(free nodes.Vector, most counts, share []int, so counts, list *[]counts, m *effort.Meter) bool {
	if len(share) == 0 {
		*list = append(*list, so)
		return m.Go(64)
	}
	k := share[0]
	each := s.kinds[k].Each
	n := min(most[k], fit(&s.kinds[k], free))
	if len(share) == 1 { // fewer would be covered
		so[k] = n
		return s.fill(free, most, nil, so, list, m)
	}
	left := slices.Clone(free)
	for so[k] = 0; ; so[k]++ {
		if !s.fill(left, most, share[1:], so, list, m) {
			return false
		}
		if so[k] == n {
			return true
		}
		for r, amount := range each {
			left[r] -= amount
		}
	}
}
