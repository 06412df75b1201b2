package route

import (
	"fmt"
	"math"

	"github.com/bookahead/bookahead"
	"github.com/bookahead/bookahead/internal/effort"
)

// pathOrder says which of two paths is the shorter. All three orders compare only paths
// that keep to the limits. Queries from outside are refined; the tests compare the three.
type pathOrder int

const (
	// refined compares the weights over their limits, sorted, the greatest
	// first, as words are compared in a dictionary (Stevens et al., §3.4).
	// Of equals the path with fewer links is the shorter.
	refined pathOrder = iota
	// maxNorm compares only the greatest of the weights over their limits: d∞, the
	// order of SAMCRA as published (§3.3). Of equals the first path stays.
	maxNorm
	// firstWeight compares weight 0 only. The other weights are uses of resources, and
	// the limits are the amounts of these.
	firstWeight
)

// Server is a member of an anycast group: where a path may end.
type Server struct {
	Node int
	// Weights are added at the end of a path that ends here, such as the load of
	// the server: the weights of the last link, to the virtual node (§3.2), from 0 to
	// 1e290. nil for none.
	Weights []float64
}

// Query asks for a path under several constraints.
type Query struct {
	Source  int
	Servers []Server // at least one
	// Limits are the constraints, Lᵢ, Config.Weights of them: no path is longer in
	// weight i. A limit of 0 allows none of that weight. math.Inf(1) sets no limit;
	// the order of paths then leaves the weight out of account.
	Limits []float64
	// Avoid names links and nodes that the path must not use.
	Avoid Avoid
	// Usable reports whether a link may be used; nil admits all links. It may be asked
	// at any time of the search, and must not change its answer. Avoid is quicker: with
	// Usable, each query finds anew how far it is to the servers.
	Usable func(link int) bool
	// Effort limits the search; 0 Steps stand for 2^24. A step is a look at a server, a link or
	// a label. A step took 67 bytes in the hardest case measured, which makes about 1 GB for 2^24
	// steps, and takes 300 bytes at most.
	Effort bookahead.Effort

	order  pathOrder
	closed []uint64 // by Avoid: a bit for each link; nil for none
}

// usable reports whether a path may use a link.
func (q *Query) usable(link int32) bool {
	return (q.closed == nil || !marked(q.closed, int(link))) && (q.Usable == nil || q.Usable(int(link)))
}

// Route is a path that meets all limits.
type Route struct {
	Source  int
	Nodes   []int     // from the source to the node of the server, one more than there are links
	Links   []int     // by index, from the source on
	Server  int       // the server at the end, an index into Query.Servers
	Weights []float64 // of the path, with those of the server
	// Length is the greatest of the weights over their limits: from 0 to 1, and smaller is
	// better.
	Length float64
	// Bound is a lower bound of the Length of every path. It is the Length of this route unless
	// Spent.Cut says that the search was stopped.
	Bound float64
	Spent Spent
}

// route returns the route over the links.
func (n *Network) route(source int, links []int, server int, weights []float64) Route {
	return Route{Source: source, Nodes: n.nodesOf(source, links), Links: links, Server: server, Weights: weights}
}

// nodesOf returns the nodes of a path.
func (n *Network) nodesOf(source int, links []int) []int {
	nodes := make([]int, 1, len(links)+1)
	nodes[0] = source
	for _, l := range links {
		nodes = append(nodes, n.links[l].To)
	}
	return nodes
}

// length returns Route.Length of a path with these weights.
func (q *Query) length(weights []float64) float64 {
	length := 0.0
	for i, w := range weights {
		if w > 0 {
			length = max(length, w/q.Limits[i])
		}
	}
	return length
}

// Why there is no route. Both wrap bookahead.ErrUnavailable, are returned bare, and can be
// compared with ==.
var (
	// ErrLimits says that paths lead to a server, and none of them is within the limits.
	ErrLimits error = noRoute("bookahead: no route within the limits")
	// ErrNoWay says that no path leads from the source to a server, whatever the limits.
	ErrNoWay error = noRoute("bookahead: no way leads from the source to a server")
)

type noRoute string

func (e noRoute) Error() string { return string(e) }

// Unwrap returns bookahead.ErrUnavailable.
func (e noRoute) Unwrap() error { return bookahead.ErrUnavailable }

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
	defer s.close()
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

func (n *Network) checkQuery(q *Query) error {
	switch {
	case q.Source < 0 || q.Source >= n.nodes:
		return invalid("Query.Source", q.Source, fmt.Sprintf("is not one of %d nodes", n.nodes))
	case len(q.Servers) == 0:
		return invalid("Query.Servers", q.Servers, "are none")
	case n.config.Weights == 0:
		return invalid("Config.Weights", 0, "leaves nothing to compare")
	case len(q.Limits) != n.config.Weights:
		return invalid("Query.Limits", q.Limits, fmt.Sprintf("are not the %d of Config.Weights", n.config.Weights))
	}
	for i, l := range q.Limits {
		if !(l >= 0) {
			return invalid(fmt.Sprintf("Query.Limits[%d]", i), l, "is not a number of 0 or more")
		}
	}
	for m, s := range q.Servers {
		name := fmt.Sprintf("Query.Servers[%d]", m)
		if s.Node < 0 || s.Node >= n.nodes {
			return invalid(name+".Node", s.Node, fmt.Sprintf("is not one of %d nodes", n.nodes))
		}
		if s.Weights != nil && len(s.Weights) != n.config.Weights {
			return invalid(name+".Weights", s.Weights, fmt.Sprintf("are not the %d of Config.Weights", n.config.Weights))
		}
		if err := checkWeights(name+".Weights", s.Weights); err != nil {
			return err
		}
	}
	return n.checkAvoid("Query.Avoid", &q.Avoid, q.Source)
}
