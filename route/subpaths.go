package route

import (
	"math"
	"slices"
)

// mcp is a run of SAMCRA: labels, and the queue Q of Fig. 3.
type mcp struct {
	n      *Network
	q      *Query
	b      *ahead
	k      int
	steps  []step
	weight []float64 // step by step: k weights of the path
	key    []float64 // step by step: what it is ordered by
	most   []float64 // MAX_LENGTH: the key of a path known to be there
	below  float64   // what a prediction is multiplied by: none is too great
	at     [][]int32 // by node, the virtual one last: the labels
	queue  heap[int32]
	effort Effort
}

// step is a label: a path to a node.
type step struct {
	node, parent, link, hops int32 // link is the index of the server at the end
}

func (s *mcp) of(rows []float64, x int32) []float64 { return rows[int(x)*s.k : int(x+1)*s.k] }

func newMCP(n *Network, q *Query, b *ahead) *mcp {
	s := &mcp{n: n, q: q, b: b, k: n.config.Weights, below: below(n.nodes), at: make([][]int32, n.nodes+1)}
	s.queue.less = s.before
	return s
}

// run is Fig. 3.
func (s *mcp) run() (Route, bool) {
	n, q := s.n, s.q
	s.maxLength()
	s.extend(step{int32(q.Source), -1, -1, 0}, make([]float64, s.k))
	sum := make([]float64, s.k)
	for s.queue.len() > 0 {
		x := s.queue.pop()
		at := s.steps[x]
		if int(at.node) == n.nodes {
			return s.route(x), true
		}
		for m, server := range q.Servers {
			if server.Node == int(at.node) {
				copy(sum, s.of(s.weight, x))
				for i, w := range server.Weights {
					sum[i] += w
				}
				s.extend(step{int32(n.nodes), x, int32(m), at.hops + 1}, sum)
			}
		}
		for _, l := range n.out.of(int(at.node)) {
			link := &n.links[l]
			if q.Usable != nil && !q.Usable(int(l)) || s.visited(x, int32(link.To)) {
				continue
			}
			for i, w := range s.of(s.weight, x) {
				sum[i] = w + link.Weights[i]
			}
			s.extend(step{int32(link.To), x, l, at.hops + 1}, sum)
		}
	}
	return Route{Effort: s.effort}, false
}

// below is a bit less than 1. A prediction is the sum of the way up to a node and of
// the one from the servers back to it, where the path is summed from the source on.
// Each has one rounding for each node, by a part of 2⁻⁵³ at most, and they may go
// up in the one and down in the other. What is less by twice that is no more than
// any path has that begins so: the limits and MAX_LENGTH then stop nothing that
// meets them.
func below(nodes int) float64 { return 1 - float64(2*nodes+4)*0x1p-53 }

// rank writes what a path with these weights is ordered by to key. It reports
// whether they are within the limits.
func (s *mcp) rank(key, weights []float64) bool {
	for i, w := range weights {
		if w > s.q.Limits[i] {
			return false
		}
		key[i] = 0 // of no weight, even where none is allowed
		if w > 0 {
			key[i] = w / s.q.Limits[i]
		}
	}
	switch s.q.order {
	case firstWeight:
		key[0] = weights[0]
	case maxNorm:
		key[0] = slices.Max(key)
	default:
		slices.Sort(key)
		slices.Reverse(key)
	}
	return true
}

// shorter compares keys.
func (s *mcp) shorter(a, b []float64) bool {
	if s.q.order == refined {
		return slices.Compare(a, b) < 0
	}
	return a[0] < b[0]
}

func (s *mcp) before(a, b int32) bool {
	x, y := s.of(s.key, a), s.of(s.key, b)
	switch {
	case s.shorter(x, y):
		return true
	case s.shorter(y, x):
		return false
	case s.q.order == refined && s.steps[a].hops != s.steps[b].hops:
		return s.steps[a].hops < s.steps[b].hops
	}
	return a < b
}

// extend is lines 17 to 33: the path becomes a label, unless another to the same
// node dominates it, or it cannot become the shortest. A label that waits in the
// queue and is dominated by it gives up its place.
func (s *mcp) extend(to step, weights []float64) {
	s.effort.Labels++
	key := make([]float64, s.k)
	if int(to.node) < s.n.nodes {
		rest := s.b.of(int(to.node))
		if math.IsInf(rest[0], 1) {
			return // there is no way on
		}
		for i, w := range rest {
			key[i] = (weights[i] + w) * s.below
		}
	} else {
		copy(key, weights)
	}
	if !s.rank(key, slices.Clone(key)) || s.most != nil && s.shorter(s.most, key) {
		return
	}
	obsolete := int32(-1)
	for _, y := range s.at[to.node] {
		have := s.of(s.weight, y)
		if Additive(have).Covers(weights) && (s.steps[y].hops <= to.hops || !slices.Equal(have, weights)) {
			return
		}
		if obsolete < 0 && s.queue.holds(y) && Additive(weights).Covers(have) &&
			(to.hops <= s.steps[y].hops || s.shorter(key, s.of(s.key, y))) {
			obsolete = y
		}
	}
	if int(to.node) == s.n.nodes && (s.most == nil || s.shorter(key, s.most)) {
		s.most = key
	}
	if obsolete >= 0 {
		s.steps[obsolete] = to
		copy(s.of(s.weight, obsolete), weights)
		copy(s.of(s.key, obsolete), key)
		s.queue.push(obsolete)
		return
	}
	x := int32(len(s.steps))
	s.steps = append(s.steps, to)
	s.weight = append(s.weight, weights...)
	s.key = append(s.key, key...)
	s.at[to.node] = append(s.at[to.node], x)
	s.queue.grow(len(s.steps))
	s.queue.push(x)
}

// visited reports whether the path x has been at a node.
func (s *mcp) visited(x, node int32) bool {
	for ; x >= 0; x = s.steps[x].parent {
		if s.steps[x].node == node {
			return true
		}
	}
	return false
}

func (s *mcp) route(x int32) Route {
	r := Route{Server: int(s.steps[x].link), Weights: slices.Clone(s.of(s.weight, x)), Effort: s.effort}
	for x = s.steps[x].parent; s.steps[x].parent >= 0; x = s.steps[x].parent {
		r.Links = append(r.Links, int(s.steps[x].link))
	}
	slices.Reverse(r.Links)
	return r
}
