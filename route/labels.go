package route

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/bookahead/bookahead/internal/effort"
)

// labels is a search for paths with weights, in the memory that SAMCRA and Pareto share: the labels
// themselves, and by node the fronts of the labels that have left the queue. The fronts are as many
// as the nodes that a search has reached:
//
//	reached    node 17 is number 0, node 4 is 1, the virtual node is 2
//	fronts     of number 0, 1 and 2 only
//
// So a search that reaches few of a million nodes clears few fronts.
type labels struct {
	// Input.
	g *digraph
	q *Query
	b *ahead
	m *effort.Meter
	k int

	servers []int32 // indices into Query.Servers, by node
	steps   []step
	weight  []float64 // step by step: k weights of the path
	queue   queue
	reached numbering
	fronts  []front // by the number of a node
	guards  int     // of each front (guard.go)
	effort  Spent

	sum, bound []float64 // scratch: k numbers each
}

// step is a label: a path to a node, as the path of its parent and a link more. At the virtual
// node behind the servers, link is the index of the server.
type step struct {
	node, parent, link, hops int32
	next                     int32 // the label that came into the front before; -1 for none
}

// numbering gives numbers to the nodes that a search reaches, in the order in which it
// reaches them.
type numbering struct {
	number []int32 // by node: one more than its number; 0 if the node was not reached
	nodes  []int32
}

// of returns the number of a node, and whether it is reached for the first time.
func (r *numbering) of(v int32) (number int32, first bool) {
	if r.number[v] == 0 {
		r.nodes = append(r.nodes, v)
		r.number[v] = int32(len(r.nodes))
		first = true
	}
	return r.number[v] - 1, first
}

func (r *numbering) reset() {
	for _, v := range r.nodes {
		r.number[v] = 0
	}
	r.nodes = r.nodes[:0]
}

// newLabels returns memory for searches on a network, with so many guards for each front.
func newLabels(g *digraph, guards int) labels {
	k := g.k
	s := labels{g: g, k: k, guards: guards, sum: make([]float64, k), bound: make([]float64, k)}
	s.reached.number = make([]int32, g.nodes+1)
	return s
}

// begin forgets the last search, and starts the next one. A step is a look at a server.
func (s *labels) begin(q *Query, b *ahead, m *effort.Meter) {
	s.q, s.b, s.m = q, b, m
	s.steps, s.weight, s.queue.items = s.steps[:0], s.weight[:0], s.queue.items[:0]
	s.effort = Spent{}
	s.reached.reset()
	s.servers = s.servers[:0]
	if !grant(m, int64(len(q.Servers))) {
		return // nor will the meter allow a look at a server
	}
	for i := range q.Servers {
		s.servers = append(s.servers, int32(i))
	}
	slices.SortStableFunc(s.servers, func(a, b int32) int { return cmp.Compare(q.Servers[a].Node, q.Servers[b].Node) })
}

// serversAt returns the servers at a node, by index. O(log S) for S servers.
func (s *labels) serversAt(node int32) []int32 {
	from := sort.Search(len(s.servers), func(i int) bool { return s.q.Servers[s.servers[i]].Node >= int(node) })
	to := from
	for to < len(s.servers) && s.q.Servers[s.servers[to]].Node == int(node) {
		to++
	}
	return s.servers[from:to]
}

// of returns the row of a label.
func (s *labels) of(rows []float64, x int32) []float64 { return rows[int(x)*s.k : int(x+1)*s.k] }

// number returns the number of a node, which has a front from now on.
func (s *labels) number(node int32) int32 {
	number, first := s.reached.of(node)
	if !first {
		return number
	}
	if int(number) == len(s.fronts) {
		s.fronts = append(s.fronts, front{guards: make([]guard, s.guards)})
	}
	s.fronts[number].reset()
	return number
}

// ends reports whether a label is at the virtual node, and so a whole path.
func (s *labels) ends(to *step) bool { return int(to.node) == s.g.nodes }

// follow makes the path x longer, by each server and each link at its end, and hands each longer
// path to extend, with its weights in sum. It reports whether the meter allowed it. A step is a look
// at a server or a link.
func (s *labels) follow(x int32, extend func(step)) bool {
	at := s.steps[x] // extend may move the labels
	for _, m := range s.serversAt(at.node) {
		if !s.m.Go(1) {
			return false
		}
		copy(s.sum, s.of(s.weight, x))
		s.add(s.q.Servers[m].Weights)
		extend(step{node: int32(s.g.nodes), parent: x, link: m, hops: at.hops + 1})
	}
	for _, l := range s.g.out.of(int(at.node)) {
		if !s.m.Go(1) {
			return false
		}
		to := s.g.to[l]
		if !s.q.usable(l) || at.parent >= 0 && s.steps[at.parent].node == to {
			continue // back to the parent; the fronts stop longer loops
		}
		weights := s.g.weightsOf(l)
		for i, w := range s.of(s.weight, x) {
			s.sum[i] = w + weights[i]
		}
		extend(step{node: to, parent: x, link: l, hops: at.hops + 1})
	}
	return !s.m.Stopped()
}

// add adds the weights of a server to sum; nil adds nothing.
func (s *labels) add(weights []float64) {
	for i, w := range weights {
		s.sum[i] += w
	}
}

// enter makes a label of a path whose weights are in sum, and returns its number.
func (s *labels) enter(to step) int32 {
	s.steps = append(s.steps, to)
	s.weight = append(s.weight, s.sum...)
	return int32(len(s.steps) - 1)
}

// route returns the path of a label at the virtual node.
func (s *labels) route(x int32) Route {
	end := &s.steps[x]
	links := make([]int, 0, end.hops-1)
	for y := end.parent; s.steps[y].parent >= 0; y = s.steps[y].parent {
		links = append(links, int(s.steps[y].link))
	}
	slices.Reverse(links)
	return s.g.route(s.q.Source, links, int(end.link), slices.Clone(s.of(s.weight, x)))
}

// covers reports whether a label in the front has weights that are no greater and, if all are
// equal, no more links. In a list, a step is a look at a label. covers returns true if the meter
// stops it, since nothing counts any more then.
func (s *labels) covers(number int32, weights []float64, hops int32) bool {
	f := &s.fronts[number]
	if f.last < 0 {
		return false
	}
	for d := range f.guards {
		g := &f.guards[d]
		if weights[d] < g.top {
			continue
		}
		if weights[d] > g.top {
			hops = math.MaxInt32 // no label has equal weights
		}
		if s.k > 3 {
			return g.covers(weights[1:], s.m)
		}
		return g.stairs.covers(others(weights, d, hops))
	}
	for y := f.last; y >= 0; y = s.steps[y].next {
		if !s.m.Go(1) {
			return true
		}
		have := s.of(s.weight, y)
		if noGreater(have, weights) && (s.steps[y].hops <= hops || !slices.Equal(have, weights)) {
			return true
		}
	}
	return false
}

// insert puts a label that the front does not cover into it.
func (s *labels) insert(number, x int32) {
	f, weights := &s.fronts[number], s.of(s.weight, x)
	s.steps[x].next = f.last
	f.last = x
	for d := range f.guards {
		g := &f.guards[d]
		g.top = max(g.top, weights[d])
		if s.k > 3 {
			g.insert(weights[1:], s.m)
			continue
		}
		// A late label may be covered by the guard, though not by the front.
		pair := others(weights, d, s.steps[x].hops)
		if !g.stairs.covers(pair) {
			g.stairs.insert(pair)
		}
	}
}
