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
	labels
	bounds []float64 // label by label, k each: of every path that begins with the label (M1)
	end    int32     // the number of the virtual node
	found  bool
}

func newPareto(n *Network, q *Query, b *ahead, m *effort.Meter) *pareto {
	s := &pareto{labels: newLabels(&n.digraph, 1)}
	s.begin(q, b, m)
	s.queue.tie = s.before
	s.end = s.number(int32(n.nodes))
	return s
}

// before decides in the queue between labels whose bounds are equal in the first two weights.
func (s *pareto) before(a, b int32) bool {
	if s.k > 2 {
		if c := slices.Compare(s.of(s.bounds, a)[2:], s.of(s.bounds, b)[2:]); c != 0 {
			return c < 0
		}
	}
	if s.steps[a].hops != s.steps[b].hops {
		return s.steps[a].hops < s.steps[b].hops
	}
	return a < b
}

// run yields the paths, and then an error if there is one.
func (s *pareto) run(yield func(Route, error) bool) {
	s.extend(step{node: int32(s.q.Source), parent: -1, link: -1})
	for s.queue.len() > 0 && !s.m.Stopped() {
		x := s.queue.pop().x
		at := s.steps[x]
		number := s.number(at.node)
		// extend has asked both fronts already, but they have grown while the label waited
		// (M2).
		switch {
		case s.covers(s.end, s.of(s.bounds, x), math.MaxInt32):
			continue
		case number != s.end && s.covers(number, s.of(s.weight, x), math.MaxInt32):
			continue
		}
		s.insert(number, x)
		if number != s.end {
			s.follow(x, s.extend)
			continue
		}
		s.found = true
		r := s.route(x)
		r.Spent = s.spent()
		if !yield(r, nil) {
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

// extend makes a label of a path whose weights are in s.sum, unless it is dropped (M2). The
// front of the servers is asked with the bound, since it compares whole paths; the front of the
// node is asked with the weights, since the ways on from the node are the same for all.
func (s *pareto) extend(to step) {
	s.effort.Labels++
	bound := s.sum
	if !s.ends(&to) {
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
	if s.covers(s.end, bound, math.MaxInt32) || s.covers(s.number(to.node), s.sum, math.MaxInt32) {
		return
	}
	x := s.enter(to)
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
