package route

import (
	"math"
	"slices"
)

// known is MAX_LENGTH: the shortest path that the search knows. It is the best path in one
// weight, or the path of a label.
type known struct {
	key   []float64 // nil if there is none
	least int       // the weight in which the path is best; -1 for the path of a label
	label int32     // -1 for a path that is best in one weight
}

// maxLength is lines 4 to 8: it finds known (S2). For each weight, the look-ahead has the path
// that is best in this weight. Of those that meet the limits, the shortest is known. Weights are
// summed from the source on, as the weights of labels are: the same path has the same float64
// sums, so that known does not stop the label of its own path.
func (s *mcp) maxLength() {
	key := make([]float64, s.k)
	for i := range s.k {
		if math.IsInf(s.b.of(s.q.Source)[i], 1) {
			return // no server can be reached, whatever the weight
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

// along follows the best path in weight i from the source on. It leaves the weights of the
// links in s.sum, and returns the server at the end.
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

// spent returns the work of the search so far.
func (s *mcp) spent() Spent {
	e := s.effort
	e.Steps, e.Cut = s.m.Steps(), s.m.Stopped()
	return e
}

// cut returns the known path when the meter stops the search, and a bound: by S4 the least of
// its key, of the keys in the queue, and of the key of the label that has left the queue last and
// may not have been made longer by all links.
func (s *mcp) cut(last int32) (Route, bool) {
	if s.known.key == nil {
		return Route{Spent: s.spent()}, false
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
	r.Bound, r.Spent = s.known.key[0], s.spent()
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
	r.Bound, r.Spent = s.of(s.key, x)[0], s.spent()
	return r
}
