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
