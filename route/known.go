package route

import (
	"math"
	"slices"
)

// known is MAX_LENGTH: the shortest path of which the search knows. It is the least way
// for a weight, or ends in a label.
type known struct {
	key   []float64 // nil if there is none
	least int       // the weight, or -1
	label int32
}

// maxLength is lines 4 to 8: it finds known (S2). The path that is best in one weight exists,
// and its other weights come with it; of the k paths that meet the limits the shortest
// counts. Weights are summed from the source on, as those of labels are: the same path has
// the same float64 sums, so that known does not stop the label of its own path.
func (s *mcp) maxLength() {
	key := make([]float64, s.k)
	for i := range s.k {
		if math.IsInf(s.b.of(s.q.Source)[i], 1) {
			return // no server can be reached, so no weight has a path
		}
		server := s.along(i, func(int32) {})
		for d, w := range s.q.Servers[server].Weights {
			s.sum[d] += w
		}
		if s.rankOf(key, s.sum) && (s.known.key == nil || s.shorter(key, s.known.key)) {
			s.known = known{slices.Clone(key), i, -1}
		}
	}
}

// along follows the least way for weight i from the source on. It leaves the sum of the
// links in sum, and returns the server at the end.
func (s *mcp) along(i int, each func(link int32)) (server int) {
	via := s.b.via[i*s.n.nodes : (i+1)*s.n.nodes]
	v := s.q.Source
	clear(s.sum)
	for via[v] > endsHere {
		l := via[v]
		each(l)
		for d, w := range s.n.weightsOf(l) {
			s.sum[d] += w
		}
		v = int(s.n.to[l])
	}
	return int(endsHere - via[v])
}

// spent is what the search took.
func (s *mcp) spent() Effort {
	e := s.effort
	e.Steps, e.Cut = s.m.Steps(), s.m.Stopped()
	return e
}

// cut returns the path that is known when the meter stops the search, and a bound: by S4 the
// least key in the queue, or that of the label which has left it last.
func (s *mcp) cut(last int32) (Route, bool) {
	if s.known.key == nil {
		return Route{Effort: s.spent()}, false
	}
	r := s.best()
	if last >= 0 {
		r.Bound = min(r.Bound, s.of(s.key, last)[0])
	}
	if s.queue.len() > 0 {
		r.Bound = min(r.Bound, s.queue.items[0].key)
	}
	return r, true
}

// best returns the known path.
func (s *mcp) best() Route {
	if s.known.label >= 0 {
		return s.route(s.known.label)
	}
	var links []int
	server := s.along(s.known.least, func(l int32) { links = append(links, int(l)) })
	for i, w := range s.q.Servers[server].Weights {
		s.sum[i] += w
	}
	r := s.n.route(s.q.Source, links, server, slices.Clone(s.sum))
	r.Bound, r.Effort = s.known.key[0], s.spent()
	return r
}

// route returns the path of a label at the virtual node.
func (s *mcp) route(x int32) Route {
	end := &s.steps[x]
	links := make([]int, 0, max(0, end.hops-1))
	for y := end.parent; s.steps[y].parent >= 0; y = s.steps[y].parent {
		links = append(links, int(s.steps[y].link))
	}
	slices.Reverse(links)
	r := s.n.route(s.q.Source, links, int(end.link), slices.Clone(s.of(s.weight, x)))
	r.Bound, r.Effort = s.of(s.key, x)[0], s.spent()
	return r
}
