package route

import (
	"math"

	"github.com/bookahead/bookahead/internal/effort"
)

// SAMCRA searches from the source with labels: a label is a path to a node, a step of
// labels.go. Before the search, lookahead.go finds for each node the least weights of the ways
// from there to a server. The search keeps five promises; TestLookAheadInvariants and
// TestSAMCRAIsExhaustive check them.
//
//	S1 look-ahead  rest of a node is at most the weights of each way from there to a server,
//	               weight by weight, and infinite if there is no way. Different ways
//	               may attain it in different weights, so no single way need have
//	               it. The weights of a label plus rest, times ahead.below, are at most
//	               the weights of each path that begins with the label; below makes
//	               up for the rounding of sums.
//	S2 length      mcp.known is a path that exists and meets all limits; its key is nil as
//	               long as none is known. The answer is no longer than the known path.
//	S3 dropping    A label is dropped in two cases only. Either, by S1, each path that begins
//	               with it exceeds a limit or is longer than known. Or another label
//	               that has left the queue at the same node is no greater in any weight
//	               and, if all weights are equal, has no more links. Loops do not matter here, unlike in
//	               P4: a path does not become longer if a loop is left out.
//	S4 settling    The key of a label is at most the key of each path that begins with it.
//	               At the virtual node behind the servers it is the key of the path. The
//	               queue hands out the least key, so the first label at the virtual
//	               node is the answer.
//	S5 fronts      The front of a node has all labels that have left the queue there, and no
//	               others (guard.go). So a label that is made too early to be covered is
//	               compared once more when it leaves the queue itself, before it is made
//	               longer.
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
//	S → A → T        6, 3     key .6 .3, the least of weight 1, and the shorter: known
//	label S          1, 3     key .3 .1
//	label S → T      1, 8     key .8 .1 is longer than known: dropped (S3)
//	label S → A      6, 3     key .6 .3, and so is the label at T: the answer

// ahead is the look-ahead information b[v] (S1). Nodes are rows of rest, because a label
// needs all weights of one node; weights are rows of via, because a way is followed for one
// weight. Nobody writes to it once it is made, so that queries may share it.
type ahead struct {
	k     int
	rest  []float64 // node by node, k weights each
	via   []int32   // weight by weight: by node, the first link of the least way
	below float64   // the factor by which no prediction is too great
	steps int64     // of the meter, to make the look-ahead
}

// endsHere in place of a link ends a way at server 0, endsHere - m ends it at server m.
// No link has a number below 0.
const endsHere = -2

func (b *ahead) of(v int) []float64 { return b.rest[v*b.k : (v+1)*b.k] }

// lookAhead runs Dijkstra backwards from the servers, for each weight by itself. A step is a
// look at a node, a server or a link. It returns nil if the meter stops it.
func (g *digraph) lookAhead(q *Query, m *effort.Meter) *ahead {
	k, began := g.k, m.Steps()
	b := &ahead{k: k, rest: make([]float64, g.nodes*k), via: make([]int32, g.nodes*k), below: g.below(q)}
	dist := make([]float64, g.nodes)
	h := queue{tie: func(x, y int32) bool { return x < y }}
	for i := range k {
		for v := range dist {
			if v%effort.Chunk == 0 && !m.Go(min(effort.Chunk, g.nodes-v)) {
				return nil
			}
			dist[v] = math.Inf(1)
		}
		via := b.via[i*g.nodes : (i+1)*g.nodes]
		for server, s := range q.Servers {
			if !m.Go(1) {
				return nil
			}
			w := 0.0
			if s.Weights != nil {
				w = s.Weights[i]
			}
			if w < dist[s.Node] {
				dist[s.Node] = w
				via[s.Node] = int32(endsHere - server)
				h.push(w, 0, int32(s.Node))
			}
		}
		for h.len() > 0 {
			top := h.pop()
			u := top.x
			if top.key > dist[u] {
				continue // a shorter way has been found since
			}
			for _, l := range g.in.of(int(u)) {
				if !m.Go(1) {
					return nil
				}
				from, d := g.from[l], top.key+g.weights[int(l)*k+i]
				if d >= dist[from] || !q.usable(l) {
					continue
				}
				dist[from] = d
				via[from] = l
				h.push(d, 0, from)
			}
		}
		for v, d := range dist {
			if v%effort.Chunk == 0 && !m.Go(min(effort.Chunk, g.nodes-v)) {
				return nil
			}
			b.rest[v*k+i] = d
		}
	}
	b.steps = m.Steps() - began
	return b
}

// below is 1 where all sums are exact, as sums of whole numbers are, and otherwise a bit less.
// A prediction adds the way up to a node to the way from the servers back to the node, whereas a
// path is summed from the source on:
//
//	path          ((a + b) + c) + d
//	prediction     (a + b) + (c + d)      other brackets, and so another rounding
//
// Both sums have a rounding for each node, by 2⁻⁵³ of the sum at most, which may go up in the
// prediction and down in the path. A prediction that is less by twice the roundings of a path is
// at most the sum of any path that begins so. Then neither the limits nor MAX_LENGTH stop a path
// that meets them.
func (g *digraph) below(q *Query) float64 {
	fractions, heaviest := g.fractions, g.heaviest
	for _, s := range q.Servers {
		fractions += fractionsOf(s.Weights)
		for _, w := range s.Weights {
			heaviest = max(heaviest, w)
		}
	}
	if fractions == 0 && heaviest*float64(2*g.nodes+4) < 1<<53 {
		return 1
	}
	return 1 - float64(2*g.nodes+4)*0x1p-53
}
