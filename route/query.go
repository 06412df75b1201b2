package route

import (
	"fmt"

	"github.com/bookahead/bookahead"
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
func (g *digraph) route(source int, links []int, server int, weights []float64) Route {
	return Route{Source: source, Nodes: g.nodesOf(source, links), Links: links, Server: server, Weights: weights}
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

func (g *digraph) checkQuery(q *Query) error {
	switch {
	case q.Source < 0 || q.Source >= g.nodes:
		return invalid("Query.Source", q.Source, fmt.Sprintf("is not one of %d nodes", g.nodes))
	case len(q.Servers) == 0:
		return invalid("Query.Servers", q.Servers, "are none")
	case g.k == 0:
		return invalid("Config.Weights", 0, "leaves nothing to compare")
	case len(q.Limits) != g.k:
		return invalid("Query.Limits", q.Limits, fmt.Sprintf("are not the %d of Config.Weights", g.k))
	}
	for i, l := range q.Limits {
		if !(l >= 0) {
			return invalid(fmt.Sprintf("Query.Limits[%d]", i), l, "is not a number of 0 or more")
		}
	}
	for m, s := range q.Servers {
		name := fmt.Sprintf("Query.Servers[%d]", m)
		if s.Node < 0 || s.Node >= g.nodes {
			return invalid(name+".Node", s.Node, fmt.Sprintf("is not one of %d nodes", g.nodes))
		}
		if s.Weights != nil && len(s.Weights) != g.k {
			return invalid(name+".Weights", s.Weights, fmt.Sprintf("are not the %d of Config.Weights", g.k))
		}
		if err := checkWeights(name+".Weights", s.Weights); err != nil {
			return err
		}
	}
	return g.checkAvoid("Query.Avoid", &q.Avoid, q.Source)
}
