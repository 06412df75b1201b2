package route

import (
	"math"
	"slices"
)

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
		s.add(s.q.Servers[server].Weights)
		if s.rankOf(key, s.sum) && (s.known.key == nil || s.shorter(key, s.known.key)) {
			s.known = known{slices.Clone(key), i, -1}
		}
	}
	if s.known.key == nil {
		s.greedy()
	}
}

// greedy makes a path that is known if it comes to a server: of all ways to make the path longer it
// takes the way with the least key, and never comes back to a node. The labels of the path do not wait
// in the queue. With limits 10 and 10, a path that is good in both weights is found:
//
//	S ──(1, 12)──► T     best in weight 0, but over the limit of weight 1
//	S ──(12, 1)──► T     best in weight 1, but over the limit of weight 0
//	S ──(2, 3)──► A ──(4, 3)──► T     A has key .6 .6, and so has T: known
func (s *mcp) greedy() {
	at, been := step{node: int32(s.q.Source), parent: -1, link: -1}, map[int32]bool{}
	sum, key := make([]float64, s.k), make([]float64, s.k)
	clear(s.sum)
	first, ok := s.rankAt(&at)
	copy(key, first)
	for ok {
		been[at.node] = true
		x := s.enter(at)
		s.key = append(s.key, key...)
		if s.ends(&at) {
			s.known = known{key, -1, x}
			return
		}
		ok = false
		allowed := s.follow(x, func(to step) {
			s.effort.Labels++
			longer, within := s.rankAt(&to)
			if !within || been[to.node] || ok && !s.shorter(longer, key) {
				return
			}
			at, ok = to, true
			copy(key, longer)
			copy(sum, s.sum)
		})
		if !allowed {
			return
		}
		copy(s.sum, sum)
	}
}

// along follows the best path in weight i from the source on. It leaves the weights of the
// links in s.sum, and returns the server at the end.
func (s *mcp) along(i int, each func(link int32)) (server int) {
	via := s.b.via[i*s.g.nodes : (i+1)*s.g.nodes]
	v := s.q.Source
	clear(s.sum)
	for via[v] > endsHere {
		l := via[v]
		each(l)
		s.add(s.g.weightsOf(l))
		v = int(s.g.to[l])
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
// its key, of the keys in the queue, and of the key of the last label that has left the queue, which
// may not have been made longer by all links.
func (s *mcp) cut(last int32) (Route, bool) {
	if s.known.key == nil {
		return Route{Spent: s.spent()}, false
	}
	r := s.best()
	r.Bound = min(r.Bound, s.of(s.key, last)[0])
	if s.queue.len() > 0 {
		r.Bound = min(r.Bound, s.queue.items[0].key)
	}
	return r, true
}

// best returns the known path.
func (s *mcp) best() Route {
	if s.known.label >= 0 {
		return s.whole(s.known.label)
	}
	var links []int
	server := s.along(s.known.least, func(l int32) { links = append(links, int(l)) })
	s.add(s.q.Servers[server].Weights)
	r := s.g.route(s.q.Source, links, server, slices.Clone(s.sum))
	r.Bound, r.Spent = s.known.key[0], s.spent()
	return r
}

// whole returns the path of a label at the virtual node, and its bound.
func (s *mcp) whole(x int32) Route {
	r := s.route(x)
	r.Bound, r.Spent = s.of(s.key, x)[0], s.spent()
	return r
}
