package route

import "github.com/bookahead/bookahead"

// ends begins step 3: with an end of no length at each cluster.
func (s *search) ends() {
	for s.queue.len() > 0 {
		s.queue.pop()
	}
	s.ways, s.seen, s.spans = s.ways[:0], s.seen[:0], s.spans[:0]
	for m := range s.n.clusters {
		node := s.n.clusters[m].Node
		if s.j.takes[m] == 0 || node == s.j.Source || len(s.arrive[node]) == 0 {
			continue
		}
		lo := int32(len(s.spans))
		s.spans = append(s.spans, s.arrive[node]...)
		for range s.row {
			s.seen = append(s.seen, 0)
		}
		s.add(way{node: int32(node), rest: -1, link: -1, cluster: int32(m), lo: lo})
	}
}

// add puts a way into the queue, whose spans and row of nodes are the last ones,
// unless nothing better can come of it.
func (s *search) add(w way) {
	s.effort.Labels++
	w.hi = int32(len(s.spans))
	if w.lo < w.hi && s.bound(&w) {
		mark(s.seen[len(s.seen)-s.row:], int(w.node))
		s.ways = append(s.ways, w)
		s.queue.grow(len(s.ways))
		s.queue.push(int32(len(s.ways) - 1))
		return
	}
	s.seen = s.seen[:len(s.seen)-s.row]
	s.spans = s.spans[:w.lo]
}

// bound finds the bound of a way, and reports whether it is better than the best
// plan.
func (s *search) bound(w *way) bool {
	start, ok := s.start(w)
	if !ok {
		return false
	}
	o := s.offer(int(w.cluster), start+w.delay+s.j.burst)
	w.bound, w.reach = o.end, w.delay+s.near[w.node]
	return o.ok && s.better(w.bound, w.reach)
}

// start returns the first slot in which a burst can come to the node and go
// through. At the source that is when it is sent.
func (s *search) start(w *way) (int64, bool) {
	near := s.near[w.node]
	at := next(s.spans[w.lo:w.hi], s.n.floor(s.j, near+w.delay)+near)
	return at, at != never
}

// before is the order of the queue: by completion, then by delay, then by links.
func (s *search) before(a, b int32) bool {
	x, y := &s.ways[a], &s.ways[b]
	switch {
	case x.bound != y.bound:
		return x.bound < y.bound
	case x.reach != y.reach:
		return x.reach < y.reach
	case x.hops != y.hops:
		return x.hops > y.hops // nearer to the source
	}
	return a < b
}

// back is the rest of step 3. It returns the best way from the source, if there is
// a better one than the best plan, and if it is found before there are too many
// labels.
func (s *search) back() (int32, bool) {
	for s.queue.len() > 0 && s.err == nil {
		x := s.queue.pop()
		w := &s.ways[x]
		if int(w.node) == s.j.Source {
			return x, true
		}
		if most := s.n.config.Labels; most > 0 && s.effort.Labels >= most {
			s.effort.Cut = true
			break
		}
		if s.superfluous(x) {
			continue
		}
		s.at[w.node] = append(s.at[w.node], x)
		for _, l := range s.n.in.of(int(w.node)) {
			s.prepend(l, x)
		}
	}
	return 0, false
}

// prepend makes the way x longer by a link in front.
func (s *search) prepend(link, x int32) {
	l, w := &s.n.links[link], s.ways[x]
	arrive := s.arrive[l.From]
	if len(arrive) == 0 || marked(s.seen[int(x)*s.row:], l.From) {
		return
	}
	lo, starts := int32(len(s.spans)), s.of(link)
	s.effort.Words += 2 * (int64(len(arrive)+len(starts)) + int64(w.hi-w.lo))
	s.spare = meet(s.spare[:0], arrive, s.spans[w.lo:w.hi], int64(l.Delay))
	s.spans = meet(s.spans, s.spare, starts, 0)
	s.seen = append(s.seen, s.seen[int(x)*s.row:int(x+1)*s.row]...)
	s.add(way{
		node: int32(l.From), rest: x, link: link, hops: w.hops + 1,
		cluster: w.cluster, lo: lo, delay: w.delay + int64(l.Delay),
	})
}

// superfluous reports whether a way that has been followed makes x so.
func (s *search) superfluous(x int32) bool {
	w := &s.ways[x]
	for _, y := range s.at[w.node] {
		v := &s.ways[y]
		if v.cluster != w.cluster || v.delay > w.delay ||
			!within(s.seen[int(y)*s.row:int(y+1)*s.row], s.seen[int(x)*s.row:int(x+1)*s.row]) {
			continue
		}
		s.effort.Words += 2 * (int64(v.hi-v.lo) + int64(w.hi-w.lo))
		if covers(s.spans[v.lo:v.hi], s.spans[w.lo:w.hi]) {
			return true
		}
	}
	return false
}

// plan returns the plan over the way x, which begins at the source.
func (s *search) plan(x int32) Plan {
	w := s.ways[x]
	path := make([]int, 0, w.hops)
	for y := x; s.ways[y].rest >= 0; y = s.ways[y].rest {
		path = append(path, int(s.ways[y].link))
	}
	start, _ := s.start(&w)
	m := int(w.cluster)
	end := bookahead.Time(w.bound)
	run := bookahead.Interval{Start: end - bookahead.Time(s.j.takes[m]), End: end}
	return s.n.plan(s.j, m, path, w.delay, start, run)
}
