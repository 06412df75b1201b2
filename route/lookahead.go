package route

import (
	"math"
	"slices"
)

// ahead is the look-ahead information b[v]: for each weight the least that is
// still to come from v on.
type ahead struct {
	k    int
	rest []float64 // node by node: k weights; infinite if there is no way
	via  []int32   // weight by weight: the first link of that way, by node; endsHere - m to end at server m
}

const endsHere = -2

func (b *ahead) of(v int) []float64 { return b.rest[v*b.k : (v+1)*b.k] }

// lookAhead runs Dijkstra backwards from the servers, for each weight by itself.
func (n *Network) lookAhead(q *Query) *ahead {
	k := n.config.Weights
	b := &ahead{k, make([]float64, n.nodes*k), make([]int32, n.nodes*k)}
	for i := range b.rest {
		b.rest[i] = math.Inf(1)
	}
	for i := range k {
		dist := func(v int32) *float64 { return &b.rest[int(v)*k+i] }
		h := heap[int32]{less: func(x, y int32) bool {
			dx, dy := *dist(x), *dist(y)
			return dx < dy || dx == dy && x < y
		}}
		h.grow(n.nodes)
		via := b.via[i*n.nodes : (i+1)*n.nodes]
		for m, s := range q.Servers {
			w := 0.0
			if s.Weights != nil {
				w = s.Weights[i]
			}
			if w < *dist(int32(s.Node)) {
				*dist(int32(s.Node)) = w
				via[s.Node] = int32(endsHere - m)
				h.push(int32(s.Node))
			}
		}
		for h.len() > 0 {
			u := h.pop()
			for _, l := range n.in.of(int(u)) {
				link := &n.links[l]
				if d := *dist(u) + link.Weights[i]; d < *dist(int32(link.From)) && (q.Usable == nil || q.Usable(int(l))) {
					*dist(int32(link.From)) = d
					via[link.From] = l
					h.push(int32(link.From))
				}
			}
		}
	}
	return b
}

// maxLength is lines 4 to 8: the shortest of the paths that are best in one
// weight is there, so that nothing longer needs to be looked at.
func (s *mcp) maxLength() {
	sum, key := make([]float64, s.k), make([]float64, s.k)
	for i := range s.k {
		via := s.b.via[i*s.n.nodes : (i+1)*s.n.nodes]
		v := s.q.Source
		if math.IsInf(s.b.of(v)[i], 1) {
			return // there is no path at all
		}
		clear(sum)
		for ; via[v] > endsHere; v = s.n.links[via[v]].To {
			for d, w := range s.n.links[via[v]].Weights {
				sum[d] += w
			}
		}
		for d, w := range s.q.Servers[endsHere-via[v]].Weights {
			sum[d] += w
		}
		if s.rank(key, sum) && (s.most == nil || s.shorter(key, s.most)) {
			s.most = slices.Clone(key)
		}
	}
}
