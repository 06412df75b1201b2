package route

import (
	"math"
	"slices"

	"github.com/bookahead/bookahead/internal/effort"
)

// mcp is a run of SAMCRA: labels, and the queue Q of Fig. 3. Later queries use the same
// memory, one at a time. The lists by node are as long as the nodes that a search has reached:
//
//	reached    node 17 is number 0, node 4 is 1, the virtual node is 2
//	fronts     of number 0, 1 and 2 only
//
// So a search that reaches few of a million nodes clears few lists.
type mcp struct {
	// Input.
	n *Network
	q *Query
	b *ahead
	m *effort.Meter
	k int

	steps  []step
	weight []float64 // step by step: k weights of the path
	key    []float64 // step by step: k numbers by which paths are ordered
	known  known
	queue  queue
	effort Spent

	// The labels of a node, by its number. With two weights fronts has the labels that have left
	// the queue, sorted; otherwise at has all labels.
	reached numbering
	fronts  []stairs
	at      [][]int32

	bound, sum, rank []float64 // scratch: k numbers each
}

// step is a label: a path to a node, as the path of its parent and a link more. At the virtual
// node behind the servers, link is the index of the server.
type step struct {
	node, parent, link, hops int32
	left                     bool // the queue has handed it out
}

// numbering gives numbers to the nodes that a search reaches, in the order in which it
// reaches them.
type numbering struct {
	number []int32 // by node: one more than its number; 0 if the node was not reached
	nodes  []int32
}

// of returns the number of a node, and whether it is reached for the first time.
func (r *numbering) of(v int32) (number int32, first bool) {
	if r.number[v] == 0 {
		r.nodes = append(r.nodes, v)
		r.number[v] = int32(len(r.nodes))
		first = true
	}
	return r.number[v] - 1, first
}

func (r *numbering) reset() {
	for _, v := range r.nodes {
		r.number[v] = 0
	}
	r.nodes = r.nodes[:0]
}

func (s *mcp) of(rows []float64, x int32) []float64 { return rows[int(x)*s.k : int(x+1)*s.k] }

// newMCP returns a search, with the memory of an earlier search if one is free.
func newMCP(n *Network, q *Query, b *ahead, m *effort.Meter) *mcp {
	s, _ := n.paths.Get().(*mcp)
	if s == nil {
		k := n.config.Weights
		s = &mcp{n: n, k: k, bound: make([]float64, k), sum: make([]float64, k), rank: make([]float64, k)}
		s.reached.number = make([]int32, n.nodes+1)
		s.queue.tie = s.before
	}
	s.q, s.b, s.m = q, b, m
	s.steps, s.weight, s.key = s.steps[:0], s.weight[:0], s.key[:0]
	s.known = known{}
	s.queue.items = s.queue.items[:0]
	s.effort = Spent{}
	s.reached.reset()
	return s
}

// close hands the memory on to later queries.
func (s *mcp) close() {
	s.q, s.b, s.m, s.known = nil, nil, nil, known{}
	s.n.paths.Put(s)
}

// run is Fig. 3. A step is a look at a server or a link at the end of a label. A search that
// the meter stops returns the known path, if there is one (S2).
func (s *mcp) run() (Route, bool) {
	s.maxLength()
	clear(s.sum)
	s.extend(step{node: int32(s.q.Source), parent: -1, link: -1}, s.sum)
	for s.queue.len() > 0 {
		x := s.queue.pop().x
		at := &s.steps[x]
		if at.left {
			continue // improved while it waited, it was in the queue twice
		}
		if s.k == 2 {
			settled := s.settle(x)
			if !settled {
				continue
			}
		}
		at.left = true // no label takes its number from now on (S5)
		if int(at.node) == s.n.nodes {
			return s.route(x), true
		}
		if !s.follow(x) {
			return s.cut(x)
		}
	}
	if s.m.Stopped() {
		return s.cut(-1) // by obsolete, which then drops labels that it has not compared
	}
	return Route{Spent: s.spent()}, false
}

// follow makes the path x longer, by each server and each link at its end. It reports whether
// the meter allowed it.
func (s *mcp) follow(x int32) bool {
	at := s.steps[x] // extend may move the labels
	for m := range s.q.Servers {
		if !s.m.Go(1) {
			return false
		}
		if server := &s.q.Servers[m]; server.Node == int(at.node) {
			copy(s.sum, s.of(s.weight, x))
			for i, w := range server.Weights {
				s.sum[i] += w
			}
			s.extend(step{node: int32(s.n.nodes), parent: x, link: int32(m), hops: at.hops + 1}, s.sum)
		}
	}
	for _, l := range s.n.out.of(int(at.node)) {
		if !s.m.Go(1) {
			return false
		}
		to := s.n.to[l]
		if !s.q.usable(l) || at.parent >= 0 && s.steps[at.parent].node == to {
			continue // back to the parent; S3 drops longer loops
		}
		weights := s.n.weightsOf(l)
		for i, w := range s.of(s.weight, x) {
			s.sum[i] = w + weights[i]
		}
		s.extend(step{node: to, parent: x, link: l, hops: at.hops + 1}, s.sum)
	}
	return !s.m.Stopped()
}

// rankOf writes the key of a path with these weights. It reports whether they are within the
// limits. For the limits 10, 20 and 5 and the refined order:
//
//	weights    4   16   1
//	key       .8   .4  .2      each over its limit, the greatest first
func (s *mcp) rankOf(key, weights []float64) bool {
	for i, w := range weights {
		if w > s.q.Limits[i] {
			return false
		}
		key[i] = 0 // also where the limit is 0, by which nothing can be divided
		if w > 0 {
			key[i] = w / s.q.Limits[i]
		}
	}
	switch {
	case s.q.order == firstWeight:
		key[0] = weights[0]
	case s.q.order == maxNorm:
		key[0] = slices.Max(key)
	case len(key) == 2:
		key[0], key[1] = max(key[0], key[1]), min(key[0], key[1])
	default:
		slices.Sort(key)
		slices.Reverse(key)
	}
	return true
}

// shorter reports whether a path with key a is shorter than a path with key b.
func (s *mcp) shorter(a, b []float64) bool {
	if s.q.order == refined {
		return slices.Compare(a, b) < 0
	}
	return a[0] < b[0]
}

// before decides in the queue between labels of equal first keys: by the rest of the key, then
// by links, and then the label that was made first, so that answers do not depend on the queue.
func (s *mcp) before(a, b int32) bool {
	if s.q.order == refined {
		if c := slices.Compare(s.of(s.key, a), s.of(s.key, b)); c != 0 {
			return c < 0
		}
		if s.steps[a].hops != s.steps[b].hops {
			return s.steps[a].hops < s.steps[b].hops
		}
	}
	return a < b
}

// extend is lines 17 to 33: the path becomes a label, unless another label of the same
// node dominates it, or it cannot become the shortest (S3).
//
// With two weights, only labels that have left the queue dominate, and they lie in a sorted
// front. Otherwise all labels of the node may dominate the new label. If none does, and the new
// label dominates one that waits, it takes that number (S5):
//
//	new      (3, 6, 2)
//	waits    (4, 6, 2)    its number is that of (3, 6, 2) now, and waits twice
//	left     (4, 7, 2)    stays, since paths have been made longer from it
func (s *mcp) extend(to step, weights []float64) {
	s.effort.Labels++
	bound := weights
	if int(to.node) < s.n.nodes {
		rest := s.b.of(int(to.node))
		if math.IsInf(rest[0], 1) {
			return // no way leads on to a server
		}
		bound = s.bound
		for i, w := range rest {
			bound[i] = (weights[i] + w) * s.b.below
		}
	}
	key := s.rank
	if !s.rankOf(key, bound) {
		return
	}
	if s.known.key != nil && s.shorter(s.known.key, key) {
		return // an equal key stays, or the known path itself would never become a label
	}
	number, first := s.reached.of(to.node)
	x := int32(-1) // the number that the label takes over; -1 for a new number
	if s.k == 2 {
		if first {
			s.fronts = longer(s.fronts, int(number))
			s.fronts[number].reset()
		} else if s.fronts[number].covers(stair{weights[0], weights[1], to.hops}) {
			return
		}
	} else {
		if first {
			s.at = longer(s.at, int(number))
			s.at[number] = s.at[number][:0]
		}
		var covered bool
		x, covered = s.obsolete(number, to, weights, key)
		if covered {
			return
		}
	}
	if x < 0 {
		x = int32(len(s.steps))
		s.steps = append(s.steps, to)
		s.weight = append(s.weight, weights...)
		s.key = append(s.key, key...)
		if s.k != 2 {
			s.at[number] = append(s.at[number], x)
		}
	} else {
		s.steps[x] = to
		copy(s.of(s.weight, x), weights)
		copy(s.of(s.key, x), key)
	}
	second := 0.0
	if s.q.order == refined && s.k > 1 {
		second = key[1]
	}
	s.queue.push(key[0], second, x)
	// At the virtual node the label is a whole path, and so a better one to be known (S2).
	if int(to.node) == s.n.nodes && (s.known.key == nil || s.shorter(key, s.known.key)) {
		s.known = known{append(s.known.key[:0], key...), -1, x}
	}
}

// settle is the second look at a label, where there are two weights. It puts a label that
// leaves the queue into the front of its node, unless the front covers the label by now. Labels
// that wait are in no front, which so stays short:
//
//	made        front             (2, 7) and (3, 5) wait at one node
//	(2, 7)      empty             made: nothing covers it
//	(3, 5)      empty             made: nothing covers it
//	settled     (3, 5)            its greater weight is less, so it leaves first
//	settled     (2, 7) (3, 5)     none covers the other, so both stay
func (s *mcp) settle(x int32) bool {
	at, w := &s.steps[x], s.of(s.weight, x)
	f := &s.fronts[s.reached.number[at.node]-1]
	label := stair{w[0], w[1], at.hops}
	if f.covers(label) {
		return false
	}
	f.insert(label)
	return true
}

// obsolete looks at all labels of a node, where there are not two weights. It reports
// whether one of them covers the new label. Otherwise it returns a label that waits in the queue
// and that the new label covers, whose number the new label may take (S5); -1 if there is none. A
// step is a label that it looks at.
func (s *mcp) obsolete(number int32, to step, weights, key []float64) (x int32, covered bool) {
	x = -1
	for i, y := range s.at[number] {
		if i%effort.Chunk == 0 && !s.m.Go(min(effort.Chunk, len(s.at[number])-i)) {
			return -1, true
		}
		have := s.of(s.weight, y)
		// Of equal weights the path with fewer links is the shorter, so more links cover nothing.
		if Additive(have).Covers(weights) && (s.steps[y].hops <= to.hops || !slices.Equal(have, weights)) {
			return -1, true
		}
		// The first such label will do. The others stay: the queue hands them out later, and
		// the labels that come from them are dropped (S3).
		if x < 0 && !s.steps[y].left && Additive(weights).Covers(have) &&
			(to.hops <= s.steps[y].hops || s.shorter(key, s.of(s.key, y))) {
			x = y
		}
	}
	return x, false
}

// longer makes a list long enough for item i.
func longer[T any](list []T, i int) []T {
	for len(list) <= i {
		var zero T
		list = append(list, zero)
	}
	return list
}
