package nodes

import (
	"fmt"
	"strings"

	"github.com/bookahead/bookahead"
)

// Explanation says why a request does not start at once: which nodes have too little, of which resource, until
// when, and who holds it.
type Explanation struct {
	// Window is the first place that the times of the request allow: from Ready, or from now if that is later,
	// for Duration. If the deadline is earlier than the end of that, Window ends with the deadline.
	Window bookahead.Interval
	// Group is the index of the group for Within, -1 without Within. Room and Short are about the nodes of this
	// group that the request allows. It is the group that has room for the most tasks throughout Window, and
	// of equal groups the lowest.
	Group int
	// Room is the number of tasks for which the nodes have room throughout Window, in whole bundles and beside the head. It is 0
	// if the head has no room, or if Window begins before now or ends beyond the horizon.
	Room int64
	// Short are the nodes that have room for fewer tasks than when all is free, by node; if no node has room
	// for the head, also the nodes that lack room for the head. It is nil if the request has a place at the
	// begin of Window, and if Window begins before now or ends beyond the horizon.
	Short []Shortage
	// Earliest is the place that Search finds if the deadline is dropped, the first unless the request has Patience; the
	// zero Offer if there is none.
	Earliest Offer
	// Err is the error that Search returns for the request, and tells ErrNever from ErrClosed; nil if the
	// request has a place.
	Err error

	tasks int64
	late  bool // Window begins before now or ends beyond the horizon
}

// Shortage is a node that has less room than when all is free.
type Shortage struct {
	Node int
	// Room is the number of tasks for which the node has room throughout Window.
	Room int64
	// Resource is the first resource of which the node has too little for one more task, or for the head; if the request
	// is Exclusive, the first of which not all is free.
	Resource string
	// Free is the least of it that is free in Window, 0 while the node is closed.
	Free int64
	// Lacking is the first stretch in which too little of Resource is free for one more task, or for the
	// head. It begins in Window and may end later, at bookahead.MaxTime if nothing that is known ends it.
	Lacking bookahead.Interval
	// Reservations hold some of Resource on the node in the part of Lacking that lies in Window, by start, then
	// by ID.
	Reservations []bookahead.ID
	// Closures close the node in the same part, by ID. A node that was added is also closed before and after
	// its time, by no closure.
	Closures []bookahead.ClosureID
}

// Explain finds out why a request does not fit, or not at once. It is a query. The error wraps
// bookahead.ErrInvalid, as the error of Search does. Explain takes three Searches, with Patience up to five, O(log v + s) for each node that
// the request allows, of v steps, s of which lie in Window, and O(k) for the nodes of each reservation that
// overlaps Window.
func (m *Machine) Explain(r Request) (Explanation, error) {
	err := m.check(r)
	if err != nil {
		return Explanation{}, err
	}
	e := Explanation{Group: -1, tasks: r.Tasks, Window: m.firstWindow(r)}
	_, e.Err = m.Search(r)
	anytime := r
	anytime.Deadline = 0
	o, err := m.Search(anytime)
	if err == nil {
		e.Earliest = o
	}
	e.late = e.Window.Start < m.bounds.Now || e.Window.End > m.bounds.End
	if !e.late {
		m.explain(r, &e)
	}
	return e, nil
}

// firstWindow returns the first place that the times of a request allow.
func (m *Machine) firstWindow(r Request) bookahead.Interval {
	d := bookahead.Time(r.Duration)
	last := bookahead.MaxTime - d
	if r.Deadline != 0 {
		last = r.Deadline - d
	}
	start := min(max(r.Ready, m.bounds.Now), last)
	return bookahead.Interval{Start: start, End: start + d}
}

// explain finds the room in the window, and the nodes that have too little.
func (m *Machine) explain(r Request, e *Explanation) {
	var q query
	_ = m.ask(r, &q)  // no error: the request has been checked
	if q.hopeless() { // no node lacks anything
		return
	}
	best := -1
	for g, p := range q.parts {
		room := m.roomIn(&q, p, e.Window)
		if best < 0 || room > e.Room {
			best, e.Room = g, room
		}
	}
	if q.within != nil {
		e.Group = best
	}
	if best < 0 || e.Room >= r.Tasks {
		return
	}
	nodes := q.parts[best]
	x := explainer{machine: m, query: &q, window: e.Window, at: map[int]int{}}
	x.headShort = q.head != nil
	x.each(nodes, func(_ int, _ Vector, _ int64, beside int64) { x.headShort = x.headShort && beside < 0 })
	x.each(nodes, x.look)
	x.blame()
	e.Short = x.list
}

// roomIn returns the tasks for which a part has room throughout w, beside the head. O(n log n) for n nodes of the part.
func (m *Machine) roomIn(q *query, p part, w bookahead.Interval) int64 {
	x := explainer{machine: m, query: q, window: w}
	var seats []seat
	x.each(p, func(k int, _ Vector, fit, beside int64) {
		seats = append(seats, seat{Candidate: Candidate{Node: k, Fit: fit}, beside: beside})
	})
	return q.stockOf(seats).besideHead(seats)
}

// explainer lists the shortages of nodes in a window.
type explainer struct {
	machine   *Machine
	query     *query
	window    bookahead.Interval
	headShort bool // no node has room for the head
	list      []Shortage
	resources []int       // of each shortage, its resource
	at        map[int]int // the shortage of each node
}

// each yields the nodes of a part that the query allows, with the free amounts throughout the window, the tasks
// that fit, and the tasks that fit beside the head.
func (x *explainer) each(p part, yield func(k int, free Vector, fit, beside int64)) {
	free := make(Vector, x.machine.wide)
	for k := range p.in(x.query.allowed) {
		x.machine.index.nodes[k].least(x.window, free)
		fit, beside := x.query.fit(free), int64(-1)
		if x.query.head != nil {
			beside = x.query.beside(free)
		}
		if x.query.exclusive && !enough(free, x.machine.given[k]) {
			fit, beside = 0, -1
		}
		yield(k, free, fit, beside)
	}
}

// look adds a shortage of a node, if it has one.
func (x *explainer) look(k int, free Vector, fit, beside int64) {
	class := x.machine.class[k]
	switch {
	case fit < x.query.most[class]:
		x.add(k, fit, free, func(r int) int64 { return x.query.each[r] * (fit + 1) })
	case x.headShort && x.query.mostHead[class] >= 0:
		x.add(k, fit, free, func(r int) int64 { return x.query.head[r] })
	}
}

// add adds the shortage of a node for a need, which the empty node can hold. An exclusive query needs all of it.
func (x *explainer) add(k int, fit int64, free Vector, need func(r int) int64) {
	if x.query.exclusive {
		need = func(r int) int64 { return x.machine.given[k][r] }
	}
	r := 0
	for need(r) == 0 || free[r] >= need(r) { // a resource that is not needed may be overbooked
		r++
	}
	s := &x.machine.index.nodes[k]
	i := s.at(x.window.Start)
	for s.amountAt(i, r) >= need(r) {
		i++
	}
	lacking := bookahead.Interval{Start: max(x.window.Start, s.start(i)), End: s.end(i)}
	for i++; i < s.len() && s.amountAt(i, r) < need(r); i++ {
		lacking.End = s.end(i)
	}
	x.at[k] = len(x.list)
	x.list = append(x.list, Shortage{Node: k, Room: fit, Resource: x.machine.resources[r], Free: max(0, free[r]), Lacking: lacking})
	x.resources = append(x.resources, r)
}

// blame names the reservations and the closures that cause the shortages.
func (x *explainer) blame() {
	m := x.machine
	meets := func(k int, w bookahead.Interval) (int, bool) {
		i, ok := x.at[k]
		return i, ok && w.Overlaps(x.list[i].Lacking.Intersect(x.window))
	}
	for id, b := range m.booked.overlapping(x.window, m.bounds.Now) {
		for k, v := range m.takes(b) {
			i, ok := meets(k, b.Interval)
			if ok && v[x.resources[i]] > 0 {
				x.list[i].Reservations = append(x.list[i].Reservations, id)
			}
		}
	}
	for c := range m.closed.list.All() {
		for _, k := range c.Servers {
			i, ok := meets(k, c.Interval)
			if ok && !c.Added {
				x.list[i].Closures = append(x.list[i].Closures, c.ID)
			}
		}
	}
}

// String formats the explanation as "6 tasks have no room in [0, 10): 4 have room, node 1 has 2 gpus until 6 (#2); the
// first place is [6, 16)". It names three nodes at most.
func (e Explanation) String() string {
	var b strings.Builder
	switch {
	case e.late:
		fmt.Fprintf(&b, "%d tasks cannot be booked in %v", e.tasks, e.Window)
	case e.Short == nil && e.Room >= e.tasks:
		fmt.Fprintf(&b, "%d tasks have room in %v", e.tasks, e.Window)
		return b.String()
	default:
		fmt.Fprintf(&b, "%d tasks have no room in %v: %d have room", e.tasks, e.Window, e.Room)
	}
	for i, s := range e.Short {
		if i == 3 {
			fmt.Fprintf(&b, ", and %d more nodes", len(e.Short)-i)
			break
		}
		fmt.Fprintf(&b, ", %v", s)
	}
	switch {
	case e.Earliest.Empty():
		fmt.Fprintf(&b, "; there is no place: %v", e.Err)
	case e.Err != nil:
		fmt.Fprintf(&b, "; the first place is %v, after the deadline", e.Earliest.Interval)
	default:
		fmt.Fprintf(&b, "; the first place is %v", e.Earliest.Interval)
	}
	return b.String()
}

// String formats the shortage as "node 1 has 2 gpus until 6 (#2, closure 1)".
func (s Shortage) String() string {
	text := fmt.Sprintf("node %d has %d %s", s.Node, s.Free, s.Resource)
	if s.Lacking.End < bookahead.MaxTime {
		text += fmt.Sprintf(" until %d", s.Lacking.End)
	}
	var who []string
	for _, id := range s.Reservations {
		who = append(who, fmt.Sprintf("#%d", id))
	}
	for _, id := range s.Closures {
		who = append(who, fmt.Sprintf("closure %d", id))
	}
	if len(who) > 0 {
		text += " (" + strings.Join(who, ", ") + ")"
	}
	return text
}
