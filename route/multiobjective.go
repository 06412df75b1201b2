package route

import (
	"iter"
	"math"
	"slices"

	"github.com/bookahead/bookahead/internal/effort"
)

// Pareto yields the paths from the source to a server that no other path dominates: no other is
// at least as good in all weights, and better in one. A path to one server may dominate a path
// to another; for the paths to each server, ask for one server at a time. Paths that exceed
// a limit are left out; Limits may be nil here, for none. Of paths with equal weights one
// comes, with the fewest links if the sums are exact.
//
// Paths come in the order of weight 0, of equals in the order of weight 1, and so on. Each path is
// found when it is asked for. The first costs as much as a path that is shortest in weight 0, and
// no later path is better in weight 0. Length and Bound of these routes are 0. A sequence may be
// ranged over again, and by many at once.
//
// A sequence with no path has one error: that of SAMCRA. The Effort of the query is for the whole
// sequence. Where it does not suffice, bookahead.ErrStopped comes last, and the paths before it
// are right.
//
// The search is Martins' with bounds, in the way of the targeted multi-objective
// Dijkstra algorithm (Maristany de las Casas et al., 2021). A label is compared with the fronts
// of its node and of the servers. Since labels come in the order of weight 0, only the other
// weights are compared. The search takes the look-ahead of SAMCRA, and O(P·d·(c + log P)) for P
// labels that are made longer, each by d links: c is O(1) for two weights, O(log p) for three, and
// O(p) otherwise, for p paths to a node. P may be exponential in the number of nodes.
func (n *Network) Pareto(q Query) iter.Seq2[Route, error] {
	return func(yield func(Route, error) bool) {
		q := q
		if q.Limits == nil {
			q.Limits = slices.Repeat([]float64{math.Inf(1)}, n.config.Weights)
		}
		m, err := n.open(&q)
		if err != nil {
			yield(Route{}, err)
			return
		}
		b := n.aheadFor(&q, &m)
		if b == nil {
			yield(stopped(Spent{}, &m))
			return
		}
		newPareto(n, &q, b, &m).run(yield)
	}
}

// pareto is a run of Pareto. It keeps three promises; TestParetoIsExhaustive checks them.
//
//	M1 order     The bound of a label is at most the weights of each path that begins with
//	             the label (S1). At the virtual node the bound is the weights of the path. The
//	             queue hands out the least bound first, weight by weight. So if a path dominates
//	             another, a label of the first path always goes before the other path.
//	M2 dropping  A label is dropped in three cases only: its bound exceeds a limit; a label
//	             that has left the queue at the same node has no greater weights; or a label
//	             that has left the queue at the virtual node has weights no greater than its
//	             bound.
//	M3 fronts    The front of a node holds the weights of each label that has left the queue
//	             there and was not dropped, in the order in which they came.
//
// By M1 and M2, a label that leaves the queue at the virtual node and is not dropped is a path
// that no other dominates, and of equal weights one path comes. An example with two weights
// from S to T:
//
//	S ──(1, 5)──► A ──(1, 1)──► T        bound of A: 2, 6     T over A: 2, 6
//	S ──(2, 2)──► B ──(2, 2)──► T        bound of B: 4, 4     T over B: 4, 4
//	S ──────────(5, 5)────────► T        T at once: 5, 5
//
//	handed out   S, A (2, 6), T (2, 6), B (4, 4), T (4, 4), T (5, 5)
//	yielded                   yes                 yes       no: (4, 4) covers it
type pareto struct {
	n *Network
	q *Query
	b *ahead
	m *effort.Meter
	k int

	labels  []costed
	weights []float64 // label by label, k each
	bounds  []float64 // label by label, k each: of every path that begins with the label (M1)
	queue   queue
	reached numbering
	fronts  []front
	ends    int32 // the number of the virtual node

	sum, bound []float64 // scratch
	effort     Spent
	found      bool
}

// costed is a label of pareto: a step, and its place in the front of its node.
type costed struct {
	node, parent, link, hops int32
	next                     int32 // the label that came into the front before; -1 for none
}

func newPareto(n *Network, q *Query, b *ahead, m *effort.Meter) *pareto {
	k := n.config.Weights
	s := &pareto{n: n, q: q, b: b, m: m, k: k, sum: make([]float64, k), bound: make([]float64, k)}
	s.reached.number = make([]int32, n.nodes+1)
	s.queue.tie = s.before
	s.ends = s.number(int32(n.nodes))
	return s
}

func (s *pareto) of(rows []float64, x int32) []float64 { return rows[int(x)*s.k : int(x+1)*s.k] }

// number returns the number of a node, which has a front from now on.
func (s *pareto) number(node int32) int32 {
	number, first := s.reached.of(node)
	if first {
		s.fronts = append(s.fronts, front{last: -1})
	}
	return number
}

// before decides in the queue between labels whose bounds are equal in the first two weights.
func (s *pareto) before(a, b int32) bool {
	if s.k > 2 {
		if c := slices.Compare(s.of(s.bounds, a)[2:], s.of(s.bounds, b)[2:]); c != 0 {
			return c < 0
		}
	}
	if s.labels[a].hops != s.labels[b].hops {
		return s.labels[a].hops < s.labels[b].hops
	}
	return a < b
}

// run yields the paths, and then an error if there is one.
func (s *pareto) run(yield func(Route, error) bool) {
	s.extend(costed{node: int32(s.q.Source), parent: -1, link: -1})
	for s.queue.len() > 0 && !s.m.Stopped() {
		x := s.queue.pop().x
		at := s.labels[x]
		number := s.number(at.node)
		// extend has asked both fronts already, but they have grown while the label waited
		// (M2).
		switch {
		case s.covers(s.ends, s.of(s.bounds, x)):
			continue
		case number != s.ends && s.covers(number, s.of(s.weights, x)):
			continue
		}
		s.insert(number, x)
		if number != s.ends {
			s.follow(x)
			continue
		}
		s.found = true
		if !yield(s.route(x), nil) {
			return
		}
	}
	switch {
	case s.m.Stopped():
		yield(stopped(s.effort, s.m))
	case !s.found:
		yield(Route{Spent: s.spent()}, s.b.none(s.q.Source))
	}
}

// follow makes a path longer by each server and each link at its end, as far as the meter
// allows. A step is a look at a server or a link.
func (s *pareto) follow(x int32) {
	at := s.labels[x]
	for m := range s.q.Servers {
		if !s.m.Go(1) {
			return
		}
		if server := &s.q.Servers[m]; server.Node == int(at.node) {
			copy(s.sum, s.of(s.weights, x))
			for i, w := range server.Weights {
				s.sum[i] += w
			}
			s.extend(costed{node: int32(s.n.nodes), parent: x, link: int32(m), hops: at.hops + 1})
		}
	}
	for _, l := range s.n.out.of(int(at.node)) {
		if !s.m.Go(1) {
			return
		}
		to := s.n.to[l]
		if !s.q.usable(l) || at.parent >= 0 && s.labels[at.parent].node == to {
			continue // back to the parent; M2 drops longer loops
		}
		weights := s.n.weightsOf(l)
		for i, w := range s.of(s.weights, x) {
			s.sum[i] = w + weights[i]
		}
		s.extend(costed{node: to, parent: x, link: l, hops: at.hops + 1})
	}
}

// extend makes a label of a path whose weights are in s.sum, unless it is dropped (M2). The
// front of the servers is asked with the bound, since it compares whole paths; the front of the
// node is asked with the weights, since the ways on from the node are the same for all.
func (s *pareto) extend(to costed) {
	s.effort.Labels++
	bound := s.sum
	if int(to.node) < s.n.nodes {
		rest := s.b.of(int(to.node))
		if math.IsInf(rest[0], 1) {
			return // there is no way on
		}
		bound = s.bound
		for i, w := range rest {
			bound[i] = (s.sum[i] + w) * s.b.below
		}
	}
	for i, w := range bound {
		if w > s.q.Limits[i] {
			return
		}
	}
	if s.covers(s.ends, bound) || s.covers(s.number(to.node), s.sum) {
		return
	}
	x := int32(len(s.labels))
	s.labels = append(s.labels, to)
	s.weights = append(s.weights, s.sum...)
	s.bounds = append(s.bounds, bound...)
	second := 0.0
	if s.k > 1 {
		second = bound[1]
	}
	s.queue.push(bound[0], second, x)
}

func (s *pareto) spent() Spent {
	e := s.effort
	e.Steps = s.m.Steps()
	return e
}

// route returns the path of a label at the virtual node.
func (s *pareto) route(x int32) Route {
	end := &s.labels[x]
	links := make([]int, 0, end.hops-1)
	for y := end.parent; s.labels[y].parent >= 0; y = s.labels[y].parent {
		links = append(links, int(s.labels[y].link))
	}
	slices.Reverse(links)
	r := s.n.route(s.q.Source, links, int(end.link), slices.Clone(s.of(s.weights, x)))
	r.Spent = s.spent()
	return r
}
