package route

import "github.com/bookahead/bookahead"

// Earliest returns the plan with the earliest completion, and of equal completions the plan
// with the smallest delay. The plan is as good as that of MCT for a nil Objective, without a
// list of the paths. The error is bookahead.ErrUnavailable if no plan ends in time.
//
// Lower bounds of the completion let the search stop as soon as a plan attains them:
//
//  1. The best of the shortest paths (ECT) is a plan to begin with. If no path would lead to a
//     better plan even with all links free, this plan is the answer.
//  2. Otherwise the search finds for each node the slots in which a burst can come there, over
//     paths with or without loops, up to the slot from which on no better plan is possible. That
//     takes a union for each link and each round, as in the algorithm of Bellman and Ford.
//  3. From the clusters the search goes back to the source (A*). It makes ends of paths longer,
//     the best end first. An end is as good as the first burst that can come to its first node
//     and passes through it. The first end that has come to the source is the answer. An end is
//     dropped if another end from the same node to the same cluster has no greater delay, lets
//     each of its bursts pass, and has no other nodes.
//
// Instead of bits the search keeps lists of the slots in which the burst can start. Its
// bounds see everything but loops: where the best way with loops has none, the search
// looks only at the links around that way.
//
// O(C·h·k) if step 1 is enough, for C clusters, h links of a path and k runs of a link. O(r·E·k)
// for step 2, with E links and r rounds, at most one for each node. O(P·(d·k + log P)) for
// step 3, with d links of a node and P ends: h·d if loops do not matter, and exponentially many
// in the worst case.
//
// A search that its Effort stops returns the best plan that it knows, with Spent.Cut and a
// Bound; the error is bookahead.ErrStopped if it knows none. Where much is booked, no
// number of steps is large enough for all tasks. So the search ends when half of its steps are
// used, and AWMC-T, which is polynomial, has the rest.
func (n *Network) Earliest(t Task) (Plan, error) {
	s := n.memory()
	defer s.close()
	if err := n.prepare(&s.job, t); err != nil {
		return Plan{}, err
	}
	return s.earliest(&s.job)
}

// earliest is Earliest for a job.
func (s *search) earliest(j *job) (Plan, error) {
	n := s.n
	plan, ok, err := n.ect(j)
	if err != nil {
		return Plan{}, err
	}
	s.begin(j, plan, ok)
	if s.promising() && s.arrivals() {
		s.ends()
		x, found := s.back()
		if !found {
			x, found = s.complete, s.complete >= 0
		}
		if found {
			plan, ok = s.plan(x), true
		}
	}
	if s.err != nil {
		return Plan{}, s.err
	}
	if s.cut && !j.meter.Stopped() {
		j.effort.Cut = true
		p, also, err := n.multicost(j, lighter, byEnd)
		if err != nil {
			return Plan{}, err
		}
		if also && (!ok || valueOf(p).better(valueOf(plan))) {
			plan, ok = p, true
		}
	}
	if !ok {
		return j.none()
	}
	plan = n.found(j, plan)
	switch {
	case !plan.Spent.Cut:
		plan.Bound = plan.Run.End
	case s.floor > 0: // by P5 no plan ends before the least of the way that left the queue last
		plan.Bound = min(plan.Run.End, bookahead.Time(s.floor))
	}
	return plan, nil
}

// The search counts in slots: a burst is at a node in slot t if its first bit comes
// there in t. A way is the end of a path, from some node to a cluster. The search
// keeps five promises. TestSearchInvariants checks them, by these names, against all
// plans of small networks.
//
//	P1 lists     A list of spans is in order. No span is empty, and between any two
//	             there is a gap.
//	P2 arrivals  A burst that follows a path without a loop is at node v only in slots
//	             of place.arrive, unless it comes too late for a plan that is as
//	             good as search.known and in time. The delay of that path is at
//	             least place.near. Loops may add slots to arrive and lower near, so
//	             both are optimistic.
//	P3 bounds    No plan whose path ends with a way has a better value than way.least.
//	             A way from the source is a whole path: least is the value of its plan.
//	P4 dropping  A way x is dropped in two cases only. Either no plan with it is
//	             better than search.known, by P2 or P3. Or a way y that was followed
//	             before can take its place in every plan: y leads from the same node to the
//	             same cluster with no greater delay, passes in all slots of x, and
//	             visits no node that x does not visit.
//	P5 settling  If a plan is better than search.known, then a way of a best plan waits
//	             in the queue. The queue hands out the way with the best least. By
//	             P3 the first way from the source that it hands out is the answer: no
//	             way that still waits leads to a better plan.
//
// P5 follows from P4. A way of a best plan that the queue hands out puts the next longer way
// of that plan into the queue. If the way is dropped for y, the plan with y in its place is as
// good, and y has put its own longer ways into the queue.
//
// An example, of a burst of one slot from S to a cluster at T, where the task takes one
// tick. 1 is a free slot (TestSearchByHand has this network, and checks each number):
//
//	             0 1 2 3 4    arrive
//	S → X   d=1  1 . . . .    X: 1 over S, and 3 over S, X, V, which is a loop
//	X → V   d=1  . 1 . . .    V: 2
//	V → X   d=1  . . 1 . .    there are two of these links, a and b
//	V → Y   d=2  . . 1 . .    Y: 4
//	X → T   d=0  . . . 1 .    T: 3
//	Y → T   d=0  . . . . 1    T: 4
//
// ECT knows S → X → T only, and X → T is taken in slot 1: there is no plan to begin with.
// The queue hands out, with the slots in which a burst at the first node passes, and
// least as completion and delay:
//
//	T                   3, 4  (5, 1)
//	X → T               3     (5, 1)
//	V → X → T   over a  2     (5, 3)  dead end: only X leads to V, and X is on the way
//	V → X → T   over b  2     (5, 3)  dropped for the way over a
//	Y → T               4     (6, 4)
//	V → Y → T           2     (6, 4)  kept, since V → X → T visits X and this way does not
//	X → V → Y → T       1     (6, 4)
//	S → X → V → Y → T   0     (6, 4)  the answer
//
// The loop is all that led the search astray: X in slot 3 made 5 look possible.

// search is the memory of a query. Later queries use the same memory, one at a time, so that
// its lists need not be made anew. Its times count from now, except for completions.
type search struct {
	// Input. begin sets it.
	n     *Network
	j     *job
	known value // of the plan of ECT; only a better plan is of interest

	// Output. begin clears it.
	err      error
	cut      bool  // steps 2 and 3 have had their share of the steps
	floor    int64 // in step 3, the earliest end of a plan over a way that still waits; else 0
	spare    int64 // how many steps are left to AWMC-T
	complete int32 // the best way of step 3 that begins at the source; -1 if there is none

	// Scratch.
	memo    memo    // begin makes it forget the last query
	places  []place // by node; arrivals resets them
	ways    ways    // ends resets them
	scratch scratch // whoever uses a list clears it first
	job     job     // where j lies, unless it is a test's
}

// value is the merit of a plan: the earlier end is better, of equals the smaller delay.
type value struct {
	end   int64 // on the clock, not from now
	delay int64
}

func valueOf(p Plan) value { return value{int64(p.Run.End), int64(p.Delay)} }

func (v value) better(o value) bool {
	return v.end < o.end || v.end == o.end && v.delay < o.delay
}

// memo keeps answers that several paths ask for.
type memo struct {
	query  uint64    // counts the queries
	fits   []fit     // by link
	offers []offered // by cluster
}

// fit lists the starts of a burst on a link, for one query. Queries that end in step 1 look
// at no list, so lists are not cleared for each query. Instead a list has the number of its
// query, and is made anew for another.
type fit struct {
	query  uint64
	starts []span
}

// offered is the last answer of a pool: all data that arrives in [from, to] runs then.
type offered struct {
	from, to int64
	end      int64
	ok       bool
}

// scratch are lists that nobody needs for longer than a call.
type scratch struct {
	spans, union []span
	wave, after  []int32
}

// memory returns a search that no query uses.
func (n *Network) memory() *search {
	s, _ := n.searches.Get().(*search)
	if s == nil {
		s = &search{n: n, places: make([]place, n.nodes)}
		s.memo.fits = make([]fit, len(n.links))
		s.memo.offers = make([]offered, len(n.clusters))
		s.ways.row = (n.nodes + 63) / 64
		s.ways.queue.less = s.before
	}
	return s
}

// begin starts a query, with the plan of ECT as the known plan if ECT has found one.
func (s *search) begin(j *job, ect Plan, found bool) {
	s.j = j
	s.known = value{never, never}
	if found {
		s.known = valueOf(ect)
	}
	s.err, s.cut, s.floor, s.complete = nil, false, 0, -1
	s.spare = j.meter.Left() / 2
	s.memo.query++
	for m := range s.memo.offers {
		s.memo.offers[m] = offered{from: -1, to: -1}
	}
}

// close hands the memory on to later queries.
func (s *search) close() {
	s.j, s.job = nil, job{takes: s.job.takes}
	s.n.searches.Put(s)
}

// promising is step 1. It reports whether free links would lead to a better plan.
func (s *search) promising() bool {
	slots := int64(s.n.config.Slots)
	if s.j.burst > slots || s.j.ready >= slots {
		return false // no link carries it, and sums of such numbers might overflow
	}
	for m := range s.n.clusters {
		if s.j.takes[m] == 0 {
			continue
		}
		away := s.n.reach(s.j, m).away[s.j.Source]
		if away == unreachable || s.n.clusters[m].Node == s.j.Source {
			continue // ECT has found the best plan there, or there is none
		}
		o := s.offer(m, s.n.floor(s.j, away)+away+s.j.burst)
		best := value{o.end, away}
		if o.ok && best.better(s.known) {
			return true
		}
	}
	return false
}

// offer is Network.offer with the last answer of each pool at hand, since many ways to a
// cluster wait for the same gap.
//
//	tick       8 9 10 11 12 13 14 15
//	idle       1 0  0  0  1  1  1  1    the task takes 4 ticks, its data is there at 9
//	answer                ■  ■  ■  ■    [12, 16), and so for arrivals at 10, 11 and 12
func (s *search) offer(m int, arrival int64) offered {
	o := &s.memo.offers[m]
	if o.from <= arrival && arrival <= o.to {
		return *o
	}
	run, ok, err := s.n.offer(s.j, m, arrival)
	if err != nil {
		s.err = err
	}
	*o = offered{arrival, never, int64(run.End), ok} // if this arrival is too late, so are all later ones
	if ok {
		o.to = int64(run.Start - s.n.now)
	}
	return *o
}

// starts returns the slots in which the burst can start on a link: a run of 5 free
// slots, [2, 7), has room for a burst of 3 in slots 2, 3 and 4, so it becomes [2, 5).
func (s *search) starts(link int32) []span {
	f := &s.memo.fits[link]
	if f.query == s.memo.query {
		return f.starts
	}
	list := f.starts[:0]
	if s.j.open(link) {
		runs := int64(0)
		for run := range s.n.runs[link].All() {
			runs++
			if int64(run.Len()) >= s.j.burst {
				list = append(list, span{int64(run.Start), int64(run.End) - s.j.burst + 1})
			}
		}
		s.words(2 * runs)
	}
	*f = fit{s.memo.query, list}
	return list
}
