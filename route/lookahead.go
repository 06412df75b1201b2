package route

import (
	"math"
	"slices"
)

// SAMCRA searches from the source with labels: a label is a path to a node, a step of
// subpaths.go. Before the search, lookahead.go finds for each node the least that is still
// to come. The search keeps five promises; TestLookAheadInvariants and
// TestSAMCRAIsExhaustive check them.
//
//	S1 look-ahead  rest of a node is at most the weights of each way from there to a server,
//	               weight by weight, and infinite if there is no way. Different ways
//	               may attain it in different weights, so no single way need have
//	               it. The weights of a label plus rest, times mcp.below, are at most
//	               the weights of each path that begins with the label; below makes
//	               up for the rounding of sums.
//	S2 length      mcp.most is the key of a path that exists and meets all limits, nil as
//	               long as none is known. The answer is no longer than most.
//	S3 dropping    A label is dropped in two cases only. Either, by S1, each path that begins
//	               with it exceeds a limit or is longer than most. Or another label
//	               at the same node is no greater in any weight and, if all weights
//	               are equal, has no more links. Loops do not matter here, unlike in
//	               P4: to leave a loop out makes no path longer.
//	S4 settling    The key of a label is at most that of each path that begins with it; at
//	               the virtual node behind the servers it is that of the path. The
//	               queue hands out the least key, so the first label at the virtual
//	               node is the answer.
//	S5 replacing   No path has been made longer from a label that still waits. So a label
//	               that covers it may take its number and its place in the queue,
//	               with a key that is no greater.
//
// An example with limits 10 and 10 (TestLookAheadByHand). A key is the weights over the
// limits, the greatest first:
//
//	S ───────(1, 8)───────► T
//	S ──(2, 2)──► A ──(4, 1)──► T
//
//	rest of A        4, 1
//	rest of S        1, 3     1 over the link to T, but 3 over A
//	S → T            1, 8     key .8 .1, the least of weight 0
//	S → A → T        6, 3     key .6 .3, the least of weight 1: it is the shorter, so most
//	label S          1, 3     key .3 .1
//	label S → T      1, 8     key .8 .1 is longer than most: dropped (S3)
//	label S → A      6, 3     key .6 .3, and so is the label at T: the answer

// ahead is the look-ahead information b[v] (S1). Nodes are rows of rest, because a label
// needs all weights of one node; weights are rows of via, because a way is followed for one
// weight.
type ahead struct {
	k    int
	rest []float64 // node by node, k weights each
	via  []int32   // weight by weight: by node, the first link of the least way
}

// endsHere in place of a link ends a way at server 0, endsHere - m ends it at server m.
// No link has a number below 0.
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
				from, d := int32(link.From), *dist(u)+link.Weights[i]
				if d >= *dist(from) || q.Usable != nil && !q.Usable(int(l)) {
					continue
				}
				*dist(from) = d
				via[from] = l
				h.push(from)
			}
		}
	}
	return b
}

// maxLength is lines 4 to 8: it finds most (S2). The path that is best in one weight exists,
// and its other weights come with it; of the k paths that meet the limits the shortest
// counts. Weights are summed from the source on, as those of labels are: the same path has
// the same float64 sums, so that most does not stop the label of its own path.
func (s *mcp) maxLength() {
	sum, key := make([]float64, s.k), make([]float64, s.k)
	for i := range s.k {
		via := s.b.via[i*s.n.nodes : (i+1)*s.n.nodes]
		v := s.q.Source
		if math.IsInf(s.b.of(v)[i], 1) {
			return // no server can be reached, so no weight has a path
		}
		clear(sum)
		for via[v] > endsHere {
			l := &s.n.links[via[v]]
			for d, w := range l.Weights {
				sum[d] += w
			}
			v = l.To
		}
		for d, w := range s.q.Servers[endsHere-via[v]].Weights {
			sum[d] += w
		}
		if s.rank(key, sum) && (s.most == nil || s.shorter(key, s.most)) {
			s.most = slices.Clone(key)
		}
	}
}
