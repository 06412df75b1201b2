package route

import "github.com/bookahead/bookahead"

// Earliest returns the plan with the earliest completion, of equals the one with
// the smallest delay: as good as that of MCT for a nil Objective, without listing
// the paths.
//
// It knows lower bounds of the completion, and stops when a plan attains them:
//
//  1. The best of the shortest paths (ECT) is a plan to begin with. If no path,
//     were all links free, led to a better one, it is the answer.
//  2. Otherwise it finds for each node when a burst can come there at all, be it
//     with loops, up to the time at which it would be too late to be better. That
//     takes a union for each link and each round, as in the algorithm of Bellman
//     and Ford.
//  3. From the clusters it goes back to the source (A*): an end of a path is as
//     good as the first time at which a burst can come to where it begins and
//     goes through. The best end goes first, and the first that has come to the
//     source is the answer. An end is dropped if another from the same node to
//     the same cluster has no greater delay, goes through whenever it does, and
//     is at no node that it is not at.
//
// Instead of bits it keeps lists of the slots in which the burst can start. Loops
// are all that its bounds do not see: where the best way with loops has none, it
// looks at the links around that way only. It returns bookahead.ErrUnavailable if no plan
// ends in time. O(C·h·k) if step 1 is enough; for step 2 O(r·E·k) with r rounds, at most
// one for each node, and for step 3 O(P·(d·k + log P)), where P is the number of
// ends: h·d if loops do not matter, and exponential in the worst case. (C
// clusters, E links with k runs each, d of a node, h of a path.)
func (n *Network) Earliest(t Task) (Plan, error) {
	j, err := n.job(t)
	if err != nil {
		return Plan{}, err
	}
	known, ok, err := n.ect(&j)
	if err != nil {
		return Plan{}, err
	}
	s := n.search(&j)
	defer n.searches.Put(s)
	s.effort = known.Effort
	s.end, s.delay = never, never
	if ok {
		s.end, s.delay = int64(known.Run.End), int64(known.Delay)
	}
	if s.promising() && s.sources() {
		s.ends()
		if x, found := s.back(); found {
			known, ok = s.plan(x), true
		}
	}
	if s.err != nil {
		return Plan{}, s.err
	}
	if s.effort.Cut {
		p, err := n.AWMCT(t, nil)
		s.effort.Labels += p.Effort.Labels
		s.effort.Words += p.Effort.Words
		switch {
		case err == nil && (!ok || s.better(int64(p.Run.End), int64(p.Delay))):
			known, ok = p, true
		case err != nil && err != bookahead.ErrUnavailable:
			return Plan{}, err
		}
	}
	if !ok {
		return s.effort.none()
	}
	known.Effort = s.effort
	return known, nil
}

// way is the end of a path, from a node to a cluster.
type way struct {
	node, rest, link, hops int32 // link leads from node to that of rest; both are -1 at the cluster
	cluster                int32
	lo, hi                 int32 // in search.spans: when a burst that comes to the node goes through
	delay                  int64
	bound                  int64 // no plan with this end is complete before
	reach                  int64 // and none that is complete then has a smaller delay
}

// search is what a query needs; it is used again. Its times count from now, but
// for those at which a task is complete.
type search struct {
	n          *Network
	j          *job
	end, delay int64    // of the best plan so far
	query      uint64   // counts the queries
	asked      []uint64 // by link: the query that starts are of
	starts     [][]span // by link: of the burst
	arrive     [][]span // by node: when its first bit can be there
	near       []int64  // by node: no such way has a smaller delay
	latest     []int64  // by node: from here on it is too late
	touched    []int32  // the nodes with arrivals
	round      [2][]int32
	pending    []bool // by node: in the next round
	ways       []way
	seen       []uint64 // row by row: the nodes of each way
	row        int      // words of a row
	spans      []span
	spare      []span
	union      []span
	at         [][]int32 // by node: the ways that have been followed
	offers     []offered // by cluster
	queue      heap[int32]
	effort     Effort
	err        error
}

// offered is the last answer of a pool: whatever arrives in [from, to] runs then.
type offered struct {
	from, to int64
	end      int64
	ok       bool
}

func (n *Network) search(j *job) *search {
	s, _ := n.searches.Get().(*search)
	if s == nil {
		s = &search{
			n: n, row: (n.nodes + 63) / 64,
			asked: make([]uint64, len(n.links)), starts: make([][]span, len(n.links)), arrive: make([][]span, n.nodes), at: make([][]int32, n.nodes),
			near: make([]int64, n.nodes), latest: make([]int64, n.nodes), pending: make([]bool, n.nodes),
			offers: make([]offered, len(n.clusters)),
		}
		s.queue.less = s.before
	}
	s.j, s.err = j, nil
	s.query++
	for m := range s.offers {
		s.offers[m] = offered{from: -1, to: -1}
	}
	return s
}

// better reports whether a plan that is complete at end, with that delay, is
// better than the best so far.
func (s *search) better(end, delay int64) bool {
	return end < s.end || end == s.end && delay < s.delay
}

// promising is step 1: whether free links would lead to something better.
func (s *search) promising() bool {
	if slots := int64(s.n.config.Slots); s.j.burst > slots || s.j.ready >= slots {
		return false // no link carries it, and sums of such numbers might overflow
	}
	for m := range s.n.clusters {
		away := s.n.clusters[m].away[s.j.Source]
		if s.j.takes[m] == 0 || away == unreachable || s.n.clusters[m].Node == s.j.Source {
			continue // ECT knows all that is there
		}
		o := s.offer(m, s.n.floor(s.j, away)+away+s.j.burst)
		if o.ok && s.better(o.end, away) {
			return true
		}
	}
	return false
}

// offer is Network.offer, which it asks only if the last answer does not do.
func (s *search) offer(m int, arrival int64) offered {
	o := &s.offers[m]
	if arrival < o.from || arrival > o.to {
		run, ok, err := s.n.offer(s.j, m, arrival)
		if err != nil {
			s.err = err
		}
		*o = offered{arrival, never, int64(run.End), ok}
		if ok {
			o.to = int64(run.Start - s.n.now)
		}
	}
	return *o
}

// of returns the starts of the burst on a link.
func (s *search) of(link int32) []span {
	if s.asked[link] == s.query {
		return s.starts[link]
	}
	list := s.starts[link][:0]
	for run := range s.n.runs[link].All() {
		s.effort.Words += 2
		if int64(run.Len()) >= s.j.burst {
			list = append(list, span{int64(run.Start), int64(run.End) - s.j.burst + 1})
		}
	}
	s.starts[link], s.asked[link] = list, s.query
	return list
}

// deadlines fills in latest, and reports whether the source can begin in time.
func (s *search) deadlines() bool {
	for v := range s.latest {
		s.latest[v] = 0
	}
	for m := range s.n.clusters {
		c := &s.n.clusters[m]
		room := min(s.end-int64(s.n.now), s.j.end) - s.j.burst
		if s.j.takes[m] == 0 || room < s.j.takes[m] {
			continue
		}
		// The last slot in which a first bit may come to the cluster.
		last := room - s.j.takes[m]
		for v, away := range c.away {
			if away == unreachable || last < away {
				continue
			}
			s.latest[v] = max(s.latest[v], min(last-away, never/4)+1)
		}
	}
	return s.latest[s.j.Source] > s.j.ready
}

// sources is step 2: it fills in arrive and near. A node takes part in the next
// round if something has come to it in this one.
func (s *search) sources() bool {
	for _, v := range s.touched {
		s.arrive[v], s.at[v] = s.arrive[v][:0], s.at[v][:0]
	}
	s.touched = s.touched[:0]
	if !s.deadlines() {
		return false
	}
	source := int32(s.j.Source)
	s.arrive[source] = append(s.arrive[source], span{s.j.ready, s.latest[source]})
	s.near[source] = 0
	s.touched = append(s.touched, source)
	now, next := append(s.round[0][:0], source), s.round[1][:0]
	for range s.n.nodes - 1 {
		if len(now) == 0 {
			break
		}
		for _, u := range now {
			s.pending[u] = false
		}
		for _, u := range now {
			for _, l := range s.n.out.of(int(u)) {
				if v := int32(s.n.links[l].To); v != source && s.relax(u, v, l) && !s.pending[v] {
					s.pending[v] = true
					next = append(next, v)
				}
			}
		}
		now, next = next, now[:0]
	}
	for _, u := range now {
		s.pending[u] = false
	}
	s.round = [2][]int32{now, next}
	return true
}

// relax adds to the arrivals at v those over a link from u. It reports whether
// there are more, or with a smaller delay.
func (s *search) relax(u, v, link int32) bool {
	l, starts := &s.n.links[link], s.of(link)
	s.effort.Words += 2 * int64(len(s.arrive[u])+len(starts))
	over := meet(s.spare[:0], s.arrive[u], starts, 0)
	s.spare = over
	over = later(over, int64(l.Delay), s.latest[v])
	if len(over) == 0 {
		return false
	}
	near, have := s.near[u]+int64(l.Delay), s.arrive[v]
	if len(have) == 0 {
		s.touched = append(s.touched, v)
		s.near[v] = never
	}
	grown := near < s.near[v]
	s.near[v] = min(s.near[v], near)
	if !covers(have, over) {
		grown = true
		s.union = join(s.union[:0], have, over)
		s.arrive[v] = append(have[:0], s.union...)
	}
	return grown
}
