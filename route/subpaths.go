package route

import "github.com/bookahead/bookahead/internal/effort"

// mostGuards is the most weights for which each front has a guard of each weight. With more weights
// the guards would be lists, and take more memory than the labels.
const mostGuards = 3

// newMCP returns a search, with the memory of an earlier search if one is free.
func newMCP(n *Network, q *Query, b *ahead, m *effort.Meter) *mcp {
	s, _ := n.paths.Get().(*mcp)
	if s == nil {
		k := n.config.Weights
		guards := k
		if k > mostGuards {
			guards = 0
		}
		s = &mcp{labels: newLabels(&n.digraph, guards), rank: make([]float64, k)}
		s.queue.tie = s.before
	}
	s.begin(q, b, m)
	s.key, s.known = s.key[:0], known{}
	return s
}

// close hands the memory on to later queries.
func (s *mcp) close(n *Network) {
	s.q, s.b, s.m, s.known = nil, nil, nil, known{}
	n.paths.Put(s)
}

// run is Fig. 3. A search that the meter stops returns the known path, if there is one (S2).
//
// A label is compared with the front of its node when it is made, and again when it leaves the
// queue. Labels that wait are in no front, which so stays short (S5). With limits 10 and 10:
//
//	made        front             (2, 7) and (3, 5) wait at one node
//	(2, 7)      empty             made: nothing covers it
//	(3, 5)      empty             made: nothing covers it
//	settled     (3, 5)            its greater weight is less, so it leaves first
//	settled     (2, 7) (3, 5)     none covers the other, so both stay
func (s *mcp) run() (Route, bool) {
	s.maxLength()
	clear(s.sum)
	s.extend(step{node: int32(s.q.Source), parent: -1, link: -1})
	for s.queue.len() > 0 {
		x := s.queue.pop().x
		at := &s.steps[x]
		number := s.number(at.node)
		if s.covers(number, s.of(s.weight, x), at.hops) {
			if s.m.Stopped() {
				return s.cut(x)
			}
			continue
		}
		if s.ends(at) {
			return s.whole(x), true
		}
		s.insert(number, x)
		if !s.follow(x, s.extend) {
			return s.cut(x)
		}
	}
	return Route{Spent: s.spent()}, false
}

// extend is lines 17 to 33: the path whose weights are in sum becomes a label, unless a label of
// the front covers it, or it cannot become the shortest (S3).
func (s *mcp) extend(to step) {
	s.effort.Labels++
	key, ok := s.rankAt(&to)
	if !ok {
		return
	}
	if s.known.key != nil && s.shorter(s.known.key, key) {
		return // an equal key stays, or the known path itself would never become a label
	}
	if s.covers(s.number(to.node), s.sum, to.hops) {
		return
	}
	x := s.enter(to)
	s.key = append(s.key, key...)
	second := 0.0
	if s.q.order == refined && s.k > 1 {
		second = key[1]
	}
	s.queue.push(key[0], second, x)
	// At the virtual node the label is a whole path, and so a better one to be known (S2).
	if s.ends(&to) && (s.known.key == nil || s.shorter(key, s.known.key)) {
		s.known = known{append(s.known.key[:0], key...), -1, x}
	}
}
