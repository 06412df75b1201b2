package route

import (
	"math"

	"github.com/bookahead/bookahead/internal/effort"
)

// none returns the reason for which a query has no route.
func (b *ahead) none(source int) error {
	if math.IsInf(b.of(source)[0], 1) {
		return ErrNoWay
	}
	return ErrLimits
}

// SAMCRA returns the shortest path that meets all limits, by the refined order
// (§3.4; the Self-Adaptive Multiple Constraints Routing Algorithm; Stevens
// et al., §3, after Van Mieghem and Kuipers). The search is exact: the weights of a path are
// the float64 sums from the source on, whatever their rounding. Of equally long paths the one
// with the fewest links is returned if no sum is rounded. The error is ErrLimits or ErrNoWay if
// there is no such path.
//
// Before the search, a look-ahead finds how far it is from each node to the servers. The
// look-ahead is kept for the next query to the same servers, and dropped when a weight
// changes. Unless the limits are tight, the look-ahead or a greedy path knows a path already. A
// search that its Effort stops returns the best path that it knows, with Spent.Cut and a Bound, or
// bookahead.ErrStopped if it knows none.
//
// O(w·E log N) for the look-ahead, with N nodes, E links and w weights, and O(P log P + P·d·c)
// for P paths that are made longer, each by d links: c is O(1) for two weights, O(log p) for three
// and O(p·w) otherwise, for p paths to one node. P may be exponential in N.
func (n *Network) SAMCRA(q Query) (Route, error) {
	m, err := n.open(&q)
	if err != nil {
		return Route{}, err
	}
	b := n.aheadFor(&q, &m)
	if b == nil {
		return stopped(Spent{}, &m)
	}
	return n.samcra(&q, b, &m)
}

// open checks a query, and returns the meter of its search.
func (n *Network) open(q *Query) (effort.Meter, error) {
	if err := n.checkQuery(q); err != nil {
		return effort.Meter{}, err
	}
	q.closed = n.closed(&q.Avoid)
	return meter(q.Effort)
}

// stopped returns the error of a search that was stopped before it knew a path.
func stopped(e Spent, m *effort.Meter) (Route, error) {
	e.Steps, e.Cut = m.Steps(), true
	return Route{Spent: e}, m.Err()
}

// samcra is SAMCRA with the look-ahead at hand.
func (n *Network) samcra(q *Query, b *ahead, m *effort.Meter) (Route, error) {
	s := newMCP(n, q, b, m)
	defer s.close(n)
	r, ok := s.run()
	switch {
	case !ok && m.Stopped():
		return stopped(r.Spent, m)
	case !ok:
		return r, b.none(q.Source)
	}
	r.Length = q.length(r.Weights)
	if !r.Spent.Cut {
		r.Bound = r.Length
	}
	return r, nil
}

// SAMCRAHopByHop is SAMCRA where each node on the way looks for the shortest path anew. A
// node does not know the way up to it, and takes the first link of the path that it finds. In the
// refined order the path has no loop: at each node, the rest of the path is shorter than the rest
// at the node before, or as long with one link less (§3.4). Where sums are rounded, the path may
// come back to a node, and the error is ErrLimits.
//
// The limits begin anew at each node. So the whole path may exceed a limit: its Length may be above
// 1, and its Bound is 0. Query.Effort is for all nodes together, and where it does not suffice
// the error is bookahead.ErrStopped. O(h) times the cost of SAMCRA for h links, but for the
// look-ahead.
func (n *Network) SAMCRAHopByHop(q Query) (Route, error) {
	m, err := n.open(&q)
	if err != nil {
		return Route{}, err
	}
	source := q.Source
	b := n.aheadFor(&q, &m)
	if b == nil {
		return stopped(Spent{}, &m)
	}
	var links []int
	weights, spent := make([]float64, len(q.Limits)), Spent{}
	been := make([]bool, n.nodes)
	for {
		if been[q.Source] {
			return Route{Spent: spent}, ErrLimits
		}
		been[q.Source] = true
		r, err := n.samcra(&q, b, &m)
		spent = Spent{Labels: spent.Labels + r.Spent.Labels, Steps: r.Spent.Steps}
		switch {
		case m.Stopped():
			return stopped(spent, &m)
		case err != nil:
			return Route{Spent: spent}, err
		}
		if len(r.Links) == 0 {
			for i, w := range r.Weights {
				weights[i] += w
			}
			whole := n.route(source, links, r.Server, weights)
			whole.Length, whole.Spent = q.length(weights), spent
			return whole, nil
		}
		l := &n.links[r.Links[0]]
		for i, w := range l.Weights {
			weights[i] += w
		}
		links = append(links, r.Links[0])
		q.Source = l.To
	}
}

// aheadFor returns the look-ahead for a query: the kept one, if there is one. Its steps count
// in either case, so that no answer depends on the queries before. Usable may change from query to
// query, so with Usable nothing is kept. It returns nil if the meter stops it.
func (n *Network) aheadFor(q *Query, m *effort.Meter) *ahead {
	if q.Usable != nil {
		return n.lookAhead(q, m)
	}
	if b := n.kept.get(q); b != nil {
		if !grant(m, b.steps) {
			return nil
		}
		return b
	}
	b := n.lookAhead(q, m)
	if b != nil {
		n.kept.put(q, b)
	}
	return b
}
