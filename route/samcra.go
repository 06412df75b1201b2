package route

import (
	"fmt"

	"github.com/bookahead/bookahead"
)

// pathOrder says which of two paths is the shorter one. All three see only paths that
// keep to the limits. Queries from outside are refined; the tests compare the three.
type pathOrder int

const (
	// refined compares the weights over their limits, sorted, the greatest
	// first, as words are compared in a dictionary (Stevens et al., §3.4).
	// Equals are decided by the number of links.
	refined pathOrder = iota
	// maxNorm compares the greatest of the weights over their limits only: d∞, the
	// order of SAMCRA as published (§3.3). Equals are decided by what comes first.
	maxNorm
	// firstWeight compares weight 0 only: the others are resources, and their
	// limits what there is of them.
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
	// Usable tells which links may be used; nil if all may. It is asked at any
	// time, and always answers the same.
	Usable func(link int) bool

	order pathOrder
}

// Route is a path that meets all limits.
type Route struct {
	Links   []int     // by index, from the source on
	Server  int       // where it ends, an index into Query.Servers
	Weights []float64 // of the path, those of the server included
	Effort  Effort
}

// SAMCRA returns the shortest path that meets all limits, by the refined order
// (§3.4), or bookahead.ErrUnavailable if
// there is none (the Self-Adaptive Multiple Constraints Routing Algorithm; Stevens
// et al., §3, after Van Mieghem and Kuipers). It is exact: the weights of a path are
// the float64 sums from the source on, whatever their rounding.
// O(k·E log N + P log P + P·p·k) for N nodes, E links, k weights, P paths that are
// made, and p of them at one node; both may be exponential in N.
func (n *Network) SAMCRA(q Query) (Route, error) {
	if err := n.checkQuery(q); err != nil {
		return Route{}, err
	}
	b := n.lookAhead(&q)
	r, ok := newMCP(n, &q, b).run()
	if !ok {
		return Route{Effort: r.Effort}, bookahead.ErrUnavailable
	}
	return r, nil
}

// SAMCRAHopByHop is SAMCRA where each node on the way looks for the shortest path anew,
// and knows nothing of the way up to it but that it asks for the next link. In the
// refined order the path has no loop: at each node, what is left is shorter than it was
// at the node before, or as long with one link less (§3.4). Where sums are
// rounded, it may come back to a node; then it gives up with
// bookahead.ErrUnavailable. What it finds may be longer than a limit, as the limits
// begin anew at each node. O(h) times the cost of SAMCRA for h links.
func (n *Network) SAMCRAHopByHop(q Query) (Route, error) {
	if err := n.checkQuery(q); err != nil {
		return Route{}, err
	}
	b := n.lookAhead(&q)
	whole := Route{Weights: make([]float64, len(q.Limits))}
	been := make([]bool, n.nodes)
	for {
		if been[q.Source] {
			return Route{Effort: whole.Effort}, bookahead.ErrUnavailable
		}
		been[q.Source] = true
		r, ok := newMCP(n, &q, b).run()
		whole.Effort.Labels += r.Effort.Labels
		if !ok {
			return Route{Effort: whole.Effort}, bookahead.ErrUnavailable
		}
		if len(r.Links) == 0 {
			whole.Server = r.Server
			for i, w := range r.Weights {
				whole.Weights[i] += w
			}
			return whole, nil
		}
		l := &n.links[r.Links[0]]
		for i, w := range l.Weights {
			whole.Weights[i] += w
		}
		whole.Links = append(whole.Links, r.Links[0])
		q.Source = l.To
	}
}

func (n *Network) checkQuery(q Query) error {
	switch {
	case q.Source < 0 || q.Source >= n.nodes:
		return invalid("Query.Source", q.Source, fmt.Sprintf("is not one of %d nodes", n.nodes))
	case len(q.Servers) == 0:
		return invalid("Query.Servers", q.Servers, "are none")
	case n.config.Weights == 0:
		return invalid("Config.Weights", 0, "leave nothing to compare")
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
	return nil
}
