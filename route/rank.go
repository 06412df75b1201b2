package route

import (
	"math"
	"slices"
)

// mcp is a run of SAMCRA: labels, and the queue Q of Fig. 3. Later queries use the same
// memory, one at a time.
type mcp struct {
	labels
	key   []float64 // step by step: k numbers by which paths are ordered
	known known
	rank  []float64 // scratch: k numbers
}

// known is MAX_LENGTH: the shortest path that the search knows. It is the best path in one
// weight, or the path of a label.
type known struct {
	key   []float64 // nil if there is none
	least int       // the weight in which the path is best; -1 for the path of a label
	label int32     // -1 for a path that is best in one weight
}

// rankOf writes the key of a path with these weights. It reports whether they are within the
// limits. For the limits 10, 20 and 5 and the refined order:
//
//	weights    4   16   1
//	key       .8   .4  .2      each over its limit, the greatest first
func (s *mcp) rankOf(key, weights []float64) bool {
	for i, w := range weights {
		if w > s.q.Limits[i] {
			return false
		}
		key[i] = 0 // also where the limit is 0, by which nothing can be divided
		if w > 0 {
			key[i] = w / s.q.Limits[i]
		}
	}
	switch {
	case s.q.order == firstWeight:
		key[0] = weights[0]
	case s.q.order == maxNorm:
		key[0] = slices.Max(key)
	case len(key) == 2:
		key[0], key[1] = max(key[0], key[1]), min(key[0], key[1])
	default:
		slices.Sort(key)
		slices.Reverse(key)
	}
	return true
}

// shorter reports whether a path with key a is shorter than a path with key b.
func (s *mcp) shorter(a, b []float64) bool {
	if s.q.order == refined {
		return slices.Compare(a, b) < 0
	}
	return a[0] < b[0]
}

// rankAt returns the key of a path whose weights are in sum (S4). It reports whether a way leads on
// to a server, and the path may keep to the limits on this way.
func (s *mcp) rankAt(to *step) (key []float64, ok bool) {
	bound := s.sum
	if !s.ends(to) {
		rest := s.b.of(int(to.node))
		if math.IsInf(rest[0], 1) {
			return nil, false
		}
		bound = s.bound
		for i, w := range rest {
			bound[i] = (s.sum[i] + w) * s.b.below
		}
	}
	return s.rank, s.rankOf(s.rank, bound)
}

// before decides in the queue between labels of equal first keys: by the rest of the key, then
// by links, and then the label that was made first, so that answers do not depend on the queue.
func (s *mcp) before(a, b int32) bool {
	if s.q.order == refined {
		if c := slices.Compare(s.of(s.key, a), s.of(s.key, b)); c != 0 {
			return c < 0
		}
		if s.steps[a].hops != s.steps[b].hops {
			return s.steps[a].hops < s.steps[b].hops
		}
	}
	return a < b
}
