package route

import (
	"math"

	"github.com/bookahead/bookahead/internal/effort"
)

// digraph is the nodes and the links of a network, with their delays and their weights: all that
// SAMCRA and Pareto read. Only SetWeights changes it.
type digraph struct {
	nodes    int
	links    []Link
	out, in  adjacency
	from, to []int32   // of the links, for searches that need only these
	k        int       // weights of a link
	weights  []float64 // of the links, one after the other
	// Of the weights: how many are not whole, and the greatest that there has been.
	fractions int
	heaviest  float64
}

// newGraph returns the graph of links, whose Weights become rows of its weights.
func newGraph(nodes int, links []Link, k int) digraph {
	g := digraph{nodes: nodes, links: links, k: k}
	for i := range links {
		l := &links[i]
		g.from, g.to = append(g.from, int32(l.From)), append(g.to, int32(l.To))
		g.weights = append(g.weights, l.Weights...)
		g.weigh(l.Weights, 1)
	}
	for i := range links {
		if k > 0 {
			links[i].Weights = g.weightsOf(int32(i))
		}
	}
	g.out, g.in = newAdjacency(nodes, g.from), newAdjacency(nodes, g.to)
	return g
}

// adjacency holds the links of node v at links[first[v]:first[v+1]] (compressed
// sparse rows), in the order in which they were given.
type adjacency struct {
	first []int32
	links []int32
}

func (a *adjacency) of(v int) []int32 { return a.links[a.first[v]:a.first[v+1]] }

// newAdjacency sorts the links by an end, by counting: first[v+1] counts the links of v, and then
// adds up those of the nodes before. With the ends 2, 0, 2 of three links:
//
//	counted   first 0 1 0 2
//	added     first 0 1 1 3      node 0 has links[0:1], node 1 none, node 2 links[1:3]
//	links     1 0 2
func newAdjacency(nodes int, ends []int32) adjacency {
	a := adjacency{make([]int32, nodes+1), make([]int32, len(ends))}
	for _, v := range ends {
		a.first[v+1]++
	}
	for v := range nodes {
		a.first[v+1] += a.first[v]
	}
	next := make([]int32, nodes)
	for i, v := range ends {
		a.links[a.first[v]+next[v]] = int32(i)
		next[v]++
	}
	return a
}

// reach is the shortest ways to a node.
type reach struct {
	away []int64 // the smallest delay from each node; unreachable if there is no way
	via  []int32 // the first link of that way; -1 if there is none
}

const unreachable = math.MaxInt64

// reachOf finds the way with the smallest delay from each node to v, of equals the way with
// the fewest links (Dijkstra): its delay, and its first link. It leaves out the closed links, a
// bit for each; nil for none. With a meter, a step is a look at a link. If the meter stops it, the
// result is incomplete.
func (g *digraph) reachOf(v int, closed []uint64, m *effort.Meter) reach {
	away, via := make([]int64, g.nodes), make([]int32, g.nodes)
	hops := make([]int32, g.nodes)
	for u := range away {
		away[u], via[u] = unreachable, -1
	}
	away[v] = 0
	q := heap[int32]{less: func(a, b int32) bool {
		return away[a] < away[b] || away[a] == away[b] && (hops[a] < hops[b] || hops[a] == hops[b] && a < b)
	}}
	q.grow(g.nodes)
	for q.push(int32(v)); q.len() > 0; {
		u := q.pop()
		for _, i := range g.in.of(int(u)) {
			switch {
			case m != nil && !m.Go(1):
				return reach{away, via}
			case closed != nil && marked(closed, int(i)):
				continue
			}
			l := &g.links[i]
			d, h := away[u]+int64(l.Delay), hops[u]+1
			if d < away[l.From] || d == away[l.From] && h < hops[l.From] {
				away[l.From], hops[l.From], via[l.From] = d, h, i
				q.push(int32(l.From))
			}
		}
	}
	return reach{away, via}
}

// weightsOf returns the weights of a link.
func (g *digraph) weightsOf(link int32) []float64 {
	k := g.k
	return g.weights[int(link)*k : (int(link)+1)*k : (int(link)+1)*k]
}

// weigh counts weights that are added (sign 1), or taken away (sign -1).
func (g *digraph) weigh(weights []float64, sign int) {
	g.fractions += sign * fractionsOf(weights)
	for _, w := range weights {
		g.heaviest = max(g.heaviest, w)
	}
}

// fractionsOf returns how many of the weights are not whole.
func fractionsOf(weights []float64) int {
	fractions := 0
	for _, w := range weights {
		if w != math.Trunc(w) {
			fractions++
		}
	}
	return fractions
}

// nodesOf returns the nodes of a path.
func (g *digraph) nodesOf(source int, links []int) []int {
	nodes := make([]int, 1, len(links)+1)
	nodes[0] = source
	for _, l := range links {
		nodes = append(nodes, g.links[l].To)
	}
	return nodes
}
