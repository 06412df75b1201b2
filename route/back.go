package route

import "github.com/bookahead/bookahead"

// ends begins step 3 with a way of no length at each cluster. A burst passes there
// whenever it can be there.
func (s *search) ends() {
	a := &s.ways
	for a.queue.len() > 0 {
		a.queue.pop()
	}
	a.list, a.nodes, a.slots = a.list[:0], a.nodes[:0], a.slots[:0]
	for m := range s.n.clusters {
		node := s.n.clusters[m].Node
		arrive := s.places[node].arrive
		if s.j.takes[m] == 0 || node == s.j.Source || len(arrive) == 0 {
			continue // at the source ECT has found the best plan already
		}
		lo := int32(len(a.slots))
		a.slots = append(a.slots, arrive...)
		for range a.row {
			a.nodes = append(a.nodes, 0)
		}
		s.add(way{node: int32(node), rest: -1, link: -1, cluster: int32(m), lo: lo})
	}
}

// back is the rest of step 3. It returns the first way from the source that the queue
// hands out (P5). It returns false if no plan is better than the known plan, or if the search
// is cut short because too few steps are left; s.complete is then the best way that has come to
// the source.
func (s *search) back() (int32, bool) {
	for s.ways.queue.len() > 0 && s.err == nil && !s.ended() {
		x := s.ways.queue.pop()
		if int(s.ways.list[x].node) == s.j.Source {
			return x, true
		}
		s.floor = s.ways.list[x].least.end
		s.follow(x)
	}
	return 0, false
}

// follow makes the way x longer by each link that leads to its first node, unless x may be
// dropped. Ways are compared when the queue hands them out, not when they are made, since many
// ways never leave the queue.
func (s *search) follow(x int32) {
	if s.superfluous(x) {
		return
	}
	node := s.ways.list[x].node
	s.places[node].followed = append(s.places[node].followed, x)
	links := s.n.in.of(int(node))
	for i, l := range links {
		if i%some == 0 && !s.may(int64(min(some, len(links)-i))) {
			return
		}
		s.prepend(l, x)
	}
}

// prepend makes the way x longer by a link in front. A link from a node that x visits would
// close a loop. In the example of earliest.go a burst can be at X in slot 3 only because it was
// there in slot 1:
//
//	S ──► X ──► V ──► X ──► T
//	      1     2     3         X → V in front of V → X → T would close the loop
//
// A slot belongs to the new way if a burst can be at the new node then (P2), the link can
// start then, and the burst passes x when it comes there, later by the delay of the link:
//
//	slot at V                0 1 2 3 4
//	a burst can be there     ■ ■ ■ ■      [0, 4)
//	it passes x, d = 1           ■ ■ ■    [3, 6) at the node of x
//	the link can start       ■ ■ ■        [0, 3)
//	slots of the new way         ■        [2, 3)
func (s *search) prepend(link, x int32) {
	a := &s.ways
	l, w := &s.n.links[link], a.list[x]
	arrive := s.places[l.From].arrive
	if len(arrive) == 0 || marked(a.nodesOf(x), l.From) {
		return
	}
	lo, starts := int32(len(a.slots)), s.starts(link)
	if !s.words(2*(int64(len(arrive)+len(starts))+int64(w.hi-w.lo))) || a.row >= wordsPerStep && !s.may(int64(a.row/wordsPerStep)) {
		return
	}
	s.scratch.spans = meet(s.scratch.spans[:0], arrive, a.slotsOf(&w), int64(l.Delay))
	a.slots = meet(a.slots, s.scratch.spans, starts, 0)
	a.nodes = append(a.nodes, a.nodesOf(x)...)
	s.add(way{
		node: int32(l.From), rest: x, link: link, hops: w.hops + 1,
		cluster: w.cluster, lo: lo, delay: w.delay + int64(l.Delay),
	})
}

// add puts a way into the queue, unless no plan with the way is better than the known plan
// (P4). The caller has appended the slots and the row of the way, which add takes off again if it
// drops the way.
func (s *search) add(w way) {
	a := &s.ways
	s.j.effort.Labels++
	w.hi = int32(len(a.slots))
	if w.lo == w.hi || !s.bound(&w) {
		a.nodes = a.nodes[:len(a.nodes)-a.row]
		a.slots = a.slots[:w.lo]
		return
	}
	mark(a.nodes[len(a.nodes)-a.row:], int(w.node))
	a.list = append(a.list, w)
	a.queue.grow(len(a.list))
	x := int32(len(a.list) - 1)
	a.queue.push(x)
	if int(w.node) == s.j.Source && (s.complete < 0 || w.least.better(a.list[s.complete].least)) {
		s.complete = x
	}
}

// bound finds way.least, and reports whether it is better than the known plan. A burst
// that is at the node later arrives later, and a pool never ends a task earlier because its
// data arrives later. So the first slot of the way gives the bound of P3.
func (s *search) bound(w *way) bool {
	start, ok := s.start(w)
	if !ok {
		return false
	}
	o := s.offer(int(w.cluster), start+w.delay+s.j.burst)
	w.least = value{o.end, w.delay + s.places[w.node].near}
	return o.ok && w.least.better(s.known)
}

// start returns the first slot in which a burst can be at the first node of the way and
// passes. From the source it is sent in that slot. If the source waits for a confirmation, the
// burst is later at all other nodes as well:
//
//	S ──near=2──► V ──delay=4──► T    a round trip takes 2·6 slots: the burst is sent in
//	12            14                  slot 12 at the earliest, and at V in 12 + 2
//
// Over a path to V of a greater delay than near, the source waits longer. So P3 holds for such a
// path, too.
func (s *search) start(w *way) (int64, bool) {
	near := s.places[w.node].near
	at := next(s.ways.slotsOf(w), s.n.floor(s.j, near+w.delay)+near)
	return at, at != never
}

// some is how many links, or ways, step 3 looks at before it asks the meter again.
const some = 16

// superfluous reports whether a way that has been followed can take the place of x in
// every plan (P4). Each of the four conditions is needed: the same cluster, and those below. With
// y followed and x at hand, both from V to the same cluster, x is not dropped here:
//
//	y         x         because
//	delay 5   delay 1   x arrives earlier from the same slot (TestASlowEndThatIsOftenFree)
//	slot 2    2 and 9   a burst may be at V in 9 only (TestAnEndThatIsOftenerFree)
//	over X    over Y    a burst may come to V over X only, and then y closes a loop
//	                    (TestAnEndThatHasBeenThere)
func (s *search) superfluous(x int32) bool {
	a := &s.ways
	w := &a.list[x]
	followed := s.places[w.node].followed
	for i, y := range followed {
		if i%some == 0 && !s.may(int64(min(some, len(followed)-i))*int64(1+a.row/wordsPerStep)) {
			return true // nothing counts any more
		}
		v := &a.list[y]
		if v.cluster != w.cluster || v.delay > w.delay || !within(a.nodesOf(y), a.nodesOf(x)) {
			continue
		}
		if !s.words(2 * (int64(v.hi-v.lo) + int64(w.hi-w.lo))) {
			return true // nothing counts any more
		}
		if covers(a.slotsOf(v), a.slotsOf(w)) {
			return true
		}
	}
	return false
}

// path returns the links of the way x.
func (s *search) path(x int32) []int {
	w := &s.ways.list[x]
	path := make([]int, 0, w.hops)
	for w.rest >= 0 {
		path = append(path, int(w.link))
		w = &s.ways.list[w.rest]
	}
	return path
}

// plan returns the plan over the way x, which begins at the source: by P3 its end is that
// of least.
func (s *search) plan(x int32) Plan {
	w := &s.ways.list[x]
	start, _ := s.start(w)
	m := int(w.cluster)
	end := bookahead.Time(w.least.end)
	run := bookahead.Interval{Start: end - bookahead.Time(s.j.takes[m]), End: end}
	p := s.n.plan(s.j, m, true, w.delay, start, run)
	p.Links = s.path(x)
	return p
}
